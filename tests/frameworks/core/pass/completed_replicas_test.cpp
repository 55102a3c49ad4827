#include "frameworks/core/pass/completed_replicas.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(completed_replicas_test)

BOOST_AUTO_TEST_CASE(what_has_succeeded_is_not_made_again) {
  job_fixture s{make_job().workers(3).all_workers()};
  s.all_services();
  s.observe({pod("worker", 0).running(), pod("worker", 1).succeeded(),
             pod("worker", 2).running()});
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->completed_of("Worker").text() == "1");
  s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
  s.pass_and_save();
  BOOST_TEST(s.decisions().empty());
  BOOST_TEST(s.status.replicas.at("Worker").succeeded == 1);

  // Another process knows it, too.
  s.status = s.saved;
  s.pass_and_save();
  BOOST_TEST(s.decisions().empty());

  s.observe({pod("worker", 0).succeeded().version(2),
             pod("worker", 2).succeeded().version(2)});
  s.pass_and_save();
  BOOST_TEST(s.status.is_condition_true("Succeeded"));
  BOOST_TEST(s.status.replicas.at("Worker").succeeded == 3);
  BOOST_TEST(s.status.recovery->completed.empty());
}

BOOST_AUTO_TEST_CASE(what_a_status_cannot_keep_is_not_wanted) {
  job_fixture s{make_job().workers(3).all_workers()};
  s.all_services();
  core::recovery_status full;
  for (int i = 0; i < 10'000; ++i)
    full.completed["Worker"].insert(2 * i + 10);
  s.status.recovery = full;
  s.observe({pod("worker", 0).succeeded(), pod("worker", 1).running(),
             pod("worker", 2).running()});
  s.pass_and_save();
  BOOST_TEST((s.saved == s.status)); // Else it would be written for ever.
  BOOST_TEST(s.saved.recovery->completed_of("Worker").contains(0));
  auto before = s.status;
  s.pass();
  BOOST_TEST((s.status == before));
}

BOOST_AUTO_TEST_CASE(a_resumed_job_makes_all_of_it_again) {
  auto b = make_job().workers(2).all_workers();
  job_fixture s{b};
  s.all_services();
  s.observe({pod("worker", 0).running(), pod("worker", 1).succeeded()});
  s.pass_and_save();
  s.j = b.suspended();
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->completed.empty());
}

BOOST_AUTO_TEST_CASE(a_success_policy_says_which_replicas_count) {
  struct row {
    json policy;
    bool chief_done;
    int workers_done;
    bool succeeded;
  } rows[] = {
      {{{"operator", "All"}, {"targetReplicaTypes", {"Worker"}}},
       true,
       1,
       false},
      {{{"operator", "All"}, {"targetReplicaTypes", {"Worker"}}},
       false,
       2,
       true},
      {{{"operator", "Any"}, {"targetReplicaTypes", {"Worker"}}},
       false,
       1,
       true},
      {{{"operator", "Any"}, {"targetReplicaTypes", {"Worker"}}},
       true,
       0,
       false},
      {{{"operator", "Any"}}, true, 0, true},
      {{{"operator", "All"}}, true, 0, true},
  };
  for (const auto& r : rows) {
    auto b = make_job().chief().workers(2);
    b.policy("successPolicy", r.policy);
    job_fixture s{b};
    s.all_services();
    s.observe(r.chief_done ? pod("chief", 0).succeeded()
                           : pod("chief", 0).running());
    for (int i = 0; i < 2; ++i)
      s.observe(i < r.workers_done ? pod("worker", i).succeeded()
                                   : pod("worker", i).running());
    s.pass_and_save();
    BOOST_TEST_CONTEXT(r.policy.dump() << r.chief_done << r.workers_done)
    BOOST_TEST(s.status.is_condition_true("Succeeded") == r.succeeded);
  }
}

BOOST_AUTO_TEST_SUITE_END()
