#include "tests/frameworks/mpi_ssh/ssh_restart_fixture.hpp"

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;
using k8s::pod_phase;

BOOST_AUTO_TEST_SUITE(ssh_restart_test)

BOOST_AUTO_TEST_CASE(launcher_and_workers_are_restarted_together) {
  auto s = running_job();
  s.observe(worker_of(1, 0, 2).failed(137));
  s.pass();
  BOOST_TEST(s.attempt() == 1);
  BOOST_TEST(s.decisions() == nothing); // It is not saved yet.
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(s.status.conditions.back().reason == "MPIJobRestarting");
  BOOST_TEST(s.status.conditions.back().message
             == "job pi is restarting (attempt 1) because pod pi-worker-1 "
                "failed with exit code 137 (Error)");
  s.save();
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == deletions_of_all);
  BOOST_TEST((s.status.replicas["Launcher"].active == 1)); // It still runs.
  s.accept_deletions();
  s.forget_workers(0);
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == nothing);
  s.forget_job(0);
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == nothing); // Its pod is left.
  BOOST_TEST((s.status.replicas["Launcher"].active == 1));
  BOOST_TEST(s.last.summary.find("is restarting (attempt 1) and waits for the "
                                 "end of pi-launcher-0")
             == 0);
  s.forget_pod(0);
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == creations_of_workers);
  for (const auto& d : s.last.decisions)
    if (const auto* c = std::get_if<core::create_child>(&d))
      BOOST_TEST(c->attempt.value_or(-1) == 1);
  s.observe({worker_of(0, 1), worker_of(1, 1)});
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == creation_of_launcher);
  const auto* made =
      std::get_if<core::create_auxiliary>(&s.last.decisions.back());
  BOOST_REQUIRE(made);
  BOOST_TEST(json::parse(
                 made->wanted->metadata)["labels"][core::label::restart_attempt]
             == "1");
  s.see_job(1);
  s.next_pass();
  BOOST_TEST(s.conditions() == "Created Restarting");
  s.see_pod(1, pod_phase::running);
  s.next_pass();
  BOOST_TEST(s.conditions() == "Created Running");
  BOOST_TEST(s.status.recovery->last.recovered.has_value());
  BOOST_TEST(s.attempt() == 1);
  BOOST_TEST(s.counted() == 1);
  BOOST_TEST(s.decisions_on_pods() == nothing);
}

BOOST_AUTO_TEST_CASE(a_failed_launcher_counts_once) {
  auto s = running_job();
  s.see_pod(0, pod_phase::failed, 2, 1);
  s.next_pass();
  BOOST_TEST(s.attempt() == 1);
  s.see_job(0, failed_job(), 2); // The Job controller says so, too.
  s.next_pass();
  BOOST_TEST(s.attempt() == 1);
  BOOST_TEST(s.counted() == 1);
  BOOST_TEST(s.decisions_on_pods() == deletions_of_all);
  BOOST_TEST(s.conditions() == "Created Restarting");
}

BOOST_AUTO_TEST_CASE(a_jobs_failure_waits_for_its_pod_to_say_why) {
  auto s = running_job();
  s.see_job(0, failed_job(), 2);
  s.now += std::chrono::minutes{1};
  s.next_pass();
  BOOST_TEST(s.attempt() == 0);
  BOOST_TEST(s.conditions() == "Created Running");
  s.see_pod(0, pod_phase::failed, 2, 1);
  s.next_pass();
  BOOST_TEST(s.attempt() == 1);
  BOOST_TEST(s.status.recovery->last.pod == "pi-launcher-0");

  restarted_job unknown{scope_job()};
  unknown.observe({worker_of(0, 0), worker_of(1, 0)});
  unknown.see_job(0, failed_job());
  unknown.next_pass();
  BOOST_TEST(unknown.attempt() == 0);
  BOOST_TEST((unknown.last.requeue_at == base_time + std::chrono::seconds{5}));
  unknown.now += std::chrono::seconds{5};
  unknown.next_pass();
  BOOST_TEST(unknown.attempt() == 1);
  BOOST_TEST(unknown.counted() == 1);
  BOOST_TEST(unknown.status.recovery->last.reason == "BackoffLimitExceeded");
}

BOOST_AUTO_TEST_CASE(what_is_taken_away_restarts_all_and_counts_not) {
  struct row {
    const char* what;
    void (*happens)(restarted_job& s);
  } rows[] = {
      {"the Job is gone", [](restarted_job& s) { s.forget_job(0); }},
      {"the Job is being deleted",
       [](restarted_job& s) { s.see_job(0, {}, 2, true); }},
      {"the launcher's pod is gone", [](restarted_job& s) { s.forget_pod(0); }},
      {"a worker is gone",
       [](restarted_job& s) {
         s.seen.record_deleted(child_kind::pod, "worker-1-0");
       }},
      {"nobody watched",
       [](restarted_job& s) {
         restarted_job again{scope_job()};
         again.status = again.saved = s.saved;
         again.observe({worker_of(0, 0), worker_of(1, 0)});
         again.pass_and_save();
         BOOST_TEST(again.decisions()
                    == strings{"read launcher job pi-launcher"});
         again.seen.note_looked_up_in_vain(child_kind::launcher_job);
         s.seen = again.seen;
       }},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      auto s = running_job();
      r.happens(s);
      s.next_pass();
      BOOST_TEST(s.attempt() == 1);
      BOOST_TEST(s.counted() == 0);
      BOOST_TEST(s.status.recovery->last.reason == "Deleted");
      s.next_pass();
      BOOST_TEST(s.attempt() == 1);
    }
}

