#include "tests/frameworks/mpi_ssh/ssh_restart_fixture.hpp"

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;
using k8s::pod_phase;

BOOST_AUTO_TEST_SUITE(ssh_policy_test)

namespace {

/// Another process, which has seen nothing and finds no launcher Job.
restarted_job begin_anew(const restarted_job& s) {
  restarted_job again{s};
  again.seen = {};
  again.seen.set_keeps_lost_pods(
      s.j.failure_policy_or_default().may_restart_beyond_pod(), "launcher");
  again.see_objects_for_pods();
  again.open = {};
  again.status = again.saved;
  again.seen.note_looked_up_in_vain(child_kind::launcher_job);
  return again;
}

json success_of_workers(json spec) {
  spec["runPolicy"]["successPolicy"] = {{"operator", "All"},
                                        {"targetReplicaTypes", {"Worker"}}};
  return spec;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_launcher_that_is_done_is_not_made_again) {
  for (const auto& spec : {ssh_spec(), scope_job()}) {
    auto s = running_job(success_of_workers(spec));
    s.see_pod(0, pod_phase::succeeded, 2);
    s.see_job(0, complete_job(), 2);
    s.next_pass();
    BOOST_TEST(s.conditions() == "Created Running");
    s.forget_job(0);
    s.forget_pod(0);
    auto again = begin_anew(s);
    again.observe({worker_of(0, 0), worker_of(1, 0)});
    for (auto* one : {&s, &again}) {
      one->next_pass();
      BOOST_TEST(one->decisions_on_pods() == nothing);
      BOOST_TEST(one->conditions() == "Created Running");
      BOOST_TEST(one->status.replicas["Launcher"].succeeded == 1);
      BOOST_TEST(one->attempt() == 0);
      one->observe(
          {worker_of(0, 0, 2).succeeded(), worker_of(1, 0, 2).succeeded()});
      one->next_pass();
      BOOST_TEST(one->conditions() == "Created Running=False Succeeded");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_launcher_whose_success_was_seen_ends_its_job) {
  auto s = running_job();
  s.see_pod(0, pod_phase::succeeded, 2);
  s.next_pass(); // Its Job does not say so yet.
  s.forget_job(0);
  auto again = begin_anew(s);
  for (auto* one : {&s, &again}) {
    one->next_pass();
    BOOST_TEST(one->conditions() == "Created Running=False Succeeded");
    BOOST_TEST(one->attempt() == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_restart_forgets_that_a_launcher_is_done) {
  auto s = running_job(success_of_workers(scope_job()));
  s.see_job(0, complete_job(), 2);
  s.next_pass();
  s.observe(worker_of(1, 0, 2).failed(137));
  s.next_pass();
  s.next_pass();
  s.forget_all(0);
  s.next_pass();
  s.observe({worker_of(0, 1), worker_of(1, 1)});
  s.next_pass();
  BOOST_TEST(s.attempt() == 1);
  BOOST_TEST(s.decisions_on_pods() == creation_of_launcher);
}

BOOST_AUTO_TEST_CASE(a_rule_fails_the_job_and_stops_its_launcher) {
  struct row {
    const char* scope;
    const char* clean;
    strings decisions;
  } rows[] = {{"Job", "All", deletions_of_all},
              {"Pod", "All", deletions_of_all},
              {"Job", "None", {}}};
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.scope << " " << r.clean) {
      auto spec = with_policy(
          {{"restartScope", r.scope}, {"rules", {rule("FailJob")}}});
      spec["runPolicy"]["cleanPodPolicy"] = r.clean;
      auto s = running_job(spec);
      s.see_pod(0, pod_phase::failed, 2, 2);
      s.next_pass();
      BOOST_TEST(s.conditions() == "Created Running=False Failed");
      BOOST_TEST(s.status.conditions.back().reason == "MPIJobFailed");
      BOOST_TEST(s.status.conditions.back().message
                 == "Job pi has failed because pod pi-launcher-0 failed with "
                    "exit code 2 (Error), by rule rules[0]");
      s.next_pass();
      auto left = s.decisions();
      BOOST_TEST(strings(left.begin(), left.end()).size()
                 == r.decisions.size());
      for (const auto& d : r.decisions)
        BOOST_TEST(std::count(left.begin(), left.end(), d) == 1);
    }
}

BOOST_AUTO_TEST_CASE(a_launcher_alone_is_replaced_by_another_job) {
  for (const char* action : {"RestartPod", "Ignore"})
    BOOST_TEST_CONTEXT(action) {
      auto s = running_job(
          with_policy({{"restartScope", "Job"}, {"rules", {rule(action)}}}));
      s.see_pod(0, pod_phase::failed, 2, 2);
      s.see_job(0, failed_job(), 2);
      s.next_pass();
      BOOST_TEST(s.decisions_on_pods() == nothing); // Its count is saved first.
      s.next_pass();
      BOOST_TEST(s.decisions_on_pods()
                 == strings{"delete launcher job pi-launcher"});
      s.accept_deletions();
      auto again = begin_anew(s);
      again.observe({worker_of(0, 0), worker_of(1, 0)});
      again.next_pass();
      BOOST_TEST(again.decisions_on_pods() == creation_of_launcher);
      BOOST_TEST(again.attempt() == 0);

      s.forget_job(0);
      s.next_pass();
      BOOST_TEST(s.decisions_on_pods() == nothing); // Its pod is left.
      s.forget_pod(0);
      s.next_pass();
      BOOST_TEST(s.decisions_on_pods() == creation_of_launcher);
      BOOST_TEST(s.attempt() == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_launcher_is_replaced_when_its_restart_is_counted) {
  auto spec =
      with_policy({{"restartScope", "Job"}, {"rules", {rule("RestartPod")}}});
  spec["runPolicy"]["backoffLimit"] = 1;
  auto s = running_job(spec);
  s.see_pod(0, pod_phase::failed, 2, 2);
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == nothing);
  BOOST_TEST(s.status.restarts.size() == 1u);
  s.save();
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"delete launcher job pi-launcher"});
  BOOST_TEST(s.conditions() == "Created Running");
}

BOOST_AUTO_TEST_CASE(a_used_up_budget_fails_the_job) {
  auto s =
      running_job(with_policy({{"restartScope", "Job"}, {"maxRestarts", 0}}));
  s.observe(worker_of(1, 0, 2).failed(137));
  s.next_pass();
  BOOST_TEST(s.conditions() == "Created Running=False Failed");
  BOOST_TEST(s.status.conditions.back().message
             == "Job pi has failed because it was restarted 0 times");

  auto limited = scope_job();
  limited["runPolicy"]["backoffLimit"] = 0;
  auto other = running_job(limited);
  other.see_pod(0, pod_phase::failed, 2, 1);
  other.next_pass();
  BOOST_TEST(other.status.conditions.back().message
             == "Job pi has failed because it has reached the specified "
                "backoff limit");
}

BOOST_AUTO_TEST_CASE(the_deadline_runs_on_through_restarts) {
  auto spec = scope_job();
  spec["runPolicy"]["activeDeadlineSeconds"] = 60;
  spec["runPolicy"]["ttlSecondsAfterFinished"] = 5;
  auto s = running_job(spec);
  BOOST_TEST((s.last.requeue_at == base_time + std::chrono::seconds{60}));
  s.now += std::chrono::seconds{60};
  s.next_pass();
  BOOST_TEST(s.status.conditions.back().reason == "DeadlineExceeded");
}

BOOST_AUTO_TEST_CASE(a_job_is_resumed_when_its_pods_are_gone) {
  auto s = running_job();
  auto suspended = scope_job();
  suspended["runPolicy"]["suspend"] = true;
  s.j = make_ssh_job(suspended);
  s.next_pass();
  BOOST_TEST(s.conditions() == "Created Suspended Running=False");
  s.j = make_ssh_job(scope_job());
  s.next_pass(); // The launcher's pod runs, and the Job is not suspended yet.
  BOOST_TEST(s.conditions() == "Created Suspended Running=False");
  BOOST_TEST(s.decisions_on_pods()
             == (strings{"delete pod pi-worker-0", "delete pod pi-worker-1",
                         "update launcher job pi-launcher"}));
  s.accept_deletions();
  k8s::batch_job_state state;
  state.suspended = true;
  s.see_job(0, state, 2);
  s.forget_workers(0);
  s.next_pass();
  BOOST_TEST(s.conditions() == "Created Suspended Running=False");
  BOOST_TEST(s.decisions_on_pods() == nothing);
  s.forget_pod(0);
  s.seen.forget_lost_pods(); // As memory does while the job is suspended.
  s.next_pass();
  BOOST_TEST(s.conditions() == "Created Running=False Suspended=False");
  BOOST_TEST(s.attempt() == 0);
  BOOST_TEST(s.decisions_on_pods() == creations_of_workers);
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_done_is_not_made_again) {
  auto s = running_job(ssh_spec());
  s.observe(worker_of(0, 0, 2).succeeded());
  s.next_pass();
  s.seen.record_deleted(child_kind::pod, "worker-0-0");
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == nothing);
  BOOST_TEST((s.status.replicas["Worker"].succeeded == 1));
}

// What is wanted can be saved, else it would be written for ever.
BOOST_AUTO_TEST_CASE(a_launcher_that_is_done_takes_the_room_of_a_worker) {
  constexpr std::size_t most = 64 * 1024;
  std::string text = "1000";
  int last = 10'000;
  for (; text.size() < most; last += 3)
    text += "," + std::to_string(last) + "-" + std::to_string(last + 1);
  last -= 3;
  BOOST_REQUIRE(text.size() == most);
  core::recovery_status full;
  full.completed["Worker"] = *core::index_ranges::parse(text);
  auto saved_and_read = [](const core::job_status& s) {
    return core::decode_status(core::encode_status(s)).recovery;
  };

  auto s = running_job(success_of_workers(ssh_spec()));
  s.status.recovery = s.saved.recovery = full;
  s.next_pass();
  BOOST_TEST((*s.status.recovery == full));
  BOOST_TEST((saved_and_read(s.status) == s.status.recovery));
  s.see_job(0, complete_job(), 2);
  s.next_pass();
  BOOST_TEST((saved_and_read(s.status) == s.status.recovery));
  BOOST_TEST(s.status.recovery->completed_of("Launcher").contains(0));
  const auto& workers = s.status.recovery->completed_of("Worker");
  BOOST_TEST(workers.contains(1000));
  BOOST_TEST(workers.contains(last - 3));
  BOOST_TEST(!workers.contains(last));
}

BOOST_AUTO_TEST_CASE(a_success_policy_decides_in_place_of_the_launcher) {
  auto spec = ssh_spec();
  spec["runPolicy"]["successPolicy"] = {{"operator", "Any"},
                                        {"targetReplicaTypes", {"Worker"}}};
  spec["runPolicy"]["cleanPodPolicy"] = "Running";
  auto s = running_job(spec);
  s.see_job(0, complete_job(), 2);
  s.next_pass();
  BOOST_TEST(s.conditions() == "Created Running");
  auto other = running_job(spec);
  other.observe(worker_of(0, 0, 2).succeeded());
  other.next_pass();
  BOOST_TEST(other.conditions() == "Created Running=False Succeeded");
  other.next_pass();
  BOOST_TEST(other.decisions()
             == (strings{"delete pod pi-worker-1",
                         "delete launcher job pi-launcher"}));
}

BOOST_AUTO_TEST_SUITE_END()
