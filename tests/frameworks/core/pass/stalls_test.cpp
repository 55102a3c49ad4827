#include "frameworks/core/pass/reported_progress.hpp"
#include "frameworks/core/waiting/waiting_reason.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(stalls_test)

namespace {

json progress(const char* on_stalled = "Report") {
  return {{"report", true},
          {"stalledAfter", "10m"},
          {"startWithin", "30m"},
          {"onStalled", on_stalled}};
}

/// A job of two workers that run, and whose process lives on.
struct stall_fixture : job_fixture {
  explicit stall_fixture(
      const char* on_stalled = "Report",
      const std::function<void(job_builder&)>& add = [](auto&) {})
      : job_fixture(job_with(on_stalled, add)) {
    cluster.progress_url = "https://operator/progress";
    all_services();
    run_all(0);
    step();
  }

  static core::job job_with(const char* on_stalled,
                            const std::function<void(job_builder&)>& add) {
    auto b = make_job().policy("progress", progress(on_stalled));
    add(b);
    return b.workers(2);
  }

  child_builder worker(int index, int attempt) const {
    auto b = pod_of_attempt("worker", index, attempt);
    return b.labelled(core::label::progress, core::label::told_to_report);
  }
  void run_all(int attempt) {
    for (int i = 0; i < 2; ++i)
      observe(worker(i, attempt).ran(now, 0s).running());
  }

  /// A pass whose status is saved at once.
  void step() {
    last = core::plan(j, seen, open, status, saved, now, cluster);
    status = last.status;
    if (seen.silence() != last.silence)
      seen.record_silence(last.silence);
    save();
  }
  void step_after(std::chrono::seconds passed) {
    now += passed;
    step();
  }

  void report(int percent) {
    core::progress_status p;
    p.percent = percent;
    p.metrics = {{"step", std::to_string(percent * 10)}, {"total", "1000"}};
    p.time = now;
    p.source = "job-worker-0";
    seen.record_report(std::move(p));
    step();
  }
  /// It has reported, and then nothing for ten minutes.
  void stall(int percent = 45) {
    report(percent);
    step_after(10min + 1s);
  }

  bool is_stalled() const { return status.is_condition_true("Stalled"); }
  int attempt() const { return status.recovery->attempt; }
  strings events() const {
    strings out;
    for (const auto& e : last.events)
      out.push_back((e.warning ? "!" : "") + e.reason + ": " + e.message);
    return out;
  }
  std::string waits_for() const {
    auto r = core::find_waiting_reason(
        {&j, seen, open, status, cluster, {}, now, &saved});
    return r ? std::string{r->row} + ": " + describe_wait(*r, now) : "";
  }
  void restart() {
    step();
    BOOST_TEST(deletions().size() == 2U);
    accept_deletions();
    remove_pods();
    now += 5s;
    step();
    run_all(attempt());
    step();
  }

