#pragma once

#include "k8s/log_source.hpp"
#include "k8s/objects.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s::node {

/// The output of one life of a container: a file of bounded size, and whoever
/// follows it. Belongs to one thread; its callbacks must not call it back.
class container_log {
public:
  /// Makes or empties the file `path`. When more than `limit` bytes have come,
  /// the older half is dropped.
  container_log(std::string path, std::size_t limit);
  ~container_log(); ///< Closes; the file is kept.

  container_log(const container_log&) = delete;
  container_log& operator=(const container_log&) = delete;

  void append(std::string_view output, time_point now);
  void close(); ///< No more will come; followers end.

  /// Gives what is there and, with `follow`, what comes; then `end`. A `chunk`
  /// that returns false wants no more, not even `end`.
  void read(const log_options& options, time_point now,
            std::function<bool(std::string)> chunk,
            std::function<void(result<nothing>)> end);

  const std::string& path() const { return path_; }

private:
  /// What lies behind `from` came at `stamp` or later, up to the next mark.
  struct timestamp_mark {
    std::uint64_t from;
    time_point stamp;
  };
  struct reader;

  void write(std::string_view text);
  std::string read_text_from_offset(std::uint64_t from);
  std::string add_timestamps(std::string_view text, std::uint64_t from,
                             bool at_line_start) const;
  std::uint64_t log_start_offset(const log_options& options, time_point now);
  void drop_older_half();

  std::string path_;
  std::size_t limit_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  bool at_line_start_ = true;
  bool closed_ = false;
  std::deque<timestamp_mark> marks_;
  std::vector<std::unique_ptr<reader>> readers_;
};

} // namespace troupe::k8s::node
