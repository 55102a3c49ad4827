#include "k8s/text_pattern.hpp"

#include <algorithm>
#include <optional>
#include <re2/re2.h>
#include <string_view>

namespace troupe::k8s {

class text_pattern {
public:
  text_pattern(const std::string& expression, std::size_t max_steps)
      : compiled{expression, options(max_steps)} {}

  re2::RE2 compiled;

private:
  static re2::RE2::Options options(std::size_t max_steps) {
    // Of two thirds, a quarter is for the compiled form, where a step takes 16
    // bytes. The rest is for what it remembers while it matches.
    constexpr std::size_t bytes_per_step = 105;
    re2::RE2::Options o{re2::RE2::Quiet};
    o.set_max_mem(static_cast<std::int64_t>(max_steps * bytes_per_step));
    return o;
  }
};

namespace {

// What Go calls the mistakes that RE2 finds.
const char* name_of_mistake(re2::RE2::ErrorCode code) {
  switch (code) {
  case re2::RE2::ErrorBadEscape:
    return "invalid escape sequence";
  case re2::RE2::ErrorBadCharClass:
    return "invalid character class";
  case re2::RE2::ErrorBadCharRange:
    return "invalid character class range";
  case re2::RE2::ErrorMissingBracket:
    return "missing closing ]";
  case re2::RE2::ErrorMissingParen:
    return "missing closing )";
  case re2::RE2::ErrorUnexpectedParen:
    return "unexpected )";
  case re2::RE2::ErrorTrailingBackslash:
    return "trailing backslash at end of expression";
  case re2::RE2::ErrorRepeatArgument:
    return "missing argument to repetition operator";
  case re2::RE2::ErrorRepeatSize:
    return "invalid repeat count";
  case re2::RE2::ErrorRepeatOp:
    return "invalid nested repetition operator";
  case re2::RE2::ErrorBadPerlOp:
    return "invalid or unsupported Perl syntax";
  case re2::RE2::ErrorBadUTF8:
    return "invalid UTF-8";
  case re2::RE2::ErrorBadNamedCapture:
    return "invalid named capture";
  default:
    return "expression too large";
  }
}

std::string pattern_error_text(const char* name, const std::string& where) {
  return std::string("error parsing regexp: ") + name + ": `" + where + "`";
}

/// How long the class is that begins here: [a], []], [^]], [[:alpha:]].
std::size_t character_class_length(std::string_view text) {
  std::size_t at = text.substr(1, 1) == "^" ? 2 : 1;
  for (bool is_first = true; at < text.size(); is_first = false) {
    if (text[at] == ']' && !is_first)
      return at + 1;
    auto end = text.substr(at, 2) == "[:" ? text.find(":]", at) : text.npos;
    at = end != text.npos ? end + 2 : at + (text[at] == '\\' ? 2 : 1);
  }
  return text.size();
}

/// How long what begins here is: a quotation, an escape, a class, or a byte.
std::size_t regex_element_length(std::string_view text) {
  if (text.substr(0, 2) == "\\Q")
    return std::min(text.find("\\E"), text.size());
  if (text[0] == '\\')
    return std::min<std::size_t>(2, text.size());
  return text[0] == '[' ? character_class_length(text) : 1;
}

bool begins_named_group(std::string_view text) {
  return text.substr(0, 3) == "(?<" && text.size() > 3 && text[3] != '='
         && text[3] != '!';
}

/// The expression where RE2's syntax is not Go's: there (?<name>...) is a
/// group, too, and \C is nothing (nullopt).
std::optional<std::string> to_re2_syntax(std::string_view expression) {
  std::string out;
  while (!expression.empty()) {
    bool is_group = begins_named_group(expression);
    auto length = is_group ? 3 : regex_element_length(expression);
    auto element = expression.substr(0, length);
    if (element == "\\C")
      return std::nullopt;
    out += is_group ? "(?P<" : element;
    expression.remove_prefix(length);
  }
  return out;
}

} // namespace

compiled_pattern compile_text_pattern(const std::string& expression,
                                      std::size_t max_steps) {
  auto text = to_re2_syntax(expression);
  if (!text)
    return {nullptr, pattern_error_text("invalid escape sequence", "\\C")};
  auto pattern = std::make_shared<const text_pattern>(*text, max_steps);
  const auto& compiled = pattern->compiled;
  if (!compiled.ok() && compiled.error_code() != re2::RE2::ErrorPatternTooLarge)
    return {nullptr, pattern_error_text(name_of_mistake(compiled.error_code()),
                                        compiled.error_arg())};
  if (!compiled.ok() || step_count(*pattern) > max_steps)
    return {nullptr, "expression too large: it may have "
                         + std::to_string(max_steps) + " steps; repeat less"};
  return {std::move(pattern), {}};
}

std::size_t step_count(const text_pattern& pattern) {
  return static_cast<std::size_t>(std::max(pattern.compiled.ProgramSize(), 1));
}

std::size_t memory_limit(const text_pattern& pattern) {
  return static_cast<std::size_t>(pattern.compiled.options().max_mem());
}

bool matches_part_of_text(const text_pattern& pattern,
                          const std::string& text) {
  return re2::RE2::PartialMatch(text, pattern.compiled);
}

std::vector<std::string> group_names(const text_pattern& pattern) {
  const auto& compiled = pattern.compiled;
  std::vector<std::string> out(static_cast<std::size_t>(
      std::max(compiled.NumberOfCapturingGroups(), 0)));
  for (const auto& [number, name] : compiled.CapturingGroupNames())
    out[static_cast<std::size_t>(number - 1)] = name;
  return out;
}

std::optional<std::vector<std::string_view>>
find_groups(const text_pattern& pattern, std::string_view text) {
  const auto& compiled = pattern.compiled;
  // The first one is the whole match.
  const auto count = std::max(compiled.NumberOfCapturingGroups(), 0) + 1;
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(count));
  if (!compiled.Match({text.data(), text.size()}, 0, text.size(),
                      re2::RE2::UNANCHORED, found.data(), count))
    return std::nullopt;
  std::vector<std::string_view> out;
  for (auto i = found.begin() + 1; i != found.end(); ++i)
    out.push_back(i->data() ? std::string_view{i->data(), i->size()}
                            : std::string_view{});
  return out;
}

} // namespace troupe::k8s
