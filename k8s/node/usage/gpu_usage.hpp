#pragma once

#include "k8s/usage_source.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace troupe::k8s::node {

/// The usage of GPUs, by their indexes.
using gpu_usage_by_index = std::map<int, gpu_usage>;

/// Reads lines of "index, percent busy, used MiB", as nvidia-smi prints them. A
/// figure that is no number ("[N/A]") is 0; other lines do not count.
gpu_usage_by_index parse_nvidia_smi_output(const std::string& text);

/// The sum of some GPUs; nullopt if none of them is known.
std::optional<gpu_usage> sum_gpu_usage(const gpu_usage_by_index& known,
                                       const std::vector<int>& gpus);

/// Runs nvidia-smi. For the io_context's thread.
class gpu_usage_reader {
public:
  gpu_usage_reader(boost::asio::io_context& io, std::string program)
      : program_(std::move(program))
      , output_(io)
      , timeout_(io) {}
  ~gpu_usage_reader();

  /// Returns what was read last, and starts to read again unless that is under
  /// way. Empty at first, and if the program is missing or fails.
  gpu_usage_by_index refresh_and_get_last();

private:
  void start_program();
  void read_output();
  void kill_program_and_close_output();

  const std::string program_;
  gpu_usage_by_index last_;
  bool is_missing_ = false;
  pid_t pid_ = -1; ///< -1: no program runs.
  boost::asio::posix::stream_descriptor output_;
  boost::asio::steady_timer timeout_;
  std::array<char, 4096> buffer_{};
  std::string text_; ///< The output so far.
};

} // namespace troupe::k8s::node
