#include "k8s/node/process.hpp"

#include "k8s/child_process.hpp"
#include "k8s/node/path_map.h"
#include "k8s/node/reaper_report.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <climits>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace troupe::k8s::node {

namespace {

constexpr std::chrono::seconds patience{2}; ///< For the output's end.

/// The file that a program name means, by the container's own PATH and
/// mounts; "" if there is none.
std::string find_program_file(const container_plan& plan) {
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

} // namespace

result<std::unique_ptr<process>> process::start(boost::asio::io_context& io,
                                                const std::string& reaper,
                                                const container_plan& plan,
                                                output_handler output,
                                                end_handler end) {
  auto file = find_program_file(plan);
  if (file.empty())
    return failure{ec::invalid,
                   "exec: \"" + plan.argv[0] + "\": not found in $PATH"};
  std::vector<std::string> words{"troupe-reaper", std::to_string(::getpid()),
                                 plan.directory, file};
  words.insert(words.end(), plan.argv.begin(), plan.argv.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : plan.env)
    variables.push_back(name + "=" + value);
  pipe_ends out;
  pipe_ends reports;
  if (!out.open() || !reports.open())
    return refused(plan, {REAPER_NO_PROCESS, errno});
  pid_t pid = -1;
  child_command command{
      reaper,
      std::move(words),
      std::move(variables),
      {{out.write, 1}, {out.write, 2}, {reports.write, REAPER_FD}}};
  if (int error = spawn_child(std::move(command), pid))
    return refused(plan, {REAPER_NO_PROCESS, error});
  out.close_write_end();
  reports.close_write_end();
  auto first = first_report(reports.read);
  if (first.what != REAPER_RUNS) {
    wait_for_child(pid);
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
    wait_for_child(reaper_);
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
        reap_and_drain_output(error ? end_of(SIGKILL) : end_of(report_[1]));
      });
}

void process::reap_and_drain_output(process_end end) {
  wait_for_child(reaper_);
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
