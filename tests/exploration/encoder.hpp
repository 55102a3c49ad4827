#pragma once

#include "k8s/objects.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::exploration {

struct fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  bool operator==(const fingerprint& other) const {
    return high == other.high && low == other.low;
  }
};

/// Writes a state so that states are equal in it if they differ only in
/// numbers that are made up as needed: of versions and of pods, and times.
/// Such a number is replaced by its rank among those that it can be compared
/// with.
class encoder {
public:
  static constexpr std::size_t most_slots = 6;
  static constexpr std::size_t most_fields = 16; ///< With times.

  /// Begins anew.
  void reset(k8s::time_point now);

  void byte(std::uint64_t n) { out_ += static_cast<char>(n); }
  void number(std::uint64_t n);
  void text(std::string_view s);
  /// Of an object that has the name of this slot's pod.
  void version(int slot, std::uint64_t v) { ranked(1 + slot, v); }
  void job_version(std::uint64_t v) { ranked(0, v); }
  /// Of a list of pods: is compared with those of all slots.
  void list_version(std::uint64_t v);
  void pod(int slot, int number);
  /// Only its order among the times of this field counts, in all statuses of a
  /// state, and whether it is now: no decision compares the times of two fields
  /// that have passed.
  void moment(std::size_t field, k8s::time_point t);
  /// How far it is ahead; all that are not are equal.
  void due(k8s::time_point t);
  /// How long ago it was; all that are older than `most` are equal.
  void age(k8s::time_point t, k8s::time_point::duration most);

  fingerprint finish();
  /// The text of which finish() makes the hash.
  const std::string& bytes() const { return out_; }

private:
  // Domains of ranks: versions of the job, those of each slot's pods; numbers
  // of each slot's pods; times of each field.
  static constexpr std::size_t first_number = 1 + most_slots;
  static constexpr std::size_t times = first_number + most_slots;
  static constexpr std::size_t domains = times + most_fields;

  struct entry {
    std::uint64_t value;
    std::size_t place;
  };

  void ranked(std::size_t domain, std::uint64_t value);

  k8s::time_point now_{};
  std::string out_;
  std::array<std::vector<entry>, domains> ranked_;
};

} // namespace troupe::exploration
