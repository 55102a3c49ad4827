#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace troupe::k8s {

/// The depth to which parse_json reads in general. No manifest is deeper;
/// deeper text would only serve to exhaust the stack.
inline constexpr std::size_t usual_json_depth = 200;

/// An API server reads JSON to a depth of 10,000, so stored objects can be that
/// deep; a review has a few levels around them.
inline constexpr std::size_t stored_json_depth = 10'100;

/// The depth to which parse_json reads on this thread.
std::size_t json_depth_limit_of_this_thread();

/// Calls `work` on a thread that reads JSON to `stored_json_depth` and has
/// enough stack to walk through it (on the caller's thread, at its depth, if no
/// thread can be made). One call runs at a time; the caller waits for it. An
/// exception of `work` is rethrown.
void run_on_deep_json_thread(const std::function<void()>& work);

/// How deep the objects and arrays of a JSON text are nested: 0 for a number, 1
/// for {} and [1], 2 for [[]]. For text that is not JSON, some number. Takes no
/// stack.
std::size_t nesting_depth(std::string_view text);

/// The same, or the depth of a string in the text that is JSON itself,
/// whichever is deeper. Other strings count as some number.
std::size_t nesting_depth_with_strings(std::string_view text);

} // namespace troupe::k8s
