#pragma once

#include "k8s/node/containers/program_input.hpp"
#include "k8s/node/containers/reaped_program.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace troupe::k8s::node {

/// One container's program and all that it starts, under its own reaper
/// (reaper.c): nothing of it outlives the program's end, this object, the
/// thread that started it, or this process. For one io_context.
class process {
public:
  using output_handler = std::function<void(std::string_view)>;
  using end_handler = std::function<void(process_end)>;

  /// Starts a program; `reaper` is the reaper's file. ec::invalid with a text
  /// for the user if it cannot be run. `end` is called once, after all output;
  /// the object must outlive that call.
  static result<std::unique_ptr<process>>
  start(boost::asio::io_context& io, const std::string& reaper,
        const container_plan& plan, output_handler output, end_handler end);

  ~process(); ///< Kills what is left of it, without `end`.

  process(const process&) = delete;
  process& operator=(const process&) = delete;

  pid_t pid() const { return program_; } ///< The program's, for display.
  pid_t reaper() const { return reaper_; }
  /// The program's input; null if the plan has none.
  program_input* input() { return input_.get(); }
  void terminate(); ///< SIGTERM to its process group.
  void kill();      ///< SIGKILL to all of it.

private:
  process(boost::asio::io_context& io, const reaped_program& started,
          int output, std::unique_ptr<program_input> input,
          output_handler on_output, end_handler on_end);
  void read_output_until_closed();
  void wait_for_end();
  void reap_and_drain_output(process_end end);
  void report_end();

  pid_t reaper_;
  pid_t program_;
  bool ended_ = false;
  bool silent_ = false; ///< The end of the output has been read.
  process_end end_;
  boost::asio::steady_timer patience_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::posix::stream_descriptor reports_;
  std::unique_ptr<program_input> input_;
  output_handler on_output_;
  end_handler on_end_;
  std::array<char, 8192> block_;
  std::array<int, 2> report_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

} // namespace troupe::k8s::node
