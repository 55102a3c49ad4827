#pragma once

#include <string_view>

namespace troupe::k8s {

/// The messages of Kubernetes 1.34 that built-in resources consist of, as
/// text that find_message reads:
///
/// A message, with `!` if it is atomic, and its fields: number, name, type.
/// Before a type stand `!` for atomic, or `~` for not so; `map:`; for a list
/// `*`, `*=` for a set, or `*key,key=` for one merged by keys. Behind it `?`
/// where zero is nothing, or `=` and the default.
extern const std::string_view message_table;

} // namespace troupe::k8s
