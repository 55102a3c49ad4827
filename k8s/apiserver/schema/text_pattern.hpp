#pragma once

#include <memory>
#include <string>

namespace troupe::k8s::apiserver {

/// A compiled regular expression, of a schema's `pattern`, in Go's syntax, as
/// API servers have it. Matching takes time in proportion to the text, whatever
/// the expression is.
class text_pattern;

struct compiled_pattern {
  /// nullptr if there is none.
  std::shared_ptr<const text_pattern> pattern;
  /// Then this is what is wrong, as API servers say it.
  std::string error;
};

/// Of the largest pattern that is compiled, as step_count counts them.
constexpr std::size_t max_pattern_steps = 10'000;

compiled_pattern compile_text_pattern(const std::string& expression);

/// Of how many steps a pattern consists. A matching takes at most so many for
/// each byte of the text.
std::size_t step_count(const text_pattern& pattern);

/// Whether a part of the text matches.
bool matches(const text_pattern& pattern, const std::string& text);

} // namespace troupe::k8s::apiserver
