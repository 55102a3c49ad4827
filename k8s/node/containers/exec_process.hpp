#pragma once

#include "k8s/node/containers/program_input.hpp"
#include "k8s/node/containers/program_streams.hpp"
#include "k8s/node/containers/reaped_program.hpp"
#include "k8s/streaming_runtime.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <memory>

namespace troupe::k8s::node {

/// A command in a container, under its own reaper. Processes that it leaves
/// behind live until they end or are killed. It belongs to the container; for
/// one io_context.
class exec_process : public std::enable_shared_from_this<exec_process> {
public:
  /// Starts a command. `plan` is the container's, with the command's words. The
  /// owner drops the object at `on_ended`, when nothing of the command runs any
  /// more.
  static result<std::shared_ptr<exec_process>>
  start(boost::asio::io_context& io, const std::string& reaper,
        const container_plan& plan, bool has_stderr, session_sink to,
        std::function<void()> on_ended);
  ~exec_process(); ///< Kills what is left of it and waits for that.

  exec_process(const exec_process&) = delete;
  exec_process& operator=(const exec_process&) = delete;

  /// The ancestor of all processes of the command.
  pid_t reaper() const { return reaper_; }
  time_point started() const { return started_; }

  void write_input(std::string bytes);
  void close_input();
  void resize_terminal(std::uint16_t width, std::uint16_t height);
  void resume_output();
  /// For a client that has left: SIGTERM to its process group, and SIGKILL to
  /// all its processes if it does not end within a second. Drops further
  /// output.
  void terminate_or_kill_dropping_output();
  /// SIGKILL to all its processes.
  void kill();

private:
  /// One pipe for output of the program.
  struct output_pipe {
    output_pipe(boost::asio::io_context& io, int fd, output_stream s)
        : descriptor(io, fd)
        , stream(s) {}

    boost::asio::posix::stream_descriptor descriptor;
    output_stream stream;
    bool is_paused = false;
    std::array<char, 32768> block;
  };

  exec_process(boost::asio::io_context& io, const reaped_program& started,
               program_streams& streams, const container_plan& plan,
               session_sink to, std::function<void()> on_ended);
  void start_reading();
  void read_output(output_pipe& from);
  void read_report();
  void note_end_of_command_or_reaper(bool is_reaper_gone);
  void finish_when_output_stops();
  void report_end();
  bool is_any_output_paused() const;

  pid_t reaper_;
  const time_point started_ = std::chrono::system_clock::now();
  const bool is_terminal_;
  bool is_gone_ = false;   ///< The reaper has ended, too.
  bool has_ended_ = false; ///< The command has; output may follow.
  process_end end_;
  boost::asio::steady_timer timer_; ///< For the rest of the output.
  boost::asio::steady_timer kill_timer_;
  boost::asio::posix::stream_descriptor reports_;
  std::unique_ptr<program_input> input_;
  std::unique_ptr<output_pipe> output_;
  std::unique_ptr<output_pipe> errors_; ///< Null if errors go into the output.
  session_sink to_;
  std::function<void()> on_ended_;
  std::size_t bytes_read_ = 0;
  std::array<int, 2> report_{};
};

} // namespace troupe::k8s::node
