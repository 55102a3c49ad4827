#pragma once

#include <functional>
#include <string_view>

namespace troupe::k8s {

// Cuts JSON text of any depth into its parts without reading them, without
// recursion and without memory. So one unreadable part does not make the others
// unreadable. Inside a part only strings and brackets are looked at.

/// Calls `f` for each member of the JSON object `text`, in order, with its key
/// as it is written (without the quotes), and its value without the space
/// around it. False if `text` is not one complete object; `f` may have been
/// called even then.
bool for_each_json_member(
    std::string_view text,
    const std::function<void(std::string_view key, std::string_view value)>& f);

/// The value of the first member whose key is written like `key`; a view whose
/// data pointer is null if there is none. The text behind the value is not
/// looked at.
std::string_view find_json_member(std::string_view text, std::string_view key);

/// The same for the elements of an array.
bool for_each_json_element(std::string_view text,
                           const std::function<void(std::string_view)>& f);

} // namespace troupe::k8s
