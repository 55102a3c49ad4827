#include "k8s/node/containers/program_streams.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace troupe::k8s::node {

program_streams::~program_streams() {
  for (auto* ends : {&ours_, &programs_})
    for (int fd : *ends)
      if (fd >= 0)
        ::close(fd);
}

std::optional<failure>
program_streams::open_pipes_or_terminal(bool has_input, bool is_terminal,
                                        bool separate_errors) {
  bool done = is_terminal
                  ? open_terminal()
                  : (!has_input || open_pipe(0, false)) && open_pipe(1, true)
                        && (!separate_errors || open_pipe(2, true));
  if (done)
    return std::nullopt;
  return failure{ec::invalid,
                 std::string{is_terminal ? "cannot open a terminal: "
                                         : "cannot make a pipe: "}
                     + std::strerror(errno)};
}

bool program_streams::open_pipe(int program_stream, bool program_writes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return false;
  ours_[program_stream] = ends[program_writes ? 0 : 1];
  programs_[program_stream] = ends[program_writes ? 1 : 0];
  return true;
}

bool program_streams::open_terminal() {
  char name[64];
  int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ours_[1] = master;
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0
      || ::ptsname_r(master, name, sizeof name) != 0)
    return false;
  programs_[0] = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  ours_[0] = ::fcntl(master, F_DUPFD_CLOEXEC, 0);
  return programs_[0] >= 0 && ours_[0] >= 0;
}

std::vector<std::pair<int, int>>
program_streams::descriptors_of_program() const {
  int output = programs_[1] >= 0 ? programs_[1] : programs_[0];
  int errors = programs_[2] >= 0 ? programs_[2] : output;
  std::vector<std::pair<int, int>> out{{output, 1}, {errors, 2}};
  if (programs_[0] >= 0)
    out.emplace_back(programs_[0], 0);
  return out;
}

int program_streams::take_input_fd() {
  return std::exchange(ours_[0], -1);
}

int program_streams::take_output_fd() {
  return std::exchange(ours_[1], -1);
}

int program_streams::take_errors_fd() {
  return std::exchange(ours_[2], -1);
}

} // namespace troupe::k8s::node
