#include "k8s/node/namespaces/slirp_gateway.hpp"

#include "k8s/general/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

namespace troupe::k8s::node {

namespace {

constexpr const char* program = "slirp4netns";
constexpr const char* interface = "tap0";
constexpr int start_limit = 5000; ///< Milliseconds.
constexpr int end_fd = 3;
constexpr int ready_fd = 4;

std::vector<std::string>
make_slirp_arguments(const cluster_namespaces& cluster) {
  auto namespaces = "/proc/" + std::to_string(cluster.holder_pid()) + "/ns/";
  return {program,
          std::string{"--cidr="} + cluster.subnet().cidr(),
          "--mtu=1500",
          "--disable-host-loopback",
          "--disable-dns",
          "--exit-fd=" + std::to_string(end_fd),
          "--ready-fd=" + std::to_string(ready_fd),
          "--userns-path=" + namespaces + "user",
          "--netns-type=path",
          namespaces + "net",
          interface};
}

/// Of what a program that failed has said.
std::string read_first_line(int file) {
  char text[200];
  auto n = ::pread(file, text, sizeof text, 0);
  std::string all(text, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return all.substr(0, all.find('\n'));
}

bool wait_until_ready(int fd) {
  pollfd ready{fd, POLLIN, 0};
  char word = 0;
  return ::poll(&ready, 1, start_limit) == 1 && ::read(fd, &word, 1) == 1;
}

} // namespace

result<std::unique_ptr<slirp_gateway>>
slirp_gateway::start(cluster_namespaces& cluster) {
  pipe_ends ready;
  pipe_ends end;
  if (!ready.open() || !end.open())
    return failure{ec::invalid, std::strerror(errno)};
  unique_descriptor said{::memfd_create("slirp4netns", MFD_CLOEXEC)};
  auto theirs = duplicate_for_child(end.read);
  auto report = duplicate_for_child(ready.write);
  if (said.get() < 0 || theirs.get() < 0 || report.get() < 0)
    return failure{ec::invalid, std::strerror(errno)};
  child_command command{program,
                        make_slirp_arguments(cluster),
                        {},
                        {{said.get(), STDOUT_FILENO},
                         {said.get(), STDERR_FILENO},
                         {theirs.get(), end_fd},
                         {report.get(), ready_fd}}};
  pid_t pid = -1;
  if (int error = spawn_child(std::move(command), pid))
    return failure{ec::invalid, describe_spawn_error(program, error)};
  ready.close_write_end();
  report.reset();
  std::unique_ptr<slirp_gateway> made{
      new slirp_gateway{pid, unique_descriptor{std::exchange(end.write, -1)}}};
  if (!wait_until_ready(ready.read))
    return failure{ec::invalid, "slirp4netns does not start here: "
                                    + read_first_line(said.get())};
  if (auto bad = cluster.add_to_bridge(interface))
    return *bad;
  return made;
}

slirp_gateway::~slirp_gateway() {
  end_.reset();
  ::kill(pid_, SIGTERM); // It may not have got so far as to look there.
  wait_for_child(pid_);
}

} // namespace troupe::k8s::node
