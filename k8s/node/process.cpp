#include "k8s/node/process.hpp"

#include "k8s/node/path_map.h"
#include "k8s/node/reaper_report.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <climits>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace troupe::k8s::node {

namespace {

constexpr std::chrono::seconds patience{2}; ///< For the output's end.

/// Two ends of a pipe that close themselves.
struct pipe_ends {
  int read = -1;
  int write = -1;

  bool open() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0)
      return false;
    read = fds[0];
    write = fds[1];
    return true;
  }
  void close(int& end) {
    if (end >= 0)
      ::close(std::exchange(end, -1));
  }
  ~pipe_ends() {
    close(read);
    close(write);
  }
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (auto& w : words)
    result.push_back(w.data());
  result.push_back(nullptr);
  return result;
}

/// The file that a program name means, by the container's own PATH and
/// mounts; "" if there is none.
std::string look_up(const container_plan& plan) {
  auto value = [&](const char* name, const char* otherwise) {
    auto i = plan.env.find(name);
    return i == plan.env.end() ? otherwise : i->second.c_str();
  };
  char space[PATH_MAX];
  auto* file = map_program(value("TROUPE_PATHS", nullptr),
                           value("PATH", "/usr/bin:/bin"), plan.argv[0].c_str(),
                           space, sizeof space);
  return file ? file : "";
}

/// posix_spawn, since between fork and exec a program with many threads may do
/// next to nothing, and copies its page tables for it. Returns an errno.
int spawn(const std::string& reaper, char** argv, char** envp, int output,
          int reports, pid_t& pid) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, 1);
  ::posix_spawn_file_actions_adddup2(&files, output, 2);
  ::posix_spawn_file_actions_adddup2(&files, reports, REAPER_FD);
  // Sockets of this program are none of the container's business.
  ::posix_spawn_file_actions_addclosefrom_np(&files, REAPER_FD + 1);
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&how, &all);
  ::posix_spawnattr_setsigmask(&how, &none);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK
                                       | POSIX_SPAWN_SETSIGDEF);
  int error = ::posix_spawn(&pid, reaper.c_str(), &files, &how, argv, envp);
  ::posix_spawnattr_destroy(&how);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

failure refused(const container_plan& plan, const reaper_report& r) {
  std::string why = std::strerror(r.value);
  switch (r.what) {
  case REAPER_NO_DIRECTORY:
    return {ec::invalid, "chdir: \"" + plan.directory + "\": " + why};
  case REAPER_NO_PROGRAM:
    return {ec::invalid, "exec: \"" + plan.argv[0] + "\": " + why};
  default:
    return {ec::invalid, "cannot start a process: " + why};
  }
}

/// The reaper's first word; 0 if it died without one.
reaper_report first_report(int fd) {
  reaper_report r{};
  ssize_t n = 0;
  do
    n = ::read(fd, &r, sizeof r);
  while (n < 0 && errno == EINTR);
  return n == sizeof r ? r : reaper_report{REAPER_NO_PROCESS, ESRCH};
}

process_end end_of(int status) {
  process_end end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
    end.exit_code = 128 + end.signal;
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

void wait_for(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
    ;
}

} // namespace

result<std::unique_ptr<process>> process::start(boost::asio::io_context& io,
                                                const std::string& reaper,
                                                const container_plan& plan,
                                                output_handler output,
                                                end_handler end) {
  auto file = look_up(plan);
  if (file.empty())
    return failure{ec::invalid,
                   "exec: \"" + plan.argv[0] + "\": not found in $PATH"};
  std::vector<std::string> words{"troupe-reaper", std::to_string(::getpid()),
                                 plan.directory, file};
  words.insert(words.end(), plan.argv.begin(), plan.argv.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : plan.env)
    variables.push_back(name + "=" + value);
  auto argv = pointers(words);
  auto envp = pointers(variables);
  pipe_ends out;
  pipe_ends reports;
  if (!out.open() || !reports.open())
    return refused(plan, {REAPER_NO_PROCESS, errno});
  pid_t pid = -1;
  if (int error = spawn(reaper, argv.data(), envp.data(), out.write,
                        reports.write, pid))
    return refused(plan, {REAPER_NO_PROCESS, error});
  out.close(out.write);
  reports.close(reports.write);
  auto first = first_report(reports.read);
  if (first.what != REAPER_RUNS) {
    wait_for(pid);
    return refused(plan, first);
  }
  return std::unique_ptr<process>(new process(
      io, pid, first.value, std::exchange(out.read, -1),
      std::exchange(reports.read, -1), std::move(output), std::move(end)));
}

process::process(boost::asio::io_context& io, pid_t reaper, pid_t program,
                 int output, int reports, output_handler on_output,
                 end_handler on_end)
    : reaper_(reaper)
    , program_(program)
    , patience_(io)
    , output_(io, output)
    , reports_(io, reports)
    , on_output_(std::move(on_output))
    , on_end_(std::move(on_end)) {
  read_output();
  wait_for_end();
}

process::~process() {
  *alive_ = false;
  if (!ended_) {
    kill();
    wait_for(reaper_);
  }
}

void process::terminate() {
  if (!ended_)
    ::kill(reaper_, SIGTERM);
}

void process::kill() {
  if (!ended_)
    ::kill(reaper_, SIGUSR1);
}

void process::read_output() {
  output_.async_read_some(
      boost::asio::buffer(block_),
      [this, alive = alive_](boost::system::error_code error, std::size_t n) {
        if (!*alive)
          return;
        if (n > 0)
          on_output_({block_.data(), n});
        silent_ = static_cast<bool>(error);
        if (!silent_)
          read_output();
        else if (ended_)
          finish();
      });
}

void process::wait_for_end() {
  boost::asio::async_read(
      reports_, boost::asio::buffer(report_),
      [this, alive = alive_](boost::system::error_code error, std::size_t) {
        if (!*alive)
          return;
        // No last report: somebody killed the reaper, and the kernel the
        // program with it.
        after_end(error ? end_of(SIGKILL) : end_of(report_[1]));
      });
}

void process::after_end(process_end end) {
  wait_for(reaper_);
  ended_ = true;
  end_ = end;
  if (silent_) {
    finish();
    return;
  }
  // Nobody of the container is left to hold the pipe, but it may have handed
  // it to somebody else.
  patience_.expires_after(patience);
  patience_.async_wait([this, alive = alive_](boost::system::error_code error) {
    if (*alive && !error)
      finish();
  });
}

void process::finish() {
  patience_.cancel();
  if (auto tell = std::exchange(on_end_, nullptr))
    tell(end_);
}

} // namespace troupe::k8s::node
