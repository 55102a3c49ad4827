#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s {

/// A compiled regular expression in Go's syntax, as the schemas of API servers
/// have it. Matching takes time in proportion to the text, whatever the
/// expression is.
class text_pattern;

struct compiled_pattern {
  /// nullptr if the expression cannot be compiled.
  std::shared_ptr<const text_pattern> pattern;
  /// Then this says what is wrong, in the words of API servers.
  std::string error;
};

/// The steps of the largest pattern that is compiled, as step_count counts
/// them.
constexpr std::size_t max_pattern_steps = 10'000;

/// With fewer steps it takes less memory, too: a hundred bytes for each, most
/// of them while it matches.
compiled_pattern
compile_text_pattern(const std::string& expression,
                     std::size_t max_steps = max_pattern_steps);

/// The number of steps of which a pattern consists. A match takes at most this
/// number for each byte of the text.
std::size_t step_count(const text_pattern& pattern);

/// How many bytes it may take, compiled and while it matches.
std::size_t memory_limit(const text_pattern& pattern);

/// Whether a part of the text matches.
bool matches_part_of_text(const text_pattern& pattern, const std::string& text);

/// The names of its groups, in their order; "" for one without a name.
std::vector<std::string> group_names(const text_pattern& pattern);

/// What the groups have in the first part of the text that matches, in the
/// order of group_names; empty for a group that took no part. nullopt: no part
/// matches.
std::optional<std::vector<std::string_view>>
find_groups(const text_pattern& pattern, std::string_view text);

} // namespace troupe::k8s
