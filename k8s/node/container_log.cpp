#include "k8s/node/container_log.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <unistd.h>

namespace troupe::k8s::node {

struct container_log::reader {
  std::function<bool(std::string)> chunk;
  std::function<void(result<nothing>)> end;
  bool timestamps = false;
  std::optional<std::uint64_t> left; ///< Bytes it may still have.

  /// Returns false when it has had all it may have or wants.
  bool send(std::string text) {
    if (left) {
      text.resize(std::min<std::size_t>(text.size(), *left));
      *left -= text.size();
    }
    if (!text.empty() && !chunk(std::move(text)))
      return false;
    if (!left || *left > 0)
      return true;
    end(nothing{});
    return false;
  }
};

container_log::container_log(std::string path, std::size_t limit)
    : path_(std::move(path))
    , limit_(limit) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

container_log::~container_log() {
  close();
}

void container_log::append(std::string_view output, time_point now) {
  if (output.empty() || closed_)
    return;
  auto from = size_;
  if (marks_.empty() || marks_.back().stamp != now)
    marks_.push_back({from, now});
  write(output);
  auto served = [&](const std::unique_ptr<reader>& who) {
    return who->send(who->timestamps
                         ? add_timestamps(output, from, at_line_start_)
                         : std::string{output});
  };
  readers_.erase(
      std::remove_if(readers_.begin(), readers_.end(), std::not_fn(served)),
      readers_.end());
  at_line_start_ = output.back() == '\n';
  if (size_ > limit_)
    drop_older_half();
}

/// A full disk loses output, not the container.
void container_log::write(std::string_view text) {
  while (!text.empty()) {
    auto n =
        ::pwrite(file_, text.data(), text.size(), static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    size_ += static_cast<std::uint64_t>(n);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void container_log::drop_older_half() {
  auto text = read_text_from_offset(size_ / 2);
  auto line = text.find('\n');
  auto cut = size_ - text.size() + (line == std::string::npos ? 0 : line + 1);
  text.erase(0, cut - (size_ - text.size()));
  if (::ftruncate(file_, 0) != 0)
    return;
  size_ = 0;
  write(text);
  // The mark before the cut says when the first line that is left came.
  while (marks_.size() > 1 && marks_[1].from <= cut)
    marks_.pop_front();
  for (auto& m : marks_)
    m.from -= std::min(m.from, cut);
}

void container_log::close() {
  if (std::exchange(closed_, true))
    return;
  for (auto& who : std::exchange(readers_, {}))
    who->end(nothing{});
  // Thousands of finished pods must not hold thousands of descriptors.
  if (file_ >= 0)
    ::close(std::exchange(file_, -1));
}

std::string container_log::read_text_from_offset(std::uint64_t from) {
  int fd = file_ >= 0 ? file_ : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text(size_ - std::min(from, size_), '\0');
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
std::uint64_t container_log::log_start_offset(const log_options& options,
                                              time_point now) {
  std::uint64_t from = 0;
  if (options.since) {
    auto oldest = now - *options.since;
    auto i = std::find_if(
        marks_.begin(), marks_.end(),
        [&](const timestamp_mark& m) { return m.stamp >= oldest; });
    from = i == marks_.end() ? size_ : i->from;
  }
  if (!options.tail_lines)
    return from;
  auto text = read_text_from_offset(from);
  std::size_t at = text.size();
  // The end of the last line begins no line.
  if (at > 0 && text.back() == '\n')
    --at;
  for (auto n = *options.tail_lines; n > 0; --n) {
    auto line = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    if (line == std::string::npos)
      return from;
    at = line;
  }
  return *options.tail_lines > 0 ? from + at + 1 : size_;
}

void container_log::read(const log_options& options, time_point now,
                         std::function<bool(std::string)> chunk,
                         std::function<void(result<nothing>)> end) {
  auto from = log_start_offset(options, now);
  auto who = std::make_unique<reader>();
  who->chunk = std::move(chunk);
  who->end = std::move(end);
  who->timestamps = options.timestamps;
  if (options.limit_bytes)
    who->left = std::max<std::int64_t>(*options.limit_bytes, 0);
  auto text = read_text_from_offset(from);
  if (!who->send(options.timestamps ? add_timestamps(text, from, true) : text))
    return;
  if (closed_ || !options.follow)
    who->end(nothing{});
  else
    readers_.push_back(std::move(who));
}

} // namespace troupe::k8s::node
