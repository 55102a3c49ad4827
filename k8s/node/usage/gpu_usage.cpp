#include "k8s/node/usage/gpu_usage.hpp"

#include "k8s/general/child_process.hpp"
#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/text.hpp"

#include <boost/asio/buffer.hpp>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <limits>
#include <unistd.h>

namespace troupe::k8s::node {

namespace {

constexpr std::chrono::seconds longest_run{5};
constexpr std::size_t most_output = 1u << 20; ///< Bytes.

std::optional<std::int64_t> parse_nonnegative_number(std::string_view text) {
  auto first = text.find_first_not_of(' ');
  if (first == text.npos)
    return std::nullopt;
  text.remove_prefix(first);
  std::int64_t out = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || out < 0)
    return std::nullopt;
  return out;
}

std::vector<std::string> copy_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry; ++entry)
    out.emplace_back(*entry);
  return out;
}

} // namespace

gpu_usage_by_index parse_nvidia_smi_output(const std::string& text) {
  gpu_usage_by_index out;
  for (const auto& line : split_without_empty_parts(text, '\n')) {
    auto fields = split_without_empty_parts(line, ',');
    auto index =
        fields.size() == 3 ? parse_nonnegative_number(fields[0]) : std::nullopt;
    if (!index || *index > std::numeric_limits<int>::max())
      continue;
    auto percent = parse_nonnegative_number(fields[1]).value_or(0);
    auto mebibytes = parse_nonnegative_number(fields[2]).value_or(0);
    out[static_cast<int>(*index)] = {static_cast<double>(percent) / 100,
                                     mebibytes << 20};
  }
  return out;
}

std::optional<gpu_usage> sum_gpu_usage(const gpu_usage_by_index& known,
                                       const std::vector<int>& gpus) {
  std::optional<gpu_usage> out;
  for (int index : gpus)
    if (auto found = known.find(index); found != known.end()) {
      if (!out)
        out.emplace();
      out->busy += found->second.busy;
      out->memory += found->second.memory;
    }
  return out;
}

gpu_usage_reader::~gpu_usage_reader() {
  kill_program_and_close_output();
}

gpu_usage_by_index gpu_usage_reader::refresh_and_get_last() {
  if (pid_ < 0 && !is_missing_)
    start_program();
  return last_;
}

void gpu_usage_reader::start_program() {
  pipe_ends pipe;
  if (!pipe.open())
    return; // Too few descriptors: next time.
  auto theirs = duplicate_for_child(pipe.write);
  child_command command{
      program_,
      {program_,
       "--query-gpu=index,utilization.gpu,"
       "memory.used",
       "--format=csv,noheader,nounits"},
      copy_environment(),
      {{theirs.get(), STDOUT_FILENO}, {theirs.get(), STDERR_FILENO}}};
  if (int error = spawn_child(std::move(command), pid_)) {
    pid_ = -1;
    is_missing_ = error == ENOENT; // Of other failures there may be an end.
    return;
  }
  text_.clear();
  output_.assign(std::exchange(pipe.read, -1));
  read_output();
  timeout_.expires_after(longest_run);
  timeout_.async_wait([this](boost::system::error_code error) {
    if (!error)
      kill_program_and_close_output();
  });
}

void gpu_usage_reader::read_output() {
  output_.async_read_some(
      boost::asio::buffer(buffer_),
      [this](boost::system::error_code error, std::size_t size) {
        if (error == boost::asio::error::operation_aborted)
          return;
        text_.append(buffer_.data(), size);
        if (!error && text_.size() <= most_output)
          return read_output();
        last_ = parse_nvidia_smi_output(text_);
        kill_program_and_close_output();
      });
}

void gpu_usage_reader::kill_program_and_close_output() {
  if (pid_ < 0)
    return;
  timeout_.cancel();
  boost::system::error_code ignored;
  output_.close(ignored);
  ::kill(-pid_, SIGKILL); // The output has ended, or it takes too long.
  wait_for_child(std::exchange(pid_, -1));
}

} // namespace troupe::k8s::node
