#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"
#include "tests/fixtures/builders.hpp"

namespace troupe::fixtures {

/// A job of two workers, and why it waits; base_time is 2026-02-02T02:40:00Z.
struct waiting_fixture : job_fixture {
  core::cluster_options cluster{};
  core::supervisor_state supervisor{};

  explicit waiting_fixture(core::job job = make_job().workers(2))
      : job_fixture(std::move(job)) {}

  std::optional<core::waiting_reason> reason() const {
    return core::find_waiting_reason(
        {&j, seen, open, status, cluster, supervisor, now});
  }

  /// "WHAT (WHOSE MOVE)", "" if the job waits for nothing.
  std::string answer() const {
    auto found = reason();
    return found ? describe_wait(*found, now) + " (" + found->who + ")" : "";
  }

  /// "ROW MOVER".
  std::string row() const {
    auto found = reason();
    return found ? std::string{found->row} + " " + to_string(found->whose_move)
                 : "";
  }
};

/// Of a job with these pods.
inline std::string answer_with_pods(const std::vector<child_builder>& pods) {
  waiting_fixture w;
  for (const auto& p : pods)
    w.observe(p);
  return w.answer();
}

} // namespace troupe::fixtures
