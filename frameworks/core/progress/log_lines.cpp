#include "frameworks/core/progress/log_lines.hpp"

#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

/// "2026-01-31T12:00:00.123456789+01:00".
constexpr std::size_t longest_time = 40;

bool is_control(char c) {
  auto u = static_cast<unsigned char>(c);
  return (u < 0x20 && c != '\t') || u == 0x7f;
}

/// The length of the escape sequence with which the text begins: "\x1b[1;32m",
/// or ESC alone.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[')
    return 1;
  std::size_t i = 2;
  while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x3f)
    ++i;
  return std::min(i + 1, text.size());
}

/// The length of the character with which the text begins; 0 if it is none.
std::size_t character_length(std::string_view text) {
  auto lead = static_cast<unsigned char>(text.front());
  std::size_t n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return n <= text.size() && k8s::is_utf8(text.substr(0, n)) ? n : 0;
}

std::string clean_text(std::string_view text) {
  std::string out;
  bool is_garbage = false;
  while (!text.empty()) {
    std::size_t length = 1;
    if (text.front() == '\x1b') {
      length = escape_length(text);
    } else if (!is_control(text.front())) {
      length = character_length(text);
      if (length > 0)
        out += text.substr(0, length);
      else if (!is_garbage)
        out += "\xef\xbf\xbd";
      is_garbage = length == 0;
      length = std::max<std::size_t>(length, 1);
    }
    text.remove_prefix(length);
  }
  return out;
}

} // namespace

void log_lines::feed(std::string_view bytes, const taker& take) {
  while (!bytes.empty()) {
    auto length = std::min(bytes.find_first_of("\r\n"), bytes.size());
    add_text(bytes.substr(0, length), take);
    if (length == bytes.size())
      return;
    if (bytes[length] == '\r')
      end_part(take);
    else
      end_line(take);
    bytes.remove_prefix(length + 1);
  }
}

void log_lines::finish(const taker& take) {
  if (!text_.empty() || !time_text_.empty())
    end_part(take);
}

void log_lines::begin_again() {
  again_ =
      read_.time != k8s::time_point{} ? std::optional{read_} : std::nullopt;
  passed_ = {};
  in_time_ = true;
  time_text_.clear();
  text_.clear();
  given_ = skips_line_ = false;
  skipped_parts_ = 0;
}

/// Servers compare whole seconds.
std::optional<k8s::time_point> log_lines::since() const {
  if (read_.time == k8s::time_point{})
    return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(read_.time)
         - std::chrono::seconds{1};
}

void log_lines::add_text(std::string_view text, const taker& take) {
  while (in_time_ && !text.empty()) {
    auto space = text.find(' ');
    auto length =
        std::min({space, text.size(), longest_time + 1 - time_text_.size()});
    time_text_ += text.substr(0, length);
    text.remove_prefix(length);
    if (!text.empty() || time_text_.size() > longest_time)
      read_time();
    if (!in_time_ && has_time_ && !text.empty() && text.front() == ' ')
      text.remove_prefix(1);
  }
  if (text.empty() || given_ || skips_line_)
    return;
  text_ += text.substr(0, most_line_bytes - text_.size());
  if (text_.size() == most_line_bytes) {
    give_part(take);
    given_ = true;
  }
}

/// Of a line without one, what was read is its text.
void log_lines::read_time() {
  in_time_ = false;
  auto time = k8s::from_rfc3339(time_text_);
  has_time_ = time.has_value();
  if (has_time_)
    begin_line_at(*time);
  else
    text_ = time_text_;
  time_text_.clear();
}

void log_lines::begin_line_at(k8s::time_point time) {
  if (again_) {
    passed_ = time == passed_.time ? passed_ : place{time, 0, 0};
    if (is_read_already())
      return;
    again_.reset();
  }
  if (time != read_.time)
    read_ = {time, 0, 0};
}

/// Whether the whole line, which begins, was read before; of the last one, the
/// first parts were.
bool log_lines::is_read_already() {
  skips_line_ =
      passed_.time < again_->time
      || (passed_.time == again_->time && passed_.lines < again_->lines);
  if (!skips_line_ && passed_.time == again_->time)
    skipped_parts_ = again_->parts;
  return skips_line_;
}

void log_lines::end_part(const taker& take) {
  if (in_time_)
    read_time();
  if (skips_line_)
    return;
  if (skipped_parts_ > 0) {
    --skipped_parts_;
  } else {
    if (!given_)
      give_part(take);
    ++read_.parts;
  }
  text_.clear();
  given_ = false;
}

void log_lines::end_line(const taker& take) {
  end_part(take);
  if (skips_line_)
    ++passed_.lines;
  else if (has_time_)
    ++read_.lines;
  read_.parts = skips_line_ ? read_.parts : 0;
  in_time_ = true;
  has_time_ = skips_line_ = false;
  skipped_parts_ = 0;
  text_.clear();
}

void log_lines::give_part(const taker& take) {
  if (skipped_parts_ > 0)
    return;
  bool is_clean = k8s::is_utf8(text_)
                  && std::none_of(text_.begin(), text_.end(), is_control);
  const auto cleaned = is_clean ? std::string{} : clean_text(text_);
  const std::string_view line = is_clean ? text_ : cleaned;
  if (!line.empty())
    take(line);
}

} // namespace troupe::core
