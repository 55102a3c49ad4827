#include "k8s/node/containers/container_log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

namespace troupe::k8s::node {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t piece_size = 256u << 10;
/// Timestamps are told in seconds.
constexpr auto mark_distance = 1s;
/// After which a reader that was not ready is asked again.
constexpr auto reader_pause = 20ms;

} // namespace

struct container_log::reader {
  log_sink to;
  bool timestamps = false;
  std::uint64_t offset = 0; ///< Of what comes next.
  std::uint64_t end = 0;    ///< Nothing from here on is wanted.
  std::uint64_t left = 0;   ///< Bytes it may still have.
  bool at_line_start = true;
  bool is_gone = false; ///< It wants no more, not even the end.

  bool has_nothing_left_to_send() const {
    return is_gone || left == 0 || offset >= end;
  }
  bool is_ready() const { return !to.is_ready || to.is_ready(); }
};

container_log::container_log(boost::asio::io_context& io, std::string path,
                             loss_handler on_loss)
    : path_(std::move(path))
    , on_loss_(std::move(on_loss))
    , retry_(io) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  open_error_ = file_ < 0 ? errno : 0;
}

container_log::~container_log() {
  if (file_ >= 0)
    ::close(file_);
}

void container_log::append(std::string_view output, time_point now) {
  if (output.empty() || closed_)
    return;
  auto from = size_;
  if (marks_.empty() || now - marks_.back().stamp >= mark_distance)
    marks_.push_back({from, now});
  write_to_file(output);
  // Those who are up to date need not read it from the file.
  if (size_ - from == output.size())
    for (auto& r : readers_)
      if (r->offset == from && r->is_ready())
        send_to_reader(*r, std::string{output});
  send_to_readers_and_drop_finished();
}

