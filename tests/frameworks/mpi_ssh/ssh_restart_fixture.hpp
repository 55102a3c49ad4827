#pragma once

#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

// MPIJobs of v2beta1 with a policy on failures, and what they have by attempt.

namespace troupe::fixtures {

inline const std::string launcher_uid = "uid-of-pi-launcher";

inline json with_policy(json policy, json spec = ssh_spec()) {
  spec["runPolicy"]["failurePolicy"] = std::move(policy);
  return spec;
}

inline json scope_job() {
  return with_policy({{"restartScope", "Job"}});
}

inline json rule(const char* action, const char* type = "Launcher") {
  return {{"action", action},
          {"onExitCodes", {{"operator", "In"}, {"values", {2}}}},
          {"targetReplicaTypes", {type}}};
}

inline std::string of_attempt(const std::string& name, int attempt) {
  return name + "-" + std::to_string(attempt);
}

inline child_builder worker_of(int index, int attempt,
                               std::uint64_t version = 1) {
  auto w = ready_worker(index);
  w.uid(of_attempt("worker-" + std::to_string(index), attempt))
      .of_attempt(attempt)
      .version(static_cast<std::uint64_t>(attempt) * 100 + version);
  return w;
}

/// A job of which all that it needs can be shown, by attempt.
struct restarted_job : ssh_job_fixture {
  explicit restarted_job(const json& spec)
      : ssh_job_fixture{spec} {
    seen.set_keeps_lost_pods(
        j.failure_policy_or_default().may_restart_beyond_pod(), "launcher");
    see_objects_for_pods();
  }

  void see_job(int attempt, k8s::batch_job_state state = {},
               std::uint64_t version = 1, bool deleted = false) {
    auto o = launcher_job(j, std::move(state),
                          static_cast<std::uint64_t>(attempt) * 100 + version);
    o.meta.uid = of_attempt(launcher_uid, attempt);
    o.meta.labels[core::label::restart_attempt] = std::to_string(attempt);
    if (deleted)
      o.meta.deleted = base_time;
    see(core::child_kind::launcher_job, o);
  }

  void see_pod(int attempt, k8s::pod_phase phase, std::uint64_t version = 1,
               int exit_code = 0) {
    auto o = launcher_pod(j, phase, std::to_string(attempt),
                          static_cast<std::uint64_t>(attempt) * 100 + version);
    o.meta.labels[core::label::restart_attempt] = std::to_string(attempt);
    o.meta.owners.front().uid = of_attempt(launcher_uid, attempt);
    auto& state = std::get<k8s::pod_state>(o.state);
    if (phase == k8s::pod_phase::failed) {
      k8s::container_status c;
      c.name = "mpi";
      c.state = k8s::container_status::state_kind::terminated;
      c.exit_code = exit_code;
      state.containers.push_back(c);
    }
    see(core::child_kind::pod, o);
  }

  void all_run(int attempt) {
    observe({worker_of(0, attempt), worker_of(1, attempt)});
    see_job(attempt);
    see_pod(attempt, k8s::pod_phase::running);
    pass_and_save();
  }

  void forget_job(int attempt) {
    seen.record_deleted(core::child_kind::launcher_job,
                        of_attempt(launcher_uid, attempt));
  }
  void forget_pod(int attempt) {
    seen.record_deleted(core::child_kind::pod,
                        "uid-of-pi-launcher-" + std::to_string(attempt));
  }
  void forget_workers(int attempt) {
    for (const char* w : {"worker-0", "worker-1"})
      seen.record_deleted(core::child_kind::pod, of_attempt(w, attempt));
  }
  void forget_all(int attempt) {
    accept_deletions();
    forget_job(attempt);
    forget_pod(attempt);
    forget_workers(attempt);
  }
  /// As the supervisor does before each pass.
  void next_pass() {
    seen.forget_settled_lost_pods(j, *saved.recovery);
    pass_and_save();
  }

  int attempt() const { return status.recovery->attempt; }
  int counted() const { return status.recovery->counted; }
};

/// All of attempt 0 runs, and that is saved.
inline restarted_job running_job(const json& spec = scope_job()) {
  restarted_job s{spec};
  s.all_run(0);
  BOOST_TEST(s.conditions() == "Created Running");
  return s;
}

inline k8s::batch_job_state failed_job() {
  k8s::batch_job_state state;
  state.failed = true;
  state.failed_pods = 1;
  state.failed_reason = "BackoffLimitExceeded";
  state.started = state.ended = base_time;
  return state;
}

inline k8s::batch_job_state complete_job() {
  k8s::batch_job_state state;
  state.complete = true;
  state.started = state.ended = base_time;
  return state;
}

inline const strings deletions_of_all{"delete launcher job pi-launcher",
                                      "delete pod pi-worker-0",
                                      "delete pod pi-worker-1"};
inline const strings creations_of_workers{"create pod worker-0",
                                          "create pod worker-1"};
inline const strings creation_of_launcher{"create launcher job pi-launcher"};
inline const strings nothing;

} // namespace troupe::fixtures
