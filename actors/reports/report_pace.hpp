#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace troupe::actors {

/// Which reports of a pod come too early. A pod may report once a second, and
/// three times at once after a rest: programs report their last step and then
/// their end. A value; time is an argument.
class report_pace {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds interval{1};
  static constexpr int most_at_once = 3;
  /// With more, those that rest are forgotten; if none does, no other pod may
  /// report.
  static constexpr std::size_t most_pods = 8'192;

  /// Whether a report may be taken now; if so, it counts.
  bool admit(const std::string& pod_uid, time_point now);

  /// What this pod sent was taken, with this token or its audience.
  void note_taken(const std::string& pod_uid, const std::string& with);
  /// Whether it was the last that was taken, and the pod is still known.
  bool was_taken(const std::string& pod_uid, const std::string& with) const;

  std::size_t known_pods() const { return pods_.size(); }

private:
  struct known_pod {
    time_point rested_at; ///< When it has rested from what it has reported.
    std::string with;     ///< Its last report was taken.
  };

  std::unordered_map<std::string, known_pod> pods_; ///< By UID.
  time_point forgot_at_{};
};

} // namespace troupe::actors
