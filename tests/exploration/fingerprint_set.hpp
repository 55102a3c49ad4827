#pragma once

#include "tests/exploration/encoder.hpp"

#include <vector>

namespace troupe::exploration {

/// A set of fingerprints in 16 bytes each, and a third of that free.
class fingerprint_set {
public:
  /// Whether it was not there.
  bool insert(fingerprint f) {
    if (3 * (size_ + 1) > 2 * places_.size())
      grow();
    if (!insert_into(places_, f))
      return false;
    ++size_;
    return true;
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return places_.size() * sizeof(fingerprint); }

private:
  /// 0 is no fingerprint of a state: its place would be free.
  static bool insert_into(std::vector<fingerprint>& places, fingerprint f) {
    auto mask = places.size() - 1;
    for (auto i = f.low & mask;; i = (i + 1) & mask) {
      if (places[i] == fingerprint{}) {
        places[i] = f;
        return true;
      }
      if (places[i] == f)
        return false;
    }
  }

  void grow() {
    std::vector<fingerprint> larger(
        std::max<std::size_t>(1024, 2 * places_.size()));
    for (const auto& f : places_)
      if (!(f == fingerprint{}))
        insert_into(larger, f);
    places_ = std::move(larger);
  }

  std::vector<fingerprint> places_;
  std::size_t size_ = 0;
};

} // namespace troupe::exploration
