#include "k8s/node/containers/exec_process.hpp"

#include "k8s/general/child_process.hpp"
#include "k8s/node/base/reaper_report.h"

#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>

#include <csignal>

namespace troupe::k8s::node {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// For the end of the output, which others than the command may hold open.
constexpr auto silence = 2s;
constexpr auto kill_delay = 1s;

} // namespace

result<std::shared_ptr<exec_process>>
exec_process::start(asio::io_context& io, const std::string& reaper,
                    const container_plan& plan, bool has_stderr,
                    session_sink to, std::function<void()> on_ended) {
  program_streams streams;
  if (auto bad = streams.open_pipes_or_terminal(plan.has_stdin,
                                                plan.has_terminal, has_stderr))
    return *bad;
  auto started = start_reaped_program(reaper, plan.has_terminal ? "kt" : "k",
                                      plan, streams.descriptors_of_program());
  if (!started)
    return started.error();
  std::shared_ptr<exec_process> out(new exec_process(
      io, *started, streams, plan, std::move(to), std::move(on_ended)));
  out->start_reading();
  return out;
}

exec_process::exec_process(asio::io_context& io, const reaped_program& started,
                           program_streams& streams, const container_plan& plan,
                           session_sink to, std::function<void()> on_ended)
    : reaper_(started.reaper)
    , is_terminal_(plan.has_terminal)
    , timer_(io)
    , kill_timer_(io)
    , reports_(io, started.reports)
    , to_(std::move(to))
    , on_ended_(std::move(on_ended)) {
  // The size of a terminal is set by its input.
  if (plan.has_stdin || plan.has_terminal)
    input_ = std::make_unique<program_input>(io, streams.take_input_fd(),
                                             plan.has_terminal);
  output_ = std::make_unique<output_pipe>(io, streams.take_output_fd(),
                                          output_stream::standard_output);
  if (int errors = streams.take_errors_fd(); errors >= 0)
    errors_ = std::make_unique<output_pipe>(io, errors,
                                            output_stream::standard_error);
}

exec_process::~exec_process() {
  if (!is_gone_) {
    kill();
    wait_for_child(reaper_);
    is_gone_ = true;
  }
  if (!has_ended_)
    end_ = to_process_end(SIGKILL);
  on_ended_ = nullptr;
  report_end();
}

void exec_process::start_reading() {
  read_output(*output_);
  if (errors_)
    read_output(*errors_);
  read_report();
}

// -- input --------------------------------------------------------------------

void exec_process::write_input(std::string bytes) {
  auto taken = [weak = weak_from_this()] {
    if (auto self = weak.lock(); self && self->to_.on_input_taken)
      self->to_.on_input_taken();
  };
  if (input_)
    input_->write(std::move(bytes), taken);
  else
    taken(); // Nobody reads it.
}

void exec_process::close_input() {
  if (input_)
    input_->close_after_pending_writes();
}

void exec_process::resize_terminal(std::uint16_t width, std::uint16_t height) {
  if (input_)
    input_->resize_terminal(width, height);
}

// -- output -------------------------------------------------------------------

void exec_process::read_output(output_pipe& from) {
  from.descriptor.async_read_some(
      asio::buffer(from.block),
      [weak = weak_from_this(), &from](boost::system::error_code error,
                                       std::size_t n) {
        auto self = weak.lock();
        if (!self || !from.descriptor.is_open())
          return;
        self->bytes_read_ += n;
        if (n > 0 && self->to_.output)
          self->to_.output(from.stream, {from.block.data(), n});
        if (error) {
          from.descriptor.close(error);
          if (self->has_ended_)
            self->finish_when_output_stops();
          return;
        }
        from.is_paused = self->to_.is_ready && !self->to_.is_ready();
        if (!from.is_paused)
          self->read_output(from);
      });
}

void exec_process::resume_output() {
  for (auto* from : {output_.get(), errors_.get()})
    if (from && from->is_paused && to_.is_ready && to_.is_ready()) {
      from->is_paused = false;
      read_output(*from);
    }
}

bool exec_process::is_any_output_paused() const {
  return output_->is_paused || (errors_ && errors_->is_paused);
}

// -- the end ------------------------------------------------------------------

void exec_process::terminate_or_kill_dropping_output() {
  to_.output = nullptr; // What comes is read, so that it can end.
  to_.is_ready = nullptr;
  for (auto* from : {output_.get(), errors_.get()})
    if (from && std::exchange(from->is_paused, false))
      read_output(*from);
  if (has_ended_)
    return;
  ::kill(reaper_, SIGTERM);
  // A shell at a terminal ends when that hangs up.
  if (is_terminal_) {
    input_.reset();
    boost::system::error_code ignored;
    output_->descriptor.close(ignored);
  }
  kill_timer_.expires_after(kill_delay);
  kill_timer_.async_wait(
      [weak = weak_from_this()](boost::system::error_code error) {
        auto self = weak.lock();
        if (self && !error && !self->has_ended_)
          self->kill();
      });
}

void exec_process::kill() {
  if (!is_gone_)
    ::kill(reaper_, SIGUSR1);
}

void exec_process::read_report() {
  asio::async_read(
      reports_, asio::buffer(report_),
      [weak = weak_from_this()](boost::system::error_code error, std::size_t) {
        if (auto self = weak.lock())
          self->note_end_of_command_or_reaper(static_cast<bool>(error));
      });
}

void exec_process::note_end_of_command_or_reaper(bool is_reaper_gone) {
  if (!has_ended_) {
    has_ended_ = true;
    // No report: somebody killed the reaper, and the kernel the command.
    end_ = to_process_end(is_reaper_gone ? SIGKILL : report_[1]);
    kill_timer_.cancel();
    finish_when_output_stops();
  }
  if (!is_reaper_gone)
    return read_report();
  wait_for_child(reaper_);
  is_gone_ = true;
  if (!to_.end && on_ended_)
    std::exchange(on_ended_, nullptr)();
}

/// All that the command itself has written is in the pipes by now; those who
/// it left behind may go on.
void exec_process::finish_when_output_stops() {
  if (!output_->descriptor.is_open()
      && (!errors_ || !errors_->descriptor.is_open()))
    return report_end();
  timer_.expires_after(silence);
  timer_.async_wait([weak = weak_from_this(),
                     before = bytes_read_](boost::system::error_code error) {
    auto self = weak.lock();
    if (!self || error)
      return;
    if (self->is_any_output_paused() || self->bytes_read_ != before)
      self->finish_when_output_stops();
    else
      self->report_end();
  });
}

void exec_process::report_end() {
  timer_.cancel();
  input_.reset();
  if (auto end = std::exchange(to_.end, nullptr))
    end(end_.exit_code);
  to_ = {};
  if (is_gone_ && on_ended_)
    std::exchange(on_ended_, nullptr)();
}

} // namespace troupe::k8s::node
