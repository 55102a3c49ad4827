#pragma once

#include <cstdint>
#include <map>
#include <sqlite3.h>
#include <string>
#include <utility>

namespace troupe::k8s::apiserver {

// Reads the table of objects from a file whose pages are damaged, as far as
// that is possible.

struct salvaged_row {
  std::string bucket, key, value;
};
/// By their numbers, which give their order.
using salvaged_rows = std::map<std::int64_t, salvaged_row>;

/// The objects that the table's index names, as far as that can be read.
struct salvaged_index {
  /// (bucket, key) -> the row's number.
  std::map<std::pair<std::string, std::string>, std::int64_t> numbers;
  bool is_whole = false; ///< It was read to its end.
};
salvaged_index read_salvaged_index(sqlite3* d);

/// Reads the table from both ends, then the rows whose numbers are in the
/// index, and then looks for rows between those that cannot be read. Numbers
/// may be far apart: each change of an object gives it a new one.
salvaged_rows read_salvaged_rows(sqlite3* d, const salvaged_index& index);

} // namespace troupe::k8s::apiserver