BOOST_AUTO_TEST_CASE(an_operator_that_begins_in_a_restart_goes_on_with_it) {
  auto s = running_job();
  s.observe(worker_of(1, 0, 2).failed(137));
  s.next_pass();
  restarted_job again{scope_job()};
  again.status = again.saved = s.saved;
  again.pass_and_save();
  BOOST_TEST(again.decisions() == strings{"read launcher job pi-launcher"});
  again.seen.note_looked_up_in_vain(child_kind::launcher_job);
  again.see_pod(0, pod_phase::running);
  again.next_pass();
  BOOST_TEST(again.decisions_on_pods() == nothing); // That one is left.
  again.forget_pod(0);
  again.next_pass();
  BOOST_TEST(again.decisions_on_pods() == creations_of_workers);
  BOOST_TEST(again.attempt() == 1);
}

BOOST_AUTO_TEST_CASE(an_attempt_that_is_over_decides_nothing) {
  auto s = running_job();
  s.observe(worker_of(1, 0, 2).failed(137));
  s.next_pass();
  s.see_pod(0, pod_phase::succeeded, 2);
  s.see_job(0, complete_job(), 2);
  s.next_pass();
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(s.decisions_on_pods() == deletions_of_all);
  s.forget_all(0);
  s.next_pass();
  s.observe({worker_of(0, 1), worker_of(1, 1)});
  s.see_pod(0, pod_phase::pending, 3); // The Job controller was late.
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == nothing);
  s.forget_pod(0);
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == creation_of_launcher);
  BOOST_TEST(s.attempt() == 1);
}

BOOST_AUTO_TEST_CASE(workers_wait_for_a_job_that_is_being_made) {
  restarted_job s{scope_job()};
  s.observe({worker_of(0, 0), worker_of(1, 0)});
  s.pass_and_save();
  BOOST_TEST(s.decisions_on_pods() == creation_of_launcher);
  core::creation_key key{child_kind::launcher_job, "pi-launcher"};
  s.open.expect_creation(key, s.now);
  s.observe(worker_of(1, 0, 2).failed(137));
  s.next_pass();
  s.next_pass();
  s.accept_deletions();
  s.forget_workers(0);
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == nothing,
             boost::test_tools::per_element());
  s.open.forget_creation(key);
  s.see_job(0);
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"delete launcher job pi-launcher"});
  s.accept_deletions();
  s.forget_job(0);
  s.next_pass();
  BOOST_TEST(s.decisions_on_pods() == creations_of_workers);
}

// -- silence ------------------------------------------------------------------

namespace {

json watched_spec(const char* on_stalled) {
  auto spec = ssh_spec();
  spec["runPolicy"]["progress"] = {
      {"report", true}, {"stalledAfter", "10m"}, {"onStalled", on_stalled}};
  return spec;
}

/// All of it runs, and was told where to report.
struct silent_job : restarted_job {
  explicit silent_job(const char* on_stalled)
      : restarted_job{watched_spec(on_stalled)} {
    cluster.progress_url = "https://operator/progress";
    see(child_kind::config_map, owned_object(j, "pi-progress"));
    for (int i = 0; i < 2; ++i)
      observe(worker_of(i, 0).labelled(core::label::progress,
                                       core::label::told_to_report));
    see_job(0);
    auto launcher = launcher_pod(j, pod_phase::running, "0");
    launcher.meta.labels[core::label::progress] = core::label::told_to_report;
    launcher.meta.labels[core::label::restart_attempt] = "0";
    launcher.meta.owners.front().uid = of_attempt(launcher_uid, 0);
    see(child_kind::pod, launcher);
    step();
    step(); // It is seen to run.
  }

  void step() {
    last = core::plan(j, seen, open, status, saved, now, cluster);
    status = last.status;
    if (seen.silence() != last.silence)
      seen.record_silence(last.silence);
    save();
  }

  core::cluster_options cluster{};
};

} // namespace

BOOST_AUTO_TEST_CASE(a_silent_job_is_told_restarted_or_failed) {
  struct row {
    const char* on_stalled;
    const char* conditions; ///< Those that are true.
    int attempt;
  } rows[] = {
      {"Report", "Created Running Stalled", 0},
      {"RestartJob", "Created Stalled Restarting", 1},
      {"FailJob", "Created Running=False Stalled Failed", 0},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.on_stalled) {
      silent_job s{r.on_stalled};
      BOOST_TEST(s.conditions() == "Created Running");
      s.now += std::chrono::minutes{10} - std::chrono::seconds{1};
      s.step();
      BOOST_TEST(s.conditions() == "Created Running");
      s.now += std::chrono::seconds{1};
      s.step();
      BOOST_TEST(s.conditions() == r.conditions);
      BOOST_TEST(s.attempt() == r.attempt);
      BOOST_TEST(s.counted() == r.attempt);
      s.step();
      if (r.attempt == 1)
        BOOST_TEST(s.decisions_on_pods() == deletions_of_all);
    }
}

BOOST_AUTO_TEST_SUITE_END()
