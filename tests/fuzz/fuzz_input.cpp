#include "tests/fuzz/fuzz_input.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace troupe::fuzz {

void require(bool holds, const char* property) {
  if (holds)
    return;
  std::fprintf(stderr, "PROPERTY VIOLATED: %s\n", property);
  std::abort();
}

fuzz_input::fuzz_input(const std::uint8_t* data, std::size_t size)
    : text_(reinterpret_cast<const char*>(data), size) {}

std::uint8_t fuzz_input::take_byte() {
  if (text_.empty())
    return 0;
  auto first = static_cast<std::uint8_t>(text_.front());
  text_.remove_prefix(1);
  return first;
}

std::string_view fuzz_input::take_until(std::string_view separator) {
  auto end = std::min(text_.find(separator), text_.size());
  auto taken = text_.substr(0, end);
  text_.remove_prefix(std::min(end + separator.size(), text_.size()));
  return taken;
}

std::vector<std::string_view> cut(std::string_view text, std::uint8_t seed) {
  std::minstd_rand random{seed + 1u};
  std::vector<std::string_view> pieces;
  // Single bytes, or about so many pieces.
  auto longest = seed % 4 == 0 ? 1 : 1 + text.size() * 2 / (1 + seed % 16);
  while (!text.empty()) {
    auto length = std::min<std::size_t>(1 + random() % longest, text.size());
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}

} // namespace troupe::fuzz
