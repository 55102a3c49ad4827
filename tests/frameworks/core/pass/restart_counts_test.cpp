// Which restarts count against the limit, and how they are recorded.
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(restart_counts_test)

namespace {

/// One that has ended with this code.
k8s::container_status init_container(const char* name, int exit_code,
                                     int restarts) {
  k8s::container_status c;
  c.name = name;
  c.state = k8s::container_status::state_kind::terminated;
  c.exit_code = exit_code;
  c.restarts = restarts;
  return c;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_that_gave_up_waiting_fails_no_job) {
  for (const char* policy : {"Never", "OnFailure", "ExitCode"})
    for (const char* limit : {"none", "1", "0"}) {
      auto b = make_job_of("PyTorchJob").type("Master", 1).type("Worker", 1);
      b.restart_policy(policy);
      if (limit != std::string{"none"})
        b.backoff_limit(std::stoi(limit));
      job_fixture s{b};
      core::cluster_options cluster;
      core::record_own_init_containers(s.j, cluster);
      auto worker = pod("worker", 0);
      worker.state().phase = k8s::pod_phase::failed;
      worker.state().init_containers = {init_container("init-pytorch", 1, 3)};
      s.all_services().observe({pod("master", 0), worker});
      s.pass_and_save();
      BOOST_TEST_CONTEXT(policy << " " << limit) {
        BOOST_TEST(s.conditions() == "Created");
        BOOST_TEST(s.decisions() == strings{"delete pod job-worker-0"},
                   boost::test_tools::per_element());
        BOOST_TEST(s.status.replicas["Worker"].failed == 0);
        BOOST_TEST(s.status.restarts.empty());
      }
    }
}

BOOST_AUTO_TEST_CASE(restarts_of_our_init_container_do_not_count) {
  for (const char* name : {"init-pytorch", "users-own"}) {
    auto b = make_job_of("PyTorchJob").type("Master", 1).type("Worker", 2);
    job_fixture s{b.restart_policy("OnFailure").backoff_limit(1)};
    core::record_own_init_containers(s.j, {});
    s.all_services().observe(pod("master", 0).running());
    for (int i : {0, 1}) {
      auto worker = pod("worker", i).running();
      worker.state().init_containers = {init_container(name, 0, 1)};
      s.observe(worker);
    }
    s.pass_and_save();
    BOOST_TEST(s.conditions()
               == (name == std::string{"init-pytorch"} ? "Created Running"
                                                       : "Created Failed"));
  }
}

BOOST_AUTO_TEST_CASE(restarts_of_a_sidecar_do_not_count) {
  for (bool sidecar : {true, false})
    for (bool deleted : {false, true}) {
      job_fixture s{
          make_job().workers(1).restart_policy("OnFailure").backoff_limit(1)};
      auto worker = pod("worker", 0).running();
      worker.state().init_containers = {init_container("proxy", 1, 7)};
      worker.state().init_containers[0].is_sidecar = sidecar;
      s.all_services().observe(worker);
      if (deleted) // What it counted is recorded then.
        s.seen.record_deleted(core::child_kind::pod, "pod-worker-0");
      s.pass_and_save();
      s.pass_and_save();
      BOOST_TEST_CONTEXT("sidecar " << sidecar << ", deleted " << deleted) {
        bool failed = s.conditions().find("Failed") != std::string::npos;
        BOOST_TEST(failed == (!sidecar && !deleted));
        BOOST_TEST(s.status.restarts.size() == (deleted && !sidecar ? 1u : 0u));
      }
    }
}

BOOST_AUTO_TEST_CASE(with_a_limit_a_restart_is_recorded_before_it_is_made) {
  job_fixture s{
      make_job().workers(1).restart_policy("ExitCode").backoff_limit(3)};
  s.all_services().observe({pod("worker", 0).failed(137).restarted(1)});
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  BOOST_REQUIRE_EQUAL(s.status.restarts.size(), 1u);
  BOOST_TEST(s.status.restarts[0].uid == "pod-worker-0");
  BOOST_TEST(s.status.restarts[0].count == 2);
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  s.save();
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"delete pod job-worker-0"}),
             boost::test_tools::per_element());
  BOOST_TEST(s.status.restarts.size() == 1u);
}

