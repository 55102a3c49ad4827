#pragma once

#include "k8s/log_source.hpp"
#include "k8s/objects.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s::node {

/// The output of one life of a container: a file and its readers, each of which
/// reads at its own speed. Owned by shared_ptr; a reader that has not finished
/// keeps it alive. For the io_context's one thread; its callbacks must not call
/// it back.
class container_log : public std::enable_shared_from_this<container_log> {
public:
  /// Called once, with the cause, when output is lost.
  using loss_handler = std::function<void(const std::string& why)>;

  /// Makes the file, or empties it if it exists, since a life begins with an
  /// empty log. `io` runs the timer after which readers that were not ready are
  /// asked again; output is written at once.
  container_log(boost::asio::io_context& io, std::string path,
                loss_handler on_loss = nullptr);
  ~container_log(); ///< The file is kept.

  container_log(const container_log&) = delete;
  container_log& operator=(const container_log&) = delete;

  void append(std::string_view output, time_point now);
  /// No more output follows: readers end when they have received all.
  void close();

  /// Sends `to` the output so far and, with `follow`, later output; then the
  /// end.
  void add_reader(const log_options& options, time_point now, log_sink to);

  /// The last so many lines, and of these the last so many bytes.
  std::string end_of_text(std::int64_t lines, std::size_t most_bytes) const;

  const std::string& path() const { return path_; }

private:
  /// Output from offset `from` to the next mark came at `stamp` or later.
  struct timestamp_mark {
    std::uint64_t from;
    time_point stamp;
  };
  struct reader;

  void write_to_file(std::string_view text);
  void report_loss_once(int error);
  std::string read_range(std::uint64_t from, std::size_t max_bytes) const;
  std::string add_timestamps(std::string_view text, std::uint64_t from,
                             bool at_line_start) const;
  std::uint64_t start_offset(const log_options& options, time_point now) const;
  std::uint64_t offset_of_last_lines(std::int64_t lines,
                                     std::uint64_t from) const;
  void send_to_reader(reader& to, std::string text) const;
  bool send_and_check_unfinished(reader& to) const;
  void send_to_readers_and_drop_finished();
  void schedule_send_retry();

  std::string path_;
  loss_handler on_loss_; ///< Null after its call.
  int file_ = -1;
  int open_error_ = 0;
  std::uint64_t size_ = 0;
  bool closed_ = false;
  std::deque<timestamp_mark> marks_;
  std::vector<std::unique_ptr<reader>> readers_;
  boost::asio::steady_timer retry_;
  bool is_retrying_ = false;
};

} // namespace troupe::k8s::node
