#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe::fuzz {

/// Ends the program unless `holds`: libFuzzer saves the input then.
void require(bool holds, const char* property);

/// The bytes that libFuzzer made, read from the first on.
class fuzz_input {
public:
  fuzz_input(const std::uint8_t* data, std::size_t size);

  /// 0 at the end.
  std::uint8_t take_byte();
  /// What comes before `separator`, which is taken too; else all.
  std::string_view take_until(std::string_view separator);
  std::string_view rest() const { return text_; }

private:
  std::string_view text_;
};

/// `text` in pieces, as a socket might deliver it; each seed cuts differently.
std::vector<std::string_view> cut(std::string_view text, std::uint8_t seed);

} // namespace troupe::fuzz
