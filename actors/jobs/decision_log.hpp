#pragma once

#include "k8s/objects.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// The last decisions about one job, as texts for people. Bounded; the texts
/// are in one string, because there is a log for each of thousands of jobs. A
/// value.
class decision_log {
public:
  static constexpr std::size_t most_notes = 40;

  struct note {
    k8s::time_point at;
    std::string_view text; ///< Valid until the next call of add().
  };

  /// Adds a note; the oldest is dropped if there are too many.
  void add(k8s::time_point at, std::string_view text);

  /// Oldest first.
  std::vector<note> notes() const;

private:
  struct entry {
    k8s::time_point at;
    std::size_t size; ///< Of its text.
  };

  std::vector<entry> entries_;
  std::string texts_; ///< One after the other.
};

} // namespace troupe::actors
