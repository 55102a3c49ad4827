#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::core {

/// An amount of a resource as Kubernetes writes it ("500m", "1.5", "2Gi",
/// "1e3"), down to a billionth.
class quantity {
public:
  /// nullopt if the text is no quantity, or an amount far beyond any cluster.
  static std::optional<quantity> parse(const std::string& text);

  /// The sum is written like the first amount that is not zero.
  quantity& operator+=(const quantity& more);

  quantity& operator*=(std::int32_t times);

  bool operator<(const quantity& other) const {
    return billionths_ < other.billionths_;
  }

  bool is_zero() const { return billionths_ == 0; }

  /// The smallest integer that is not less: 2 for "1500m".
  std::int64_t round_up() const;

  /// The shortest exact notation: "1500m", "3Gi".
  std::string to_text() const;

private:
  __extension__ using amount = __int128;

  amount billionths_ = 0;
  bool binary_ = false; ///< Written with Ki, Mi, ...
};

} // namespace troupe::core