/// A full disk loses output, not the container.
void container_log::write_to_file(std::string_view text) {
  while (!text.empty()) {
    auto n =
        ::pwrite(file_, text.data(), text.size(), static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return report_loss_once(file_ < 0 ? open_error_ : errno);
    size_ += static_cast<std::uint64_t>(n);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void container_log::report_loss_once(int error) {
  if (auto tell = std::exchange(on_loss_, nullptr))
    tell("output is lost: " + path_
         + " cannot be written: " + std::strerror(error));
}

void container_log::close() {
  closed_ = true;
  send_to_readers_and_drop_finished();
}

std::string container_log::read_range(std::uint64_t from,
                                      std::size_t max_bytes) const {
  int fd = file_ >= 0 ? file_ : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text(
      std::min<std::uint64_t>(size_ - std::min(from, size_), max_bytes), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    auto n = ::pread(fd, text.data() + done, text.size() - done,
                     static_cast<off_t>(from + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    done += static_cast<std::size_t>(n);
  }
  if (fd >= 0 && fd != file_)
    ::close(fd);
  text.resize(done);
  return text;
}

std::string container_log::add_timestamps(std::string_view text,
                                          std::uint64_t from,
                                          bool at_line_start) const {
  std::string out;
  auto next = std::upper_bound(
      marks_.begin(), marks_.end(), from,
      [](std::uint64_t at, const timestamp_mark& m) { return at < m.from; });
  while (!text.empty()) {
    while (next != marks_.end() && next->from <= from)
      ++next;
    if (at_line_start && next != marks_.begin())
      out += to_rfc3339(std::prev(next)->stamp) + " ";
    auto length = std::min(text.find('\n'), text.size() - 1) + 1;
    out += text.substr(0, length);
    text.remove_prefix(length);
    from += length;
    at_line_start = true;
  }
  return out;
}

/// Where the text begins that the options ask for.
std::uint64_t container_log::start_offset(const log_options& options,
                                          time_point now) const {
  std::uint64_t from = 0;
  if (options.since) {
    auto oldest = now - *options.since;
    auto i = std::find_if(
        marks_.begin(), marks_.end(),
        [&](const timestamp_mark& m) { return m.stamp >= oldest; });
    from = i == marks_.end() ? size_ : i->from;
  }
  return options.tail_lines ? offset_of_last_lines(*options.tail_lines, from)
                            : from;
}

std::uint64_t container_log::offset_of_last_lines(std::int64_t lines,
                                                  std::uint64_t from) const {
  if (lines <= 0)
    return size_;
  for (auto end = size_; end > from;) {
    auto begin = end - std::min<std::uint64_t>(end - from, piece_size);
    auto text = read_range(begin, end - begin);
    for (auto i = text.size(); i > 0; --i) {
      // The end of the last line begins no line.
      bool begins_line = text[i - 1] == '\n' && begin + i < size_;
      if (begins_line && --lines == 0)
        return begin + i;
    }
    end = begin;
  }
  return from;
}

std::string container_log::end_of_text(std::int64_t lines,
                                       std::size_t most_bytes) const {
  auto from = offset_of_last_lines(
      lines, size_ - std::min<std::uint64_t>(size_, most_bytes));
  return read_range(from, most_bytes);
}

/// Sends what comes next.
void container_log::send_to_reader(reader& to, std::string text) const {
  auto from = to.offset;
  to.offset += text.size();
  bool ends_line = !text.empty() && text.back() == '\n';
  if (to.timestamps)
    text = add_timestamps(text, from, to.at_line_start);
  to.at_line_start = ends_line;
  text.resize(std::min<std::uint64_t>(text.size(), to.left));
  to.left -= text.size();
  if (!text.empty())
    to.is_gone = !to.to.chunk(std::move(text));
}

/// Sends what is there, as long as the reader takes it. Returns whether it is
/// not through.
bool container_log::send_and_check_unfinished(reader& to) const {
  while (to.offset < size_ && !to.has_nothing_left_to_send()) {
    if (!to.is_ready())
      return true;
    auto text = read_range(
        to.offset, std::min<std::uint64_t>(piece_size, to.end - to.offset));
    if (text.empty())
      break; // The file cannot be read.
    send_to_reader(to, std::move(text));
  }
  return !closed_ && !to.has_nothing_left_to_send();
}

void container_log::send_to_readers_and_drop_finished() {
  bool is_any_behind = false;
  for (auto& r : readers_) {
    if (send_and_check_unfinished(*r)) {
      is_any_behind |= r->offset < size_;
      continue;
    }
    if (!r->is_gone)
      r->to.end(nothing{});
    r.reset();
  }
  readers_.erase(std::remove(readers_.begin(), readers_.end(), nullptr),
                 readers_.end());
  if (is_any_behind)
    schedule_send_retry();
  // Thousands of finished pods must not hold thousands of descriptors.
  if (closed_ && readers_.empty() && file_ >= 0)
    ::close(std::exchange(file_, -1));
}

void container_log::schedule_send_retry() {
  if (std::exchange(is_retrying_, true))
    return;
  retry_.expires_after(reader_pause);
  retry_.async_wait([self = shared_from_this()](boost::system::error_code e) {
    self->is_retrying_ = false;
    if (!e)
      self->send_to_readers_and_drop_finished();
  });
}

void container_log::add_reader(const log_options& options, time_point now,
                               log_sink to) {
  auto r = std::make_unique<reader>();
  r->to = std::move(to);
  r->timestamps = options.timestamps;
  r->offset = start_offset(options, now);
  r->end = options.follow ? std::numeric_limits<std::uint64_t>::max() : size_;
  r->left = std::numeric_limits<std::uint64_t>::max();
  if (options.limit_bytes)
    r->left = static_cast<std::uint64_t>(
        std::max<std::int64_t>(*options.limit_bytes, 0));
  readers_.push_back(std::move(r));
  send_to_readers_and_drop_finished();
}

} // namespace troupe::k8s::node
