#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(completion_test)

namespace {

/// Pods of one type, by phase.
struct pod_counts {
  int failed = 0;
  int succeeded = 0;
  int active = 0;
};

void populate(job_fixture& s, const char* type, pod_counts c,
              bool first_is_done) {
  int index = 0;
  if (first_is_done && c.succeeded > 0) {
    --c.succeeded;
    s.observe({pod(type, index++).succeeded()});
  } else if (c.active > 0) {
    --c.active;
    s.observe({pod(type, index++).running()});
  }
  for (; c.failed > 0; --c.failed)
    s.observe({pod(type, index++).failed()});
  for (; c.succeeded > 0; --c.succeeded)
    s.observe({pod(type, index++).succeeded()});
  for (; c.active > 0; --c.active)
    s.observe({pod(type, index++).running()});
}

/// With so many replicas; -1: the type is absent.
job_builder tf(int workers, int servers = -1) {
  auto j = make_job();
  if (workers >= 0)
    j.workers(workers);
  if (servers >= 0)
    j.servers(servers);
  return j;
}

job_builder with_chief(int workers, int servers = -1) {
  return tf(workers, servers).chief();
}

} // namespace

BOOST_AUTO_TEST_CASE(how_a_job_fares_follows_from_its_counts) {
  // clang-format off
  struct row {
    job_builder j;
    pod_counts worker, ps, chief;
    bool first_is_done;
    const char* then;
  } rows[] = {
      // job, then failed, succeeded and active workers, servers, chiefs
      {with_chief(1), {0, 1, 0}, {}, {0, 1, 0}, false, "Created Succeeded"},
      {with_chief(1), {}, {}, {0, 0, 1}, false, "Created Running"},
      {with_chief(1), {}, {}, {1, 0, 0}, false, "Created Failed"},
      {tf(4, 2), {0, 2, 2}, {0, 0, 2}, {}, false, "Created Running"},
      {tf(4, 2), {2, 0, 2}, {0, 0, 2}, {}, false, "Created Running=False Failed"},
      {tf(4, 2), {2, 2, 0}, {0, 0, 2}, {}, false, "Created Failed"},
      {tf(4, 2), {0, 1, 3}, {0, 0, 2}, {}, true, "Created Succeeded"},
      {tf(4).all_workers(), {0, 1, 3}, {}, {}, true, "Created Running"},
      {tf(4).all_workers(), {1, 1, 2}, {}, {}, true, "Created Running=False Failed"},
      {tf(4).all_workers(), {0, 4, 0}, {}, {}, true, "Created Succeeded"},
      {with_chief(4, 2), {4, 0, 0}, {0, 0, 2}, {0, 0, 1}, false, "Created Running=False Failed"},
      // The leader has been looked at before another type that failed ...
      {with_chief(1, 1), {0, 0, 1}, {1, 0, 0}, {0, 0, 1}, false, "Created Running=False Failed"},
      {with_chief(1).restart_policy("ExitCode"), {1, 0, 0}, {}, {0, 0, 1}, false, "Created Running=False Failed"},
      // ... or after: types have an order.
      {tf(1, 1), {0, 0, 1}, {1, 0, 0}, {}, false, "Created Failed"},
      // A success is not followed by a failure.
      {with_chief(4, 2), {4, 0, 0}, {0, 0, 2}, {0, 1, 0}, false, "Created Succeeded"},
      {with_chief(4, 2).restart_policy("ExitCode"), {}, {0, 0, 2}, {0, 0, 1}, false, "Created Running"},
      // Only servers: they can fail, no more.
      {tf(-1, 1), {}, {0, 0, 1}, {}, false, "Created"},
      {tf(-1, 1), {}, {1, 0, 0}, {}, false, "Created Failed"},
      // Nobody was asked for, so nobody has succeeded.
      {tf(0, 1), {}, {0, 0, 1}, {}, false, "Created"},
      {tf(0), {}, {}, {}, false, "Created"},
      // Workers that come and go may fail, servers may not.
      {tf(2).dynamic(), {1, 0, 1}, {}, {}, false, "Created Running"},
      {tf(2).dynamic().restart_policy("ExitCode"), {1, 0, 1}, {}, {}, false, "Created Running"},
      {tf(1, 1).dynamic(), {0, 0, 1}, {1, 0, 0}, {}, false, "Created Failed"},
  };
  // clang-format on
  int number = 0;
  for (auto& r : rows) {
    job_fixture s{r.j};
    s.all_services();
    populate(s, "worker", r.worker, r.first_is_done);
    populate(s, "ps", r.ps, false);
    populate(s, "chief", r.chief, false);
    s.pass();
    BOOST_TEST(s.conditions() == r.then,
               "row " << number << ": " << s.conditions());
    BOOST_TEST(s.status.completion_time.has_value() == s.status.is_finished());
    ++number;
  }
}

