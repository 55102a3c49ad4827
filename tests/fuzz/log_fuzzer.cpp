#include "actors/admin/log_text.hpp"
#include "actors/admin/text/utf8.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// A log as a pod writes it: a byte that says how it is cut into pieces, then
// its bytes.

namespace {

using namespace troupe;
using fuzz::require;

std::string text_of(const std::vector<std::string_view>& pieces) {
  actors::log_text log;
  std::string text;
  for (auto piece : pieces)
    text += log.feed(piece);
  return text + log.finish();
}

/// And the note at the end of what was cut.
constexpr std::size_t most_of_a_line = actors::log_text::most_line_bytes + 100;

void check_text(std::string_view text) {
  for (std::size_t line = 0; !text.empty();) {
    auto length = actors::first_utf8_character_length(text);
    require(length > 0, "what is shown of a log is UTF-8");
    line = text[0] == '\n' || text[0] == '\r' ? 0 : line + length;
    require(line <= most_of_a_line, "no line is longer than it may be");
    text.remove_prefix(length);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  fuzz::fuzz_input input{data, size};
  auto seed = input.take_byte();
  auto whole = text_of({input.rest()});
  check_text(whole);
  require(text_of(fuzz::cut(input.rest(), seed)) == whole,
          "same text whatever the pieces");
  return 0;
}
