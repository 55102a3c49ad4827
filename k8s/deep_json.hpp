#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace troupe::k8s {

/// What parse_json reads at most, in general: deeper nesting than any manifest
/// has would only serve to exhaust the stack.
inline constexpr std::size_t usual_json_depth = 200;

/// An API server reads JSON to a depth of 10,000, so it can store as much; a
/// review has a few levels around that.
inline constexpr std::size_t stored_json_depth = 10'100;

/// What parse_json reads at most on this thread.
std::size_t readable_json_depth();

/// Calls `work` on a thread that reads JSON to `stored_json_depth` and has the
/// stack to walk through it; one at a time, while the caller waits. What `work`
/// throws is thrown.
void with_deep_json(const std::function<void()>& work);

/// How many objects and arrays of a JSON text are inside each other at the
/// deepest place: 0 for a number, 1 for {} and [1], 2 for [[]]. Of what is no
/// JSON, some number. Takes no stack.
std::size_t nesting_depth(std::string_view text);

/// The same, or that of a string in the text which is JSON itself, whichever is
/// deeper. Of other strings, some number.
std::size_t nesting_depth_with_strings(std::string_view text);

} // namespace troupe::k8s