BOOST_AUTO_TEST_CASE(exactly_as_many_replacements_as_the_limit_says) {
  for (int limit : {0, 1, 2, 5}) {
    job_fixture s{
        make_job().workers(1).restart_policy("ExitCode").backoff_limit(limit)};
    s.all_services();
    int replaced = 0;
    for (int life = 0; life < 10 && !s.status.is_finished(); ++life) {
      auto uid = "life-" + std::to_string(life);
      s.observe({pod("worker", 0).uid(uid).running()});
      s.pass_and_save();
      s.observe({pod("worker", 0).uid(uid).failed(137).version(2)});
      s.pass_and_save();
      s.pass();
      if (s.decisions() == (strings{"delete pod job-worker-0"})) {
        ++replaced;
        s.seen.mark_delete_accepted(core::child_kind::pod, uid);
        s.seen.record_deleted(core::child_kind::pod, uid);
      }
    }
    BOOST_TEST(replaced == limit);
    BOOST_TEST(s.status.is_condition_true("Failed"));
    BOOST_TEST(s.status.find_condition("Failed")->message
               == "Job job has failed because it has reached the specified "
                  "backoff limit");
    BOOST_TEST(s.status.restarts.size() <= 1u); // One entry per name.
  }
}

BOOST_AUTO_TEST_CASE(so_many_records_and_no_more_are_kept) {
  constexpr int most = static_cast<int>(core::most_restart_records);
  constexpr int workers = most * 2 + 100;
  job_fixture s{make_job()
                    .workers(workers)
                    .restart_policy("ExitCode")
                    .backoff_limit(100'000)};
  s.all_services();
  for (int i = 0; i < workers; ++i)
    s.observe({pod("worker", i).failed(137)});
  std::set<std::string> replaced;
  int rounds = 0;
  for (; rounds < 10 && replaced.size() < workers; ++rounds) {
    s.pass_and_save();
    s.pass();
    BOOST_TEST(s.status.restarts.size() <= core::most_restart_records);
    BOOST_TEST(core::encode_status(s.status).size() < 100'000u);
    for (const auto& d : s.decisions()) {
      if (d.rfind("delete pod job-worker-", 0) != 0)
        continue;
      auto index = d.substr(d.rfind('-') + 1);
      BOOST_TEST(replaced.insert(index).second);
      s.seen.mark_delete_accepted(core::child_kind::pod, "pod-worker-" + index);
      s.seen.record_deleted(core::child_kind::pod, "pod-worker-" + index);
      s.observe({pod("worker", std::stoi(index)).uid("new-" + index)});
    }
  }
  BOOST_TEST(replaced.size() == static_cast<std::size_t>(workers));
  BOOST_TEST(rounds < 10);
  std::int64_t sum = 0;
  for (const auto& r : s.status.restarts)
    sum += r.count;
  BOOST_TEST(sum == workers); // None is lost.
  BOOST_TEST(s.status.restarts.front().pod == core::earlier_pods);
}

BOOST_AUTO_TEST_CASE(counts_are_as_large_as_they_can_be_and_no_larger) {
  job_fixture s{make_job()
                    .workers(1)
                    .restart_policy("ExitCode")
                    .backoff_limit(INT32_MAX)};
  s.status.restarts = {{"job-worker-0", "before", INT32_MAX}};
  s.save();
  s.all_services().observe({pod("worker", 0).failed(137).restarted(INT32_MAX)});
  s.pass();
  BOOST_TEST(s.status.is_finished());
  s.j.policy.backoff_limit.reset();
  s.status = {};
  s.saved = {};
  s.pass();
  BOOST_TEST(!s.status.is_finished());
}

BOOST_AUTO_TEST_CASE(restarts_in_place_count_as_long_as_their_pod_runs) {
  struct row {
    const char* policy;
    int limit, first, second;
    bool past;
  } rows[] = {
      {"OnFailure", 3, 3, 0, true},
      {"OnFailure", 3, 1, 2, true},
      {"OnFailure", 3, 1, 1, false},
      {"OnFailure", 0, 0, 0, false},
      {"OnFailure", 0, 1, 0, true},
      {"ExitCode", 2, 2, 0, true},
      {"Never", 1, 5, 5, false},
      // A negative limit is exceeded from the start.
      {"Never", -1, 0, 0, true},
      {"OnFailure", -1, 0, 0, true},
  };
  for (const auto& r : rows) {
    job_fixture s{
        make_job().workers(2).restart_policy(r.policy).backoff_limit(r.limit)};
    s.all_services().observe({pod("worker", 0).running(r.first),
                              pod("worker", 1).running(r.second)});
    s.pass();
    BOOST_TEST(s.status.is_condition_true("Failed") == r.past,
               r.policy << " " << r.limit << " " << r.first << " " << r.second);
  }
}

BOOST_AUTO_TEST_CASE(restarts_of_a_pod_that_vanished_still_count) {
  job_fixture s{
      make_job().workers(2).restart_policy("OnFailure").backoff_limit(3)};
  s.all_services().observe(
      {pod("worker", 0).running(), pod("worker", 1).running(2)});
  s.pass_and_save();
  s.seen.record_deleted(core::child_kind::pod,
                        "pod-worker-1"); // By somebody else.
  s.pass_and_save();
  BOOST_TEST(s.status.restarts.size() == 1u);
  BOOST_TEST(!s.status.is_finished());
  s.pass_and_save(); // Still seen, entered once.
  BOOST_TEST(s.status.restarts.size() == 1u);
  s.seen.gone().forget_unsaved_restarts();
  s.observe({pod("worker", 1).uid("new").running(1)});
  s.pass();
  BOOST_TEST(s.status.is_condition_true("Failed"));
}

BOOST_AUTO_TEST_CASE(what_we_removed_ourselves_did_not_vanish) {
  job_fixture s{
      make_job().workers(1).restart_policy("OnFailure").backoff_limit(3)};
  s.observe({pod("worker", 1).running(2)});
  s.seen.mark_delete_accepted(core::child_kind::pod, "pod-worker-1");
  s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
  s.pass();
  BOOST_TEST(s.status.restarts.empty());
}

BOOST_AUTO_TEST_CASE(many_failing_at_once_do_not_outrun_the_limit) {
  job_fixture s{
      make_job().workers(3).restart_policy("OnFailure").backoff_limit(2)};
  s.all_services().observe({pod("worker", 0).failed(),
                            pod("worker", 1).failed(),
                            pod("worker", 2).failed()});
  s.pass();
  BOOST_TEST(s.status.is_condition_true("Failed"));
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_granted_restart_is_carried_out_after_a_crash) {
  job_fixture s{
      make_job().workers(1).restart_policy("OnFailure").backoff_limit(1)};
  s.all_services().observe({pod("worker", 0).failed()});
  s.pass_and_save();
  // All memory is lost but what was saved.
  job_fixture again{s.j};
  again.saved = again.status = s.saved;
  again.all_services().observe({pod("worker", 0).failed()});
  again.pass();
  BOOST_TEST(again.decisions() == (strings{"delete pod job-worker-0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_any_retries_the_first_failure_ends_the_job) {
  const char* limit = "Job job has failed because it has reached the specified "
                      "backoff limit";
  for (const auto* kind : kinds_with_replica_map())
    for (const char* policy : {"Never", "OnFailure", "Always", "ExitCode"})
      for (bool dynamic : {false, true}) {
        auto j = make_least_job_of(*kind).workers(2);
        j.restart_policy(policy).backoff_limit(0);
        if (dynamic)
          j.dynamic();
        job_fixture s{j};
        s.all_services().observe(
            {pod("worker", 0).running(), pod("worker", 1).running()});
        s.pass_and_save();
        s.observe({pod("worker", 1).failed().version(2)});
        s.pass_and_save();
        BOOST_REQUIRE(s.status.is_condition_true("Failed"));
        BOOST_TEST(s.status.find_condition("Failed")->message == limit);
        // What counts is what counted before.
        BOOST_TEST(s.status.replicas.at("Worker").active == 2);
        BOOST_TEST(s.status.replicas.at("Worker").failed == 0);
        BOOST_TEST(s.events().size() == 1u);
      }
}

BOOST_AUTO_TEST_CASE(a_disruption_counts_against_nothing) {
  job_fixture s{
      make_job().workers(1).restart_policy("OnFailure").backoff_limit(1)};
  s.all_services();
  for (const char* reason :
       {"PreemptionByScheduler", "DeletionByTaintManager",
        "EvictionByEvictionAPI", "DeletionByPodGC", "TerminationByKubelet"}) {
    s.observe({pod("worker", 0).uid(reason).running()});
    s.pass_and_save();
    s.observe({pod("worker", 0)
                   .uid(reason)
                   .failed(137)
                   .disrupted(reason)
                   .version(2)});
    s.pass_and_save();
    BOOST_TEST(s.decisions() == (strings{"delete pod job-worker-0"}),
               boost::test_tools::per_element());
    BOOST_TEST(s.conditions() == "Created Running");
    BOOST_TEST(s.status.replicas.at("Worker").failed == 0);
    BOOST_TEST(s.status.restarts.empty());
    s.seen.record_deleted(core::child_kind::pod, reason);
  }
}

BOOST_AUTO_TEST_CASE(what_a_disrupted_pod_had_restarted_still_counts) {
  job_fixture s{
      make_job().workers(1).restart_policy("OnFailure").backoff_limit(3)};
  s.all_services().observe(
      {pod("worker", 0).failed().restarted(2).disrupted()});
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  s.save();
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"delete pod job-worker-0"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE_EQUAL(s.status.restarts.size(), 1u);
  BOOST_TEST(s.status.restarts[0].count == 2);
}

BOOST_AUTO_TEST_SUITE_END()