BOOST_AUTO_TEST_CASE(only_worker_0_may_end_the_job_for_all) {
  job_fixture s{make_job().workers(2)};
  s.all_services().observe({pod("worker", 0), pod("worker", 1).succeeded()});
  s.pass();
  BOOST_TEST(s.conditions() == "Created");
  // Its container must have said so.
  s.observe({pod("worker", 0).succeeded({}).version(2)});
  s.j = make_job().workers(3);
  s.pass();
  BOOST_TEST(s.conditions() == "Created");
  s.observe({pod("worker", 0).succeeded().version(3)});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Succeeded");
}

BOOST_AUTO_TEST_CASE(what_still_runs_at_a_success_has_succeeded) {
  job_fixture s{make_job().workers(2).servers(1)};
  s.all_services().observe({pod("worker", 0).running(),
                            pod("worker", 1).running(),
                            pod("ps", 0).running()});
  s.pass();
  s.observe({pod("worker", 0).succeeded().version(2)});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running=False Succeeded");
  BOOST_TEST(s.status.replicas.at("Worker").succeeded == 2);
  BOOST_TEST(s.status.replicas.at("Worker").active == 0);
  BOOST_TEST(s.status.replicas.at("PS").succeeded == 1);
  BOOST_TEST(s.events()
                 == (strings{"Normal TFJobSucceeded TFJob ns/job "
                             "successfully completed."}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_failure_says_how_many_and_leaves_the_counts) {
  job_fixture s{make_job().workers(3).restart_policy("Never")};
  s.all_services().observe({pod("worker", 0).running(),
                            pod("worker", 1).failed(),
                            pod("worker", 2).failed()});
  s.pass();
  BOOST_TEST(s.status.find_condition("Failed")->message
             == "TFJob ns/job has failed because 2 Worker replica(s) failed.");
  BOOST_TEST(
      s.events()
          == (strings{"Normal TFJobFailed TFJob ns/job has failed because 2 "
                      "Worker replica(s) failed."}),
      boost::test_tools::per_element());
  BOOST_TEST(s.status.replicas.at("Worker").active == 1);
  BOOST_TEST(s.status.replicas.at("Worker").failed == 2);
}

BOOST_AUTO_TEST_CASE(a_permanent_exit_code_fails_the_job_in_both_wordings) {
  job_fixture s{make_job().workers(2).restart_policy("ExitCode")};
  s.all_services().observe(
      {pod("worker", 0).running(), pod("worker", 1).running()});
  s.pass();
  s.observe({pod("worker", 1).failed(1).version(2)});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running=False Failed");
  BOOST_TEST(s.status.find_condition("Failed")->message
             == "job \"job\" is failing because \"Worker\" replica(s) failed.");
  BOOST_TEST(
      s.events()
          == (strings{"Warning TFJobFailed job \"job\" is failing because "
                      "\"Worker\" replica(s) failed.",
                      "Normal TFJobFailed TFJob ns/job has failed because 1 "
                      "Worker replica(s) failed."}),
      boost::test_tools::per_element());
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_pod_that_is_being_deleted_fails_nobody) {
  // Drained, preempted, deleted by hand: running or failed by the signal.
  for (auto& going : {pod("worker", 1).running().deleting(),
                      pod("worker", 1).failed(143).deleting(),
                      pod("worker", 1).failed(1).deleting()})
    for (const char* policy : {"Never", "OnFailure", "ExitCode"}) {
      job_fixture s{make_job().workers(2).restart_policy(policy)};
      s.all_services().observe({pod("worker", 0).running(), going});
      s.pass();
      BOOST_TEST(s.conditions() == "Created Running");
      BOOST_TEST(s.decisions() == (strings{}),
                 boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a_restart_of_one_type_hides_no_failure_of_another) {
  auto j = make_job().workers(1).servers(1);
  j.restart_policy("Worker", "OnFailure").restart_policy("PS", "Never");
  job_fixture s{j};
  s.all_services().observe({pod("worker", 0).failed(), pod("ps", 0).running()});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Restarting");
  s.observe({pod("ps", 0).failed().version(2)});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Restarting Failed");
}

BOOST_AUTO_TEST_CASE(out_of_range_pods_do_not_count) {
  job_fixture s{make_job().workers(1)};
  s.all_services().observe(
      {pod("worker", 0).running(), pod("worker", 5).failed()});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");
  BOOST_TEST(s.status.replicas.at("Worker").failed == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_type_has_no_say) {
  job_fixture s{make_job().workers(1).type("Boss", 1)};
  s.all_services().observe(
      {pod("worker", 0).running(), pod("boss", 0).failed()});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");
  BOOST_TEST(s.status.replicas.at("Boss").failed == 1);
  // But in an MXJob it has.
  job_fixture mx{make_job_of("MXJob").type("Scheduler", 1).type("Boss", 1)};
  mx.all_services().observe(
      {pod("scheduler", 0).running(), pod("boss", 0).failed()});
  mx.pass();
  BOOST_TEST(mx.conditions() == "Created Running=False Failed");
  BOOST_TEST(mx.status.conditions.back().message
             == "mxjob job is failed because 1 Boss replica(s) failed.");
}

BOOST_AUTO_TEST_CASE(a_disrupted_pod_fails_no_job_of_any_kind) {
  for (const auto* kind : kinds_with_replica_map())
    for (const auto& rule : kind->replicas)
      for (const char* policy : {"Never", "OnFailure", "Always", "ExitCode"}) {
        auto j = make_least_job_of(*kind).workers(2).type(rule.type, 1);
        job_fixture s{j.restart_policy(policy).backoff_limit(0)};
        s.all_services().observe({pod(rule.label, 0).failed(1).disrupted()});
        s.pass();
        auto strings = s.decisions();
        auto removed = std::count_if(
            strings.begin(), strings.end(), [](const std::string& d) {
              return d.rfind("delete pod job-", 0) == 0;
            });
        BOOST_TEST_CONTEXT(kind->names.type.kind << " " << rule.type << " "
                                                 << policy) {
          BOOST_TEST(removed == 1);
          BOOST_TEST(s.conditions() == "Created");
          BOOST_TEST(s.status.replicas.at(rule.type).failed == 0);
          BOOST_TEST(s.status.restarts.empty());
        }
      }
}

BOOST_AUTO_TEST_CASE(the_counts_of_a_failed_job_are_those_of_its_end) {
  struct row {
    const char* clean;
    int backoff; // Below 0: none, so that the type's failure ends it.
    int active;
    int failed;
  } rows[] = {
      // Pods that run on are counted as running, ...
      {"None", -1, 1, 1},
      // ... those that clean-up stops are not.
      {"Running", -1, 0, 1},
      {"All", -1, 0, 1},
      // A limit leaves what was counted last, as training-operator v1 does, ...
      {"None", 0, 2, 0},
      // ... unless the pods it counted go.
      {"Running", 0, 0, 1},
      {"All", 0, 0, 1},
  };
  for (const char* kind : {"TFJob", "MXJob", "PyTorchJob"})
    for (const auto& r : rows) {
      auto j =
          make_job_of(kind).workers(2).restart_policy("Never").clean_pod_policy(
              r.clean);
      if (r.backoff >= 0)
        j.backoff_limit(r.backoff);
      job_fixture s{j};
      s.all_services().observe(
          {pod("worker", 0).running(), pod("worker", 1).running()});
      s.pass_and_save();
      s.observe({pod("worker", 1).failed().version(2)});
      s.pass_and_save();
      BOOST_TEST(s.status.is_condition_true("Failed"));
      const auto& counts = s.status.replicas.at("Worker");
      BOOST_TEST(counts.active == r.active, kind << " " << r.clean);
      BOOST_TEST(counts.failed == r.failed, kind << " " << r.clean);
      auto before = s.status;
      s.pass(); // Whatever becomes of the pods now.
      BOOST_TEST((s.status == before));
    }
}

BOOST_AUTO_TEST_CASE(counts_that_another_operator_left_are_put_right) {
  struct row {
    const char* end;
    const char* clean;
    int active, succeeded;
  } rows[] = {{"Succeeded", "None", 0, 2},
              {"Failed", "All", 0, 1},
              {"Failed", "None", 1, 1}};
  for (const auto& r : rows) {
    job_fixture s{make_job().workers(2).clean_pod_policy(r.clean)};
    s.status.set_condition(r.end, true, "TFJob", "", base_time);
    s.status.completion_time = base_time;
    s.status.replicas["Worker"] = {1, 1, 0, ""};
    s.save();
    s.pass();
    const auto& counts = s.status.replicas.at("Worker");
    BOOST_TEST(counts.active == r.active, r.end << " " << r.clean);
    BOOST_TEST(counts.succeeded == r.succeeded, r.end << " " << r.clean);
  }
}

BOOST_AUTO_TEST_SUITE_END()
