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

/// The places of a job's pods.
struct pod_places {
  std::vector<std::string> names; ///< Of the pods, by slot.
  /// Slots that may change places: nothing that the operator does depends on
  /// which of them is which. Each is in one group.
  std::vector<std::vector<int>> groups;
};

/// Writes a state so that states are equal in it if they differ only in
/// numbers that are made up as needed: of versions and of pods, times, and
/// which of the slots of a group is which. Such a number is replaced by its
/// rank among those that it can be compared with.
///
/// A state is written in parts: one of the job, and one of each slot. Those of
/// a group are sorted, so everything that tells slots apart is in these parts.
class encoder {
public:
  static constexpr std::size_t most_slots = 6;
  static constexpr std::size_t most_fields = 16; ///< With times.

  /// Begins anew.
  void reset(const pod_places& places, k8s::time_point now);

  /// While it is there, what is written is about this slot; -1: the job. The
  /// tag says what it is, of several things that follow one another.
  class part {
  public:
    part(encoder& e, int slot, std::uint64_t tag)
        : e_(e)
        , before_(e.at_) {
      e.at_ = static_cast<std::size_t>(slot + 1);
      e.byte(tag);
    }
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part() { e_.at_ = before_; }

  private:
    encoder& e_;
    std::size_t before_;
  };

  void byte(std::uint64_t n) { parts_[at_] += static_cast<char>(n); }
  void number(std::uint64_t n);
  void text(std::string_view s);
  /// A text that may name pods.
  void naming_text(std::string_view s);

  /// Of an object that has the name of this slot's pod.
  void version(std::uint64_t v) { ranked(at_, v); }
  void job_version(std::uint64_t v) { ranked(0, v); }
  /// Of a list of pods: is compared with those of all slots.
  void list_version(std::uint64_t v);
  /// Of a pod of this slot.
  void pod(int number);
  /// Writes the tag if this number of a pod was written, in this state. The
  /// slot's part must not be open.
  void pod_if_written(int slot, int number, std::uint64_t tag);
  /// Only its order among the times of this field counts, in all statuses of a
  /// state, and whether it is now: no decision compares the times of two fields
  /// that have passed.
  void moment(std::size_t field, k8s::time_point t);
  /// How far it is ahead; all that are not are equal.
  void due(k8s::time_point t);
  /// How long ago it was; all that are older than `most` are equal.
  void age(k8s::time_point t, k8s::time_point::duration most);

  fingerprint finish();
  /// The text of which finish() has made the hash.
  const std::string& bytes() const { return all_; }

private:
  // Domains of ranks: versions of the job, those of each slot's pods; numbers
  // of each slot's pods; times of each field.
  static constexpr std::size_t first_number = most_slots;
  static constexpr std::size_t times = first_number + 1 + most_slots;
  static constexpr std::size_t domains = times + most_fields;

  struct entry {
    std::uint64_t value;
    std::uint32_t part;
    std::uint32_t place;
  };

  void ranked(std::size_t domain, std::uint64_t value);
  void replace_by_ranks();
  void sort_groups();

  const pod_places* places_ = nullptr;
  k8s::time_point now_{};
  std::size_t at_ = 0;      ///< Which part is written.
  std::uint64_t names_ = 0; ///< Of pods, that were written.
  std::array<std::string, 1 + most_slots> parts_;
  std::array<std::vector<entry>, domains> ranked_;
  std::vector<std::uint64_t> values_;
  std::string all_;
};

} // namespace troupe::exploration
