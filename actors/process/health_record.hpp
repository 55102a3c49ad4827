#pragma once

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace troupe::actors {

/// Decides whether the operator works, from reports of the root that come every
/// few seconds. A value. An API server that is away is a problem of neither
/// kind.
class health_record {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// An actor that has not answered for so long is stuck. This is much longer
  /// than a busy actor takes, because the process is restarted for it.
  static constexpr std::chrono::seconds silence_limit{90};
  /// A watch may be missing for so long while the API server answers.
  static constexpr std::chrono::seconds watch_limit{60};

  explicit health_record(time_point now)
      : asked_at_(now) {}

  /// The report of the root (own_report) with those of its children; null if
  /// the root did not answer.
  void on_report(const nlohmann::json& report, time_point now);

  /// Why the process must be restarted: the root or one of its actors does not
  /// answer, or the monitor no longer asks. "": no reason.
  std::string liveness_problem(time_point now) const;

  /// Why the operator cannot do its work: the API server answers, but has
  /// accepted no watch of some kind. "": no reason.
  const std::string& readiness_problem() const { return readiness_problem_; }

private:
  struct silence {
    std::string name;
    time_point since;
  };

  time_point asked_at_;                     ///< When a report was asked for.
  std::map<std::uint64_t, silence> silent_; ///< By actor; 0: the root.
  std::string readiness_problem_;
};

} // namespace troupe::actors
