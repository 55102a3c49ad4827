#include "actors/cli/progress/log_lines.hpp"

#include <algorithm>

namespace troupe::cli {

log_lines::log_lines(bool timed, std::size_t limit)
    : timed_(timed)
    , limit_(std::max<std::size_t>(limit, 1))
    , has_time_(!timed) {
  // nop
}

void log_lines::feed(std::string_view bytes, const handler& line) {
  while (!bytes.empty()) {
    auto end = bytes.find('\n');
    auto piece = bytes.substr(0, end);
    if (end == bytes.npos)
      return append_or_overwrite(piece, line);
    if (!has_begun() && piece.size() <= limit_
        && piece.find('\r') == piece.npos) {
      line(piece); // As nearly all do; not copied.
    } else {
      append_or_overwrite(piece, line);
      end_line(line);
    }
    bytes.remove_prefix(end + 1);
  }
}

void log_lines::end_line(const handler& line) {
  line(unfinished_line());
  drop_line();
}

void log_lines::drop_line() {
  time_.clear();
  former_.clear();
  state_.clear();
  is_overwritten_ = false;
  has_time_ = !timed_;
}

std::string log_lines::unfinished_line() const {
  return time_ + (state_.empty() ? former_ : state_);
}

void log_lines::append_or_overwrite(std::string_view bytes,
                                    const handler& line) {
  if (!has_time_) {
    auto end = bytes.find(' ');
    has_time_ = end != bytes.npos;
    auto piece = bytes.substr(0, has_time_ ? end + 1 : bytes.npos);
    time_.append(piece);
    bytes.remove_prefix(piece.size());
    // No time is as long.
    has_time_ |= time_.size() > limit_;
  }
  auto last = bytes.rfind('\r');
  if (last != bytes.npos) {
    overwrite(bytes.substr(0, last));
    bytes.remove_prefix(last + 1);
  }
  append_to_state_or_deliver_full(bytes, line);
}

/// `bytes` are followed by '\r'.
void log_lines::overwrite(std::string_view bytes) {
  is_overwritten_ = true;
  auto end = bytes.find_last_not_of('\r');
  bytes = bytes.substr(0, end == bytes.npos ? 0 : end + 1);
  if (auto begin = bytes.rfind('\r'); begin != bytes.npos) {
    state_.clear();
    bytes.remove_prefix(begin + 1);
  }
  state_.append(bytes.substr(0, limit_));
  if (!state_.empty())
    former_ = std::move(state_);
  state_.clear();
}

void log_lines::append_to_state_or_deliver_full(std::string_view bytes,
                                                const handler& line) {
  while (state_.size() + bytes.size() > limit_) {
    auto room = limit_ - std::min(limit_, state_.size());
    state_.append(bytes.substr(0, room));
    bytes.remove_prefix(room);
    line(unfinished_line());
    state_.clear();
  }
  state_.append(bytes);
}

} // namespace troupe::cli
