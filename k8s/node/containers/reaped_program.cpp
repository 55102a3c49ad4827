#include "k8s/node/containers/reaped_program.hpp"

#include "k8s/general/child_process.hpp"
#include "k8s/node/base/path_map.h"
#include "k8s/node/base/reaper_report.h"
#include "k8s/node/namespaces/cluster_namespaces.hpp"
#include "k8s/node/namespaces/container_namespaces.h"

#include <climits>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace troupe::k8s::node {

namespace {

/// The file that a program name means, by the container's own PATH and
/// mounts; "" if there is none.
std::string find_program_file(const container_plan& plan) {
  auto value = [&](const char* name, const char* otherwise) {
    auto i = plan.env.find(name);
    return i == plan.env.end() ? otherwise : i->second.c_str();
  };
  char space[PATH_MAX];
  auto* file = find_mapped_program(value("TROUPE_PATHS", nullptr),
                                   value("PATH", "/usr/bin:/bin"),
                                   plan.argv[0].c_str(), space, sizeof space);
  return file ? file : "";
}

failure start_failure(const container_plan& plan, const reaper_report& r) {
  std::string why = std::strerror(r.value);
  switch (r.what) {
  case REAPER_NO_DIRECTORY:
    return {ec::invalid, "chdir: \"" + plan.directory + "\": " + why};
  case REAPER_NO_PROGRAM:
    if (r.value == ENOENT && plan.argv[0].find('/') == std::string::npos)
      why = "not found in $PATH";
    return {ec::invalid, "exec: \"" + plan.argv[0] + "\": " + why};
  default:
    return {ec::invalid, "cannot start a process: " + why};
  }
}

/// What the reaper says of a step that failed.
std::string read_until_eof(int fd) {
  std::string text;
  char block[256];
  ssize_t n = 0;
  while ((n = ::read(fd, block, sizeof block)) > 0)
    text.append(block, static_cast<std::size_t>(n));
  return text;
}

/// A file in memory, to be read by a child.
unique_descriptor make_memory_file(const std::string& text) {
  unique_descriptor file{::memfd_create("mounts", MFD_CLOEXEC)};
  if (file.get() < 0
      || ::write(file.get(), text.data(), text.size())
             != static_cast<ssize_t>(text.size())
      || ::lseek(file.get(), 0, SEEK_SET) != 0)
    return {};
  return file;
}

using child_descriptors = std::vector<std::pair<unique_descriptor, int>>;

/// What the reaper of a program in namespaces gets, by its number there. An
/// errno if there is no descriptor left.
int copy_namespace_descriptors(const container_plan& plan,
                               child_descriptors& out) {
  int error = 0;
  auto add = [&](int fd, int number) {
    out.emplace_back(duplicate_for_child(fd), number);
    if (out.back().first.get() < 0 && error == 0)
      error = errno;
  };
  add(plan.cluster->user_namespace_fd(), CONTAINER_USER_FD);
  add(plan.pod->network.get(), CONTAINER_NETWORK_FD);
  add(plan.pod->uts.get(), CONTAINER_UTS_FD);
  add(plan.pod->ipc.get(), CONTAINER_IPC_FD);
  if (plan.container) {
    add(plan.container->mounts.get(), CONTAINER_MOUNT_FD);
    add(plan.container->processes.get(), CONTAINER_PROCESSES_FD);
    return error;
  }
  add(plan.cluster->mount_namespace_fd(), CONTAINER_MOUNT_FD);
  auto mounts = make_memory_file(plan.mounts);
  if (mounts.get() < 0 && error == 0)
    error = errno;
  add(mounts.get(), CONTAINER_MOUNTS_FD);
  if (plan.exec_socket)
    add(plan.exec_socket->get(), CONTAINER_EXEC_FD);
  return error;
}

/// Whether there is something to read within the time.
bool wait_until_readable(int fd, std::chrono::milliseconds limit) {
  auto until = std::chrono::steady_clock::now() + limit;
  pollfd waited{fd, POLLIN, 0};
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    auto n = ::poll(&waited, 1, std::max(0, static_cast<int>(left.count())));
    if (n >= 0 || errno != EINTR)
      return n > 0;
  }
}

/// The reaper's first word; 0 if it died without one.
reaper_report read_first_report(int fd) {
  reaper_report r{};
  ssize_t n = 0;
  do
    n = ::read(fd, &r, sizeof r);
  while (n < 0 && errno == EINTR);
  return n == sizeof r ? r : reaper_report{REAPER_NO_PROCESS, ESRCH};
}

/// It may wait for a file system that does not answer, and then cannot be
/// waited for either.
void kill_reaper_and_reap_later(pid_t reaper) {
  ::kill(reaper, SIGKILL);
  if (::waitpid(reaper, nullptr, WNOHANG) == 0)
    std::thread{[reaper] { wait_for_child(reaper); }}.detach();
}

} // namespace

process_end to_process_end(int wait_status) {
  process_end end;
  if (WIFSIGNALED(wait_status)) {
    end.signal = WTERMSIG(wait_status);
    end.exit_code = 128 + end.signal;
  } else {
    end.exit_code = WEXITSTATUS(wait_status);
  }
  return end;
}

result<reaped_program>
start_reaped_program(const std::string& reaper, const std::string& mode,
                     const container_plan& plan,
                     std::vector<std::pair<int, int>> descriptors,
                     std::chrono::milliseconds limit) {
  auto file = plan.pod ? "" : find_program_file(plan);
  if (!plan.pod && file.empty())
    return failure{ec::invalid,
                   "exec: \"" + plan.argv[0] + "\": not found in $PATH"};
  std::vector<std::string> words{
      "troupe-reaper", mode, std::to_string(::getpid()), plan.directory, file};
  words.insert(words.end(), plan.argv.begin(), plan.argv.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : plan.env)
    variables.push_back(name + "=" + value);
  pipe_ends reports;
  if (!reports.open())
    return start_failure(plan, {REAPER_NO_PROCESS, errno});
  descriptors.emplace_back(reports.write, REAPER_FD);
  child_descriptors namespaces;
  if (int error = plan.pod ? copy_namespace_descriptors(plan, namespaces) : 0)
    return start_failure(plan, {REAPER_NO_PROCESS, error});
  for (const auto& [fd, number] : namespaces)
    descriptors.emplace_back(fd.get(), number);
  reaped_program out;
  child_command command{reaper, std::move(words), std::move(variables),
                        std::move(descriptors)};
  if (int error = spawn_child(std::move(command), out.reaper))
    return start_failure(plan, {REAPER_NO_PROCESS, error});
  reports.close_write_end();
  if (!wait_until_readable(reports.read, limit)) {
    kill_reaper_and_reap_later(out.reaper);
    return failure{ec::invalid,
                   "the container was not set up within "
                       + std::to_string(limit / std::chrono::seconds{1})
                       + " s; does a file system of this machine not answer?"};
  }
  auto first = read_first_report(reports.read);
  if (first.what == REAPER_NO_NAMESPACES) {
    auto step = read_until_eof(reports.read);
    wait_for_child(out.reaper);
    return failure{ec::invalid, "cannot set up the container: " + step + ": "
                                    + std::strerror(first.value)};
  }
  if (first.what != REAPER_RUNS) {
    wait_for_child(out.reaper);
    return start_failure(plan, first);
  }
  out.program = first.value;
  out.reports = std::exchange(reports.read, -1);
  return out;
}

} // namespace troupe::k8s::node
