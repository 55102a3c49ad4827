#include "k8s/text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>

namespace troupe::k8s {

namespace {

char to_lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Levenshtein's.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> line(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    line[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto corner = line[0];
    line[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto above = line[j];
      line[j] = std::min({above + 1, line[j - 1] + 1,
                          corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return line[b.size()];
}

} // namespace

bool is_alphanumeric_name(std::string_view text) {
  auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9');
  };
  auto is_allowed = [&](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && is_alphanumeric(text.front())
         && is_alphanumeric(text.back())
         && std::all_of(text.begin(), text.end(), is_allowed);
}

bool is_utf8(std::string_view bytes) {
  return simdjson::validate_utf8(bytes);
}

std::string utf8_prefix(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes)
    return std::string{text};
  auto continues_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
  };
  auto end = most_bytes;
  while (end > 0 && continues_character(text[end]))
    --end;
  return std::string{text.substr(0, end)};
}

std::string lower_case(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), to_lower_ascii);
  return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return to_lower_ascii(x) == to_lower_ascii(y);
  });
}

bool is_one_of(std::string_view word,
               std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> split_without_empty_parts(std::string_view text,
                                                   char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    auto end = std::min(text.find(separator), text.size());
    if (end > 0)
      parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string trim_blanks(std::string_view text) {
  auto begin = text.find_first_not_of(" \t");
  if (begin == text.npos)
    return "";
  auto end = text.find_last_not_of(" \t");
  return std::string{text.substr(begin, end - begin + 1)};
}

std::string join(const std::vector<std::string>& parts,
                 std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out.append(i == 0 ? std::string_view{} : separator).append(parts[i]);
  return out;
}

std::string nearest_word(const std::string& word,
                         const std::vector<std::string>& known,
                         std::size_t most_changes) {
  std::string nearest;
  auto least = std::min(word.size() / 2, most_changes) + 1;
  for (const auto& k : known)
    if (auto d = edit_distance(word, k); d < least) {
      least = d;
      nearest = k;
    }
  return nearest;
}

namespace {

/// A label of a host name of any length.
bool is_host_label(std::string_view text) {
  auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && plain(text.front()) && plain(text.back())
         && std::all_of(text.begin(), text.end(),
                        [&](char c) { return plain(c) || c == '-'; });
}

} // namespace

bool is_dns_label(std::string_view text) {
  constexpr std::size_t longest = 63;
  return text.size() <= longest && is_host_label(text);
}

bool is_dns_subdomain(std::string_view text) {
  constexpr std::size_t longest = 253;
  if (text.size() > longest)
    return false;
  for (auto dot = text.find('.'); dot != text.npos; dot = text.find('.')) {
    if (!is_host_label(text.substr(0, dot)))
      return false;
    text.remove_prefix(dot + 1);
  }
  return is_host_label(text);
}

std::string shorten_text(std::string text, std::size_t most) {
  if (text.size() <= most)
    return text;
  auto is_inside_character = [&](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  };
  while (most > 0 && is_inside_character(text[most]))
    --most;
  text.resize(most);
  return text + "...";
}

std::string replace_all(std::string text, std::string_view mark,
                        std::string_view value) {
  for (auto at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
  return text;
}

// Seconds up to two minutes, then minutes with seconds up to ten, and so on.
std::string human_duration(std::chrono::seconds duration) {
  auto n = std::max<std::int64_t>(duration.count(), 0);
  auto pair = [](std::int64_t a, const char* x, std::int64_t b, const char* y) {
    auto out = std::to_string(a) + x;
    return b ? out + std::to_string(b) + y : out;
  };
  if (n < 120)
    return std::to_string(n) + "s";
  auto m = n / 60, h = n / 3600, d = n / 86400;
  if (m < 10)
    return pair(m, "m", n % 60, "s");
  if (m < 180)
    return std::to_string(m) + "m";
  if (h < 8)
    return pair(h, "h", m % 60, "m");
  if (h < 48)
    return std::to_string(h) + "h";
  if (d < 8)
    return pair(d, "d", h % 24, "h");
  if (d < 730)
    return std::to_string(d) + "d";
  return pair(d / 365, "y", d < 2920 ? d % 365 : 0, "d");
}

bool remove_prefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace troupe::k8s
