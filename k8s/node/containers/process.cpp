#include "k8s/node/containers/process.hpp"

#include "k8s/general/child_process.hpp"
#include "k8s/node/containers/program_streams.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>

#include <csignal>

namespace troupe::k8s::node {

namespace {

constexpr std::chrono::seconds patience{2}; ///< For the output's end.

} // namespace

result<std::unique_ptr<process>> process::start(boost::asio::io_context& io,
                                                const std::string& reaper,
                                                const container_plan& plan,
                                                output_handler output,
                                                end_handler end) {
  program_streams streams;
  if (auto bad = streams.open_pipes_or_terminal(plan.has_stdin,
                                                plan.has_terminal, false))
    return *bad;
  auto started = start_reaped_program(reaper, plan.has_terminal ? "t" : "-",
                                      plan, streams.descriptors_of_program());
  if (!started)
    return started.error();
  std::unique_ptr<program_input> input;
  if (plan.has_stdin)
    input = std::make_unique<program_input>(io, streams.take_input_fd(),
                                            plan.has_terminal);
  return std::unique_ptr<process>(
      new process(io, *started, streams.take_output_fd(), std::move(input),
                  std::move(output), std::move(end)));
}

process::process(boost::asio::io_context& io, const reaped_program& started,
                 int output, std::unique_ptr<program_input> input,
                 output_handler on_output, end_handler on_end)
    : reaper_(started.reaper)
    , program_(started.program)
    , patience_(io)
    , output_(io, output)
    , reports_(io, started.reports)
    , input_(std::move(input))
    , on_output_(std::move(on_output))
    , on_end_(std::move(on_end)) {
  read_output_until_closed();
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

void process::read_output_until_closed() {
  output_.async_read_some(
      boost::asio::buffer(block_),
      [this, alive = alive_](boost::system::error_code error, std::size_t n) {
        if (!*alive)
          return;
        if (n > 0)
          on_output_({block_.data(), n});
        silent_ = static_cast<bool>(error);
        if (!silent_)
          read_output_until_closed();
        else if (ended_)
          report_end();
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
        reap_and_drain_output(error ? to_process_end(SIGKILL)
                                    : to_process_end(report_[1]));
      });
}

void process::reap_and_drain_output(process_end end) {
  wait_for_child(reaper_);
  ended_ = true;
  end_ = end;
  if (silent_) {
    report_end();
    return;
  }
  // Nobody of the container is left to hold the pipe, but it may have handed
  // it to somebody else.
  patience_.expires_after(patience);
  patience_.async_wait([this, alive = alive_](boost::system::error_code error) {
    if (*alive && !error)
      report_end();
  });
}

void process::report_end() {
  patience_.cancel();
  if (auto tell = std::exchange(on_end_, nullptr))
    tell(end_);
}

} // namespace troupe::k8s::node
