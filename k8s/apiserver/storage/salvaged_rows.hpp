#pragma once

#include <cstdint>
#include <map>
#include <sqlite3.h>
#include <string>
#include <utility>

namespace troupe::k8s::apiserver {

// What can be read of the table of objects in a file whose pages are damaged.

struct salvaged_row {
  std::string bucket, key, value;
};
using salvaged_rows =
    std::map<std::int64_t, salvaged_row>; ///< By their numbers: their order.

/// The objects that the table's index names, as far as that can be read.
struct salvaged_index {
  /// (bucket, key) -> the row's number.
  std::map<std::pair<std::string, std::string>, std::int64_t> numbers;
  bool is_whole = false; ///< It was read to its end.
};
salvaged_index read_salvaged_index(sqlite3* d);

/// Reads the table from both ends, then the rows whose numbers the index tells,
/// and then looks between what cannot be read. Numbers may be far apart: each
/// change of an object gives it a new one.
salvaged_rows read_salvaged_rows(sqlite3* d, const salvaged_index& index);

} // namespace troupe::k8s::apiserver
