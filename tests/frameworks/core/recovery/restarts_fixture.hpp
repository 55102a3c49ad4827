#pragma once

#include "tests/fixtures/builders.hpp"

namespace troupe::fixtures {

/// A job of workers that is restarted as a whole, and its pods by attempt.
struct restarts_fixture : job_fixture {
  explicit restarts_fixture(int workers = 2,
                            json policy = {{"restartScope", "Job"}})
      : job_fixture(
          make_job().failure_policy(std::move(policy)).workers(workers)) {
    all_services();
  }

  static child_builder worker(int index, int attempt) {
    return pod_of_attempt("worker", index, attempt);
  }

  void run_all(int attempt) {
    for (int i = 0; i < j.replicas.front().replicas; ++i)
      observe(worker(i, attempt).running());
  }

  /// All pods of the attempt run, and worker 1 has failed after a minute.
  void run_and_fail(int attempt = 0) {
    run_all(attempt);
    pass_and_save();
    observe(worker(1, attempt)
                .ran(now - std::chrono::seconds{60}, std::chrono::seconds{60})
                .failed(137)
                .version(10 + static_cast<std::uint64_t>(attempt)));
  }

  /// As if the server had answered each deletion: they end at this time.
  void accept_deletions(k8s::time_point leaves_by, const char* node = "") {
    for (const auto& d : last.decisions)
      if (const auto* deletion = std::get_if<core::delete_child>(&d)) {
        seen.mark_delete_accepted(deletion->kind, deletion->uid);
        if (deletion->kind != core::child_kind::pod)
          continue;
        auto& v = view(deletion->uid);
        v.terminating = true;
        v.leaves_by = leaves_by;
        auto t = std::make_shared<core::pod_trouble>();
        t->node = *node ? node : "n" + std::to_string(v.at.index);
        v.trouble = std::move(t);
      }
  }

  core::child_view& view(const std::string& uid) {
    auto i = seen.pods().find(core::uid_key{uid});
    return const_cast<core::child_view&>(*i);
  }
};

} // namespace troupe::fixtures
