#pragma once

#include "tests/exploration/encoder.hpp"

#include <array>
#include <vector>

namespace troupe::exploration {

/// A set of fingerprints in 16 bytes each, and a quarter of that free. It grows
/// by parts, so that no second table of all is needed for it.
class fingerprint_set {
public:
  /// Whether it was not there.
  bool insert(fingerprint f) {
    auto& s = shards_[f.high >> 56U];
    if (s.size + s.size / 7 >= s.places.size())
      grow(s);
    if (!insert_into(s.places, f))
      return false;
    ++s.size;
    ++size_;
    return true;
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& s : shards_)
      sum += s.places.size() * sizeof(fingerprint);
    return sum;
  }

private:
  struct shard {
    std::vector<fingerprint> places;
    std::size_t size = 0;
  };

  /// 0 is no fingerprint of a state: its place would be free.
  static bool insert_into(std::vector<fingerprint>& places, fingerprint f) {
    __extension__ using wide = unsigned __int128;
    auto i = static_cast<std::size_t>((wide{f.low} * places.size()) >> 64U);
    for (;; i = i + 1 == places.size() ? 0 : i + 1) {
      if (places[i] == fingerprint{}) {
        places[i] = f;
        return true;
      }
      if (places[i] == f)
        return false;
    }
  }

  static void grow(shard& s) {
    std::vector<fingerprint> larger(16 + s.places.size() + s.places.size() / 3);
    for (const auto& f : s.places)
      if (!(f == fingerprint{}))
        insert_into(larger, f);
    s.places = std::move(larger);
  }

  std::array<shard, 256> shards_;
  std::size_t size_ = 0;
};

} // namespace troupe::exploration
