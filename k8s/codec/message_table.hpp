#pragma once

#include <string_view>

namespace troupe::k8s {

/// The version of Kubernetes whose definitions are in message_table, such as
/// "1.37.2".
extern const std::string_view kubernetes_version;

/// The messages that built-in resources consist of, as text that find_message
/// reads. Written by generate_messages.py from what Kubernetes publishes.
///
/// A message, with `!` if it is atomic, and its fields: number, name, type.
/// Before a type stand `!` for atomic, or `~` for granular; `map:`; for a list
/// `*`, `*=` for a set, or `*key,key=` for one merged by keys. Behind it stand
/// `?` if zero means unset, or `=` and the default.
extern const std::string_view message_table;

} // namespace troupe::k8s
