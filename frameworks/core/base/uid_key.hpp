#pragma once

#include "frameworks/core/base/shared_value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace troupe::core {

/// A UID where there are thousands. The API server's are UUIDs, which take two
/// words; any other text is kept as it is. Keys are equal if the texts are, and
/// UUIDs have the order of their texts.
class uid_key {
public:
  uid_key() = default;
  uid_key(const std::string& uid);

  std::string text() const;

  bool operator==(const uid_key& other) const {
    return high_ == other.high_ && low_ == other.low_ && text_ == other.text_;
  }
  bool operator<(const uid_key& other) const {
    return std::tie(high_, low_, *text_)
           < std::tie(other.high_, other.low_, *other.text_);
  }

  struct hash {
    std::size_t operator()(const uid_key& key) const;
  };

private:
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
  shared_value<std::string> text_; ///< Unset for a UUID.
};

} // namespace troupe::core
