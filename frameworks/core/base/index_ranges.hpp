#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::core {

/// A set of indices that is small where they are consecutive. As text, like
/// completedIndexes of an indexed Job: "0-3,7".
class index_ranges {
public:
  /// Does nothing if it is negative.
  void insert(std::int32_t index);
  bool contains(std::int32_t index) const;
  bool is_empty() const { return ranges_.empty(); }
  /// How many of them are less than `end`.
  std::int32_t count_below(std::int32_t end) const;

  std::string text() const;
  /// nullopt: no such text, or it names indices out of order, or more than
  /// 10,000 ranges.
  static std::optional<index_ranges> parse(std::string_view text);

  friend bool operator==(const index_ranges& a, const index_ranges& b);
  friend bool operator!=(const index_ranges& a, const index_ranges& b) {
    return !(a == b);
  }

private:
  struct range {
    std::int32_t first;
    std::int32_t last;
  };

  std::vector<range> ranges_; ///< In order, with gaps in between.
};

} // namespace troupe::core