  core::cluster_options cluster{};
};

/// Its pods are told nothing; the log of one is to tell how far it is.
struct logged_fixture : stall_fixture {
  logged_fixture() {
    cluster.progress_url.clear();
    core::progress_policy p;
    p.log = std::make_shared<const core::log_policy>();
    p.stalled_after = 10min;
    j.policy.progress = p;
  }
  void read_log(bool is_read) {
    auto uid = seen.pods().begin()->uid;
    seen.record_read_log(is_read ? uid : core::uid_key{});
    step();
  }
};

struct restarted_fixture : stall_fixture {
  restarted_fixture()
      : stall_fixture("RestartJob") {}
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_silent_job_is_told_once, stall_fixture) {
  BOOST_TEST((last.requeue_at == base_time + 30min));
  report(45);
  BOOST_TEST((last.requeue_at == base_time + 10min + 1s));
  step_after(10min);
  BOOST_TEST(!is_stalled());
  step_after(1s);
  BOOST_TEST(is_stalled());
  const std::string text = "job job is stalled: no progress for 10m (last: "
                           "45%, step 450/1000)";
  BOOST_TEST(events() == strings{"!TFJobStalled: " + text});
  const auto* c = status.find_condition("Stalled");
  BOOST_TEST(c->reason == "TFJobStalled");
  BOOST_TEST(c->message == text);
  BOOST_TEST(status.latest_true_condition() == "Stalled");
  BOOST_TEST(status.is_condition_true("Running"));
  step_after(1h);
  BOOST_TEST(events() == strings{});
  BOOST_TEST(attempt() == 0);
  BOOST_TEST(waits_for()
             == "progress: a report of its program: no progress for 70m "
                "(last: 45%, step 450/1000)");
}

BOOST_FIXTURE_TEST_CASE(the_next_report_ends_it, stall_fixture) {
  stall();
  now += 1min;
  report(46);
  BOOST_TEST(!is_stalled());
  BOOST_TEST(events()
             == strings{"TFJobMakesProgress: job job makes progress again: "
                        "46%, step 460/1000"});
  // What clients show as the state is the last condition.
  BOOST_TEST(status.conditions.back().type == "Running");
  BOOST_TEST(status.find_condition("Stalled")->reason == "TFJobMakesProgress");
  BOOST_TEST(waits_for().find("processes") == 0U);
  stall(47);
  BOOST_TEST(is_stalled());
  BOOST_TEST(status.latest_true_condition() == "Stalled");
}

BOOST_FIXTURE_TEST_CASE(without_a_first_report_it_has_the_first_time,
                        stall_fixture) {
  step_after(30min - 1s);
  BOOST_TEST(!is_stalled());
  step_after(1s);
  BOOST_TEST(status.find_condition("Stalled")->message
             == "job job is stalled: no progress for 30m (nothing was reported "
                "so far)");
}

BOOST_FIXTURE_TEST_CASE(a_silent_job_is_restarted_as_a_whole,
                        restarted_fixture) {
  stall();
  BOOST_TEST(is_stalled());
  BOOST_TEST(attempt() == 1);
  BOOST_TEST(status.recovery->last.reason == "Stalled");
  BOOST_TEST(status.recovery->last.pod == "");
  BOOST_TEST(status.recovery->counted == 1);
  BOOST_TEST(status.is_condition_true("Restarting"));
  BOOST_TEST(deletions() == strings{});
  const std::string silence = "is stalled: no progress for 10m (last: 45%, "
                              "step 450/1000)";
  BOOST_TEST(events()
             == (strings{"!TFJobStalled: job job " + silence,
                         "!TFJobRestarting: job job is restarting (attempt 1) "
                         "because it "
                             + silence}));
  restart();
  BOOST_TEST(is_stalled()); // Until it tells something.
  BOOST_TEST(status.latest_true_condition() == "Running");
  BOOST_TEST((last.requeue_at == now + 30min));
  BOOST_TEST(waits_for().find("; restarted at 20") != std::string::npos,
             waits_for());
  now += 1min;
  report(44);
  BOOST_TEST(!is_stalled());
  BOOST_TEST(attempt() == 1);
}

BOOST_FIXTURE_TEST_CASE(without_a_failure_policy_three_times,
                        restarted_fixture) {
  for (int n = 1; n <= 3; ++n) {
    step_after(30min);
    BOOST_TEST(attempt() == n);
    restart();
  }
  step_after(30min);
  BOOST_TEST(attempt() == 3);
  BOOST_TEST(status.find_condition("Failed")->message
             == "Job job has failed because it was restarted 3 times");
}

BOOST_AUTO_TEST_CASE(a_failure_policy_says_how_often) {
  struct row {
    const char* policy;
    int most; ///< 9: no end.
  } rows[] = {
      {R"({"maxRestarts": 1})", 1},
      {R"({"restartScope": "Job", "maxRestarts": 5})", 5},
      {R"({"restartScope": "Job"})", 9},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.policy) {
      stall_fixture s{"RestartJob", [&](auto& b) {
                        b.failure_policy(json::parse(r.policy));
                      }};
      for (int n = 1; n < 9 && !s.status.is_finished(); ++n) {
        s.step_after(30min);
        if (s.status.is_finished())
          break;
        s.restart();
      }
      BOOST_TEST(s.attempt() == std::min(r.most, 8));
    }
}

BOOST_FIXTURE_TEST_CASE(its_pods_are_as_those_of_scope_job, restarted_fixture) {
  BOOST_TEST(j.policy.failure->may_restart_beyond_pod());
  BOOST_TEST(j.policy.failure->must_see_failures());
  BOOST_TEST((j.policy.failure->scope == core::restart_scope::pod));
}

BOOST_AUTO_TEST_CASE(or_it_fails) {
  stall_fixture s{"FailJob"};
  s.stall();
  BOOST_TEST(s.is_stalled());
  BOOST_TEST(s.status.find_condition("Failed")->message
             == "Job job has failed because it is stalled: no progress for "
                "10m (last: 45%, step 450/1000)");
  BOOST_TEST(s.attempt() == 0);
  BOOST_TEST(s.status.latest_true_condition() == "Failed");
}

BOOST_FIXTURE_TEST_CASE(a_job_that_does_not_run_is_never_stalled,
                        restarted_fixture) {
  report(45);
  observe(worker(1, 0).in(k8s::pod_phase::pending).version(2));
  step_after(1h);
  BOOST_TEST(!is_stalled());
  BOOST_TEST(!last.silence->running_since.has_value());
  observe(worker(1, 0).running().version(3));
  step();
  step_after(20min); // The first time again.
  BOOST_TEST(!is_stalled());
  j.policy.suspend = true;
  step_after(1h);
  BOOST_TEST(!is_stalled());
  BOOST_TEST(!last.silence->running_since.has_value());
}

BOOST_FIXTURE_TEST_CASE(a_job_that_ends_or_is_suspended_is_not_stalled,
                        stall_fixture) {
  stall();
  auto other = *this;
  other.j.policy.suspend = true;
  other.step();
  BOOST_TEST(!other.is_stalled());
  BOOST_TEST(other.status.latest_true_condition() == "Suspended");
  for (int i = 0; i < 2; ++i)
    observe(worker(i, 0).succeeded().version(9));
  step();
  BOOST_TEST(status.is_condition_true("Succeeded"));
  BOOST_TEST(!is_stalled());
  BOOST_TEST(status.latest_true_condition() == "Succeeded");
}

BOOST_FIXTURE_TEST_CASE(while_it_is_restarted_nothing_is_due,
                        restarted_fixture) {
  stall();
  step(); // Deletes.
  accept_deletions();
  step_after(2h); // The kubelets do not answer.
  BOOST_TEST(attempt() == 1);
  BOOST_TEST(!last.silence->running_since.has_value());
}

BOOST_FIXTURE_TEST_CASE(a_lost_pod_is_the_cause_rather_than_the_silence,
                        restarted_fixture) {
  report(45);
  now += 10min + 1s;
  observe(worker(1, 0).ran(now - 1min, 1min).failed(1).version(2));
  step();
  BOOST_TEST(attempt() == 0); // It is replaced alone.
  BOOST_TEST(!is_stalled());
}

BOOST_FIXTURE_TEST_CASE(where_pods_are_not_told_nobody_is_silent,
                        stall_fixture) {
  cluster.progress_url.clear();
  step_after(5h);
  BOOST_TEST(!is_stalled());
  cluster.progress_url = "https://operator/progress";
  // One of before the policy.
  observe(pod_of_attempt("worker", 1, 0).running().version(5));
  step_after(5h);
  step_after(5h);
  BOOST_TEST(!is_stalled());
}

BOOST_FIXTURE_TEST_CASE(a_new_leader_begins_anew, restarted_fixture) {
  now += 1min;
  report(45);
  step_after(9min);
  seen.record_silence({});
  seen.record_report({});
  step();
  BOOST_TEST((last.requeue_at == now + 10min));
  step_after(10min - 1s);
  BOOST_TEST(attempt() == 0);
  step_after(1s);
  BOOST_TEST(attempt() == 1);
  BOOST_TEST(status.find_condition("Stalled")->message.find("last: 45%")
             != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_policy_that_goes_takes_the_condition_with_it,
                        stall_fixture) {
  stall();
  j.policy.progress.stalled_after.reset();
  step();
  BOOST_TEST(!is_stalled());
  BOOST_TEST(status.latest_true_condition() == "Running");
}

BOOST_FIXTURE_TEST_CASE(a_log_that_is_read_and_tells_nothing_is_silence,
                        logged_fixture) {
  step_after(1h);
  BOOST_TEST(!is_stalled()); // It is not known what the log says.
  read_log(true);
  BOOST_TEST((last.requeue_at == now + 10min));
  step_after(10min - 1s);
  BOOST_TEST(!is_stalled());
  step_after(1s);
  BOOST_TEST(is_stalled());
}

BOOST_FIXTURE_TEST_CASE(the_time_stands_still_while_a_log_cannot_be_read,
                        logged_fixture) {
  read_log(true);
  step_after(9min);
  read_log(false);
  step_after(1h);
  BOOST_TEST(!is_stalled());
  read_log(true);
  step_after(10min - 1s);
  BOOST_TEST(!is_stalled());
  report(45); // Lines that match.
  step_after(10min);
  BOOST_TEST(!is_stalled());
  step_after(1s);
  BOOST_TEST(is_stalled());
}

BOOST_FIXTURE_TEST_CASE(without_rules_a_log_that_was_read_tells_nothing_more,
                        logged_fixture) {
  read_log(true);
  // Its pods were made before they would have been told where to report.
  j.policy.progress.log.reset();
  j.policy.progress.report = true;
  step_after(1h);
  BOOST_TEST(!is_stalled());
}

BOOST_AUTO_TEST_SUITE_END()
