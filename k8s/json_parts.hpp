#pragma once

#include <functional>
#include <string_view>

namespace troupe::k8s {

// Cuts JSON text into its parts without reading them: of any depth, without
// recursion and without memory. So one part that cannot be read does not make
// the others unreadable. Inside a part only strings and brackets are looked at.

/// Calls `f` for each member of the object that `text` is, in order, with its
/// key as it is written (without the quotes). False if `text` is no object, or
/// not to its end; `f` may have been called then.
bool for_each_json_member(
    std::string_view text,
    const std::function<void(std::string_view key, std::string_view value)>& f);

/// The value of the first member of an object whose key is written so; without
/// a data pointer if there is none. What is behind it is not looked at.
std::string_view find_json_member(std::string_view text, std::string_view key);

/// The same for the elements of an array.
bool for_each_json_element(std::string_view text,
                           const std::function<void(std::string_view)>& f);

} // namespace troupe::k8s
