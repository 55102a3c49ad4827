// Which pod that has failed is replaced, and what is told of it.
#include "frameworks/core/pass/restarts.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(restarts_test)

BOOST_AUTO_TEST_CASE(the_policy_and_the_code_say_what_becomes_of_a_failure) {
  using policy = core::restart_policy;
  using action = core::failure_action;
  struct row {
    policy p;
    std::optional<int> code;
    action v;
  } rows[] = {
      {policy::never, 1, action::keep},
      {policy::never, 137, action::keep},
      {policy::other, 137, action::keep},
      {policy::on_failure, 1, action::replace},
      {policy::always, 1, action::replace},
      {policy::exit_code, 0, action::fail_job},
      {policy::exit_code, 1, action::fail_job},
      {policy::exit_code, 127, action::fail_job},
      {policy::exit_code, 128, action::replace},
      {policy::exit_code, 137, action::replace},
      {policy::exit_code, {}, action::replace}, // Evicted.
  };
  for (const auto& r : rows) {
    core::child_view v;
    v.phase = k8s::pod_phase::failed;
    v.exit_code = r.code;
    BOOST_TEST((action_on_failure(*frameworks::find("TFJob"), r.p, v) == r.v));
    v.disrupted = true;
    for (const auto& kind : frameworks::all())
      BOOST_TEST((action_on_failure(kind, r.p, v) == action::replace_uncounted)
                 == kind.ending.replaces_disrupted_pods);
    v.terminating = true;
    BOOST_TEST((action_on_failure(*frameworks::find("TFJob"), r.p, v)
                == action::already_terminating));
  }
}

BOOST_AUTO_TEST_CASE(what_was_no_failure_of_the_program_is_replaced) {
  using policy = core::restart_policy;
  using action = core::failure_action;
  for (const auto& kind : frameworks::all())
    for (auto p : {policy::never, policy::on_failure, policy::always,
                   policy::exit_code}) {
      core::child_view v;
      v.phase = k8s::pod_phase::failed;
      v.refused = true;
      bool replaced = p != policy::never;
      BOOST_TEST((action_on_failure(kind, p, v) == action::replace)
                 == replaced);
      v.gave_up_waiting = true; // For every policy.
      BOOST_TEST((action_on_failure(kind, p, v) == action::replace_uncounted));
    }
}

BOOST_AUTO_TEST_CASE(a_launcher_that_its_node_refuses_is_replaced) {
  struct row {
    const char* reason;
    bool has_containers;
    const char* decision; ///< "": the job fails.
  } rows[] = {
      {"UnexpectedAdmissionError", false, "delete pod launcher"},
      {"OutOfcpu", false, "delete pod launcher"},
      {"NodeAffinity", false, "delete pod launcher"},
      {"Evicted", false, ""},
      {"", false, ""},
      {"UnexpectedAdmissionError", true, ""}, // It has run.
  };
  for (const auto& r : rows)
    for (const char* limit : {"none", "5", "0"}) {
      auto b = make_job_of("MPIJob").type("Launcher", 1);
      b.restart_policy("OnFailure");
      if (limit != std::string{"none"})
        b.backoff_limit(std::stoi(limit));
      job_fixture s{b};
      auto launcher = pod("launcher", 0).failed({}).reason(r.reason);
      if (r.has_containers)
        launcher = pod("launcher", 0).failed(1).reason(r.reason);
      s.observe({launcher});
      s.pass_and_save();
      s.pass_and_save(); // With a limit the restart is saved first.
      bool replaced = *r.decision != '\0' && limit != std::string{"0"};
      BOOST_TEST_CONTEXT(r.reason << " " << limit) {
        BOOST_TEST((s.conditions().find("Failed") == std::string::npos)
                   == replaced);
        auto all = s.decisions();
        BOOST_TEST(
            (std::count(all.begin(), all.end(), "delete pod job-launcher") > 0)
            == replaced);
      }
    }
}

BOOST_AUTO_TEST_CASE(a_failed_pod_is_replaced_with_one_event) {
  job_fixture s{make_job().workers(2).restart_policy("OnFailure")};
  s.all_services().observe(
      {pod("worker", 0).running(), pod("worker", 1).running()});
  s.pass();
  s.observe({pod("worker", 1).failed().version(2)});
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"delete pod job-worker-1"}),
             boost::test_tools::per_element());
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(s.events()
                 == (strings{"Warning TFJobRestarting job job is restarting "
                             "because Worker replica(s) failed."}),
             boost::test_tools::per_element());
  BOOST_TEST(s.status.restarts.empty()); // No limit, no record.
  auto before = s.status;
  s.pass();
  BOOST_TEST(s.events() == (strings{}), boost::test_tools::per_element());
  BOOST_TEST((s.status == before));

  s.seen.mark_delete_accepted(core::child_kind::pod, "pod-worker-1");
  s.pass();
  BOOST_TEST(s.conditions() == "Created Restarting");
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());

  s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");
  BOOST_TEST(s.decisions() == (strings{"create pod worker-1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_type_that_restarts_is_told) {
  auto told = [](const char* type) {
    return std::string{"Warning TFJobRestarting job job is restarting because "}
           + type + " replica(s) failed.";
  };
  for (bool limited : {false, true}) {
    auto j = make_job().workers(1).servers(2).restart_policy("OnFailure");
    if (limited)
      j.backoff_limit(9);
    job_fixture s{j};
    // At once ...
    s.all_services().observe({pod("worker", 0).failed(), pod("ps", 0).failed(),
                              pod("ps", 1).running()});
    s.pass_and_save();
    BOOST_TEST(s.events() == (strings{told("PS"), told("Worker")}),
               boost::test_tools::per_element());
    s.pass_and_save(); // With a limit the deletions come now.
    BOOST_TEST(s.events() == (strings{}), boost::test_tools::per_element());
    // ... or later, while the job says Restarting.
    for (const char* uid : {"pod-worker-0", "pod-ps-0"})
      s.seen.record_deleted(core::child_kind::pod, uid);
    s.observe({pod("worker", 0).uid("next"), pod("ps", 0).uid("other")});
    s.pass_and_save();
    s.observe({pod("ps", 1).failed().version(2)});
    s.pass_and_save();
    BOOST_TEST(s.conditions() == "Created Restarting");
    BOOST_TEST(s.events() == (strings{told("PS")}),
               boost::test_tools::per_element());
    s.pass_and_save();
    s.pass_and_save();
    BOOST_TEST(s.events().empty());
  }
}

BOOST_AUTO_TEST_CASE(the_message_says_how_many_while_the_chief_runs) {
  struct row {
    const char* kind;
    bool first_runs;
    const char* message;
  } rows[] = {
      {"JAXJob", true,
       "JAXJob job is restarting because 1 Worker replica(s) failed."},
      {"JAXJob", false,
       "job job is restarting because Worker replica(s) failed."},
      {"PyTorchJob", true,
       "PyTorchJob job is restarting because 1 Worker replica(s) failed."},
      {"TFJob", true,
       "job job is restarting because Worker replica(s) failed."},
  };
  for (const auto& r : rows) {
    job_fixture s{make_job_of(r.kind).workers(2).restart_policy("OnFailure")};
    auto first = pod("worker", 0);
    s.all_services().observe(
        {r.first_runs ? first.running() : first, pod("worker", 1).failed()});
    s.pass();
    BOOST_TEST(s.conditions() == "Created Restarting");
    BOOST_TEST(s.status.conditions.back().message == r.message);
  }
}

BOOST_AUTO_TEST_SUITE_END()
