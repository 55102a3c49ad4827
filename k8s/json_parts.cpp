#include "k8s/json_parts.hpp"

#include <cstring>

namespace troupe::k8s {

namespace {

/// A position in a text.
class cursor {
public:
  explicit cursor(std::string_view text)
      : at_(text.data())
      , end_(text.data() + text.size()) {}

  void skip_space() {
    while (at_ != end_ && is_space(*at_))
      ++at_;
  }

  /// Takes `c`, after space.
  bool take(char c) {
    skip_space();
    if (at_ == end_ || *at_ != c)
      return false;
    ++at_;
    return true;
  }

  bool is_at_end() {
    skip_space();
    return at_ == end_;
  }

  /// The inside of a string; false if there is none.
  bool take_string(std::string_view& inside) {
    if (!take('"'))
      return false;
    const char* begin = at_;
    if (!skip_rest_of_string())
      return false;
    inside = view(begin, at_ - 1);
    return true;
  }

  /// Any value, without the space around it; false if it has no end.
  bool take_value(std::string_view& value) {
    skip_space();
    const char* begin = at_;
    if (!skip_value() || at_ == begin)
      return false;
    const char* end = at_;
    while (is_space(end[-1])) // Its first character is none.
      --end;
    value = view(begin, end);
    return true;
  }

private:
  static bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  static std::string_view view(const char* from, const char* to) {
    return {from, static_cast<std::size_t>(to - from)};
  }

  bool skip_rest_of_string() {
    for (;;) {
      auto left = static_cast<std::size_t>(end_ - at_);
      const auto* quote = static_cast<const char*>(std::memchr(at_, '"', left));
      if (!quote)
        return false;
      const char* slash = quote;
      while (slash != at_ && slash[-1] == '\\')
        --slash;
      at_ = quote + 1;
      if ((quote - slash) % 2 == 0)
        return true;
    }
  }

  bool skip_value() {
    std::size_t depth = 0;
    while (at_ != end_) {
      switch (*at_) {
      case '"':
        ++at_;
        if (!skip_rest_of_string())
          return false;
        break;
      case '{':
      case '[':
        ++depth;
        ++at_;
        break;
      case '}':
      case ']':
        if (depth == 0)
          return true; // Of what is around it.
        --depth;
        ++at_;
        break;
      case ',':
        if (depth == 0)
          return true;
        ++at_;
        continue;
      default:
        skip_to_structural_character();
        if (depth == 0)
          return true;
        continue;
      }
      if (depth == 0)
        return true;
    }
    return depth == 0;
  }

  /// To the next character that means something.
  void skip_to_structural_character() {
    while (at_ != end_ && *at_ != '"' && *at_ != '{' && *at_ != '}'
           && *at_ != '[' && *at_ != ']' && *at_ != ',')
      ++at_;
  }

  const char* at_;
  const char* end_;
};

/// What is between two brackets and commas: `take_part` takes one.
template <class F>
bool for_each_part(std::string_view text, char open, char close, F take_part) {
  cursor at{text};
  if (!at.take(open))
    return false;
  if (!at.take(close)) {
    do {
      if (!take_part(at))
        return false;
    } while (at.take(','));
    if (!at.take(close))
      return false;
  }
  return at.is_at_end();
}

bool take_member(cursor& at, std::string_view& key, std::string_view& value) {
  return at.take_string(key) && at.take(':') && at.take_value(value);
}

} // namespace

bool for_each_json_member(
    std::string_view text,
    const std::function<void(std::string_view, std::string_view)>& f) {
  return for_each_part(text, '{', '}', [&](cursor& at) {
    std::string_view key;
    std::string_view value;
    if (!take_member(at, key, value))
      return false;
    f(key, value);
    return true;
  });
}

std::string_view find_json_member(std::string_view text, std::string_view key) {
  std::string_view found;
  for_each_part(text, '{', '}', [&](cursor& at) {
    std::string_view one;
    std::string_view value;
    if (!take_member(at, one, value))
      return false;
    if (one == key)
      found = value;
    return !found.data();
  });
  return found;
}

bool for_each_json_element(std::string_view text,
                           const std::function<void(std::string_view)>& f) {
  return for_each_part(text, '[', ']', [&](cursor& at) {
    std::string_view value;
    if (!at.take_value(value))
      return false;
    f(value);
    return true;
  });
}

} // namespace troupe::k8s
