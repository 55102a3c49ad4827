#include "frameworks/core/memory/events.hpp"
#include "frameworks/core/pass/desired_replicas.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "frameworks/di/coordinator/dijob_plan.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(dijob_plan_test)

namespace {

job_fixture new_job(const char* policy = "Running") {
  auto spec = di_spec();
  spec["cleanPodPolicy"] = policy;
  return job_fixture{make_dijob(spec)};
}

child_builder coordinator() {
  return pod("coordinator", 0);
}

/// A pod whose main container has ended while others still run.
child_builder running_but(child_builder p, int code) {
  return p.running().exited(code);
}

std::string counts(const job_fixture& s) {
  std::string out;
  for (const auto& [type, c] : s.status.replicas)
    out += (out.empty() ? "" : " ") + type + "=" + std::to_string(c.active)
           + "/" + std::to_string(c.succeeded) + "/" + std::to_string(c.failed);
  return out;
}

std::string times(const job_fixture& s, const char* type) {
  const auto* c = s.status.find_condition(type);
  return k8s::to_rfc3339(c->updated) + " "
         + k8s::to_rfc3339(c->last_transition_time);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_new_job_gets_a_coordinator_and_then_its_service) {
  auto s = new_job();
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Created");
  BOOST_TEST(s.status.conditions.back().message == "DIJob cp created");
  BOOST_TEST(s.events() == strings{"Normal DIJobCreated DIJob cp created"});
  BOOST_TEST(s.decisions() == strings{"create pod coordinator-0"});
  s.observe(coordinator());
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"create service cp-coordinator"});
  BOOST_TEST(s.events() == strings{});
  s.observe(service("coordinator", 0));
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{});
}

BOOST_AUTO_TEST_CASE(the_job_follows_its_coordinator) {
  struct {
    const char* what;
    child_builder pod;
    const char* phase;
    const char* conditions;
    const char* event;
  } rows[] = {
      {"pending", coordinator(), "Created", "Created", ""},
      {"runs", coordinator().running(), "Running", "Created Running", ""},
      {"terminating", coordinator().running().deleting(), "Created", "Created",
       ""},
      {"succeeded", coordinator().succeeded(), "Succeeded", "Created Succeeded",
       "Normal DIJobSucceeded DIJob cp succeeded because coordinator "
       "succeeded"},
      {"failed", coordinator().failed(), "Failed", "Created Failed",
       "Warning DIJobFailed DIJob cp failed because coordinator failed"},
      {"disrupted", coordinator().failed().disrupted(), "Failed",
       "Created Failed",
       "Warning DIJobFailed DIJob cp failed because coordinator failed"},
      {"its main process failed, a sidecar runs",
       running_but(coordinator(), 137), "Failed", "Created Failed",
       "Warning DIJobFailed DIJob cp failed because coordinator failed"},
      {"its main process succeeded, a sidecar runs",
       running_but(coordinator(), 0), "Succeeded", "Created Succeeded",
       "Normal DIJobSucceeded DIJob cp succeeded because coordinator "
       "succeeded"},
      {"a collector fails", pod("collector", 5).failed(), "Created", "Created",
       ""},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      auto s = new_job();
      s.pass_and_save();
      s.observe(r.pod);
      s.pass_and_save();
      BOOST_TEST(s.status.phase == r.phase);
      BOOST_TEST(s.conditions() == r.conditions);
      auto events = s.events();
      BOOST_TEST((events.empty() ? "" : events.front()) == r.event);
    }
}

BOOST_AUTO_TEST_CASE(replicas_that_were_asked_for_are_wanted) {
  auto s = new_job();
  s.pass_and_save();
  BOOST_TEST(s.last.summary
             == "0 of 1 replicas run; cp-coordinator does not exist yet");
  for (const auto& p :
       {coordinator().running(), pod("collector", 5).running(),
        pod("collector", 6), pod("learner", 7).running().deleting(),
        pod("aggregator", 8), pod("ddp-learner", 9).running()})
    s.observe(p);
  s.pass_and_save();
  BOOST_TEST(s.last.summary == "2 of 4 replicas run");
  const std::map<std::string, std::int32_t> desired{
      {"Aggregator", 1}, {"Collector", 2}, {"Coordinator", 1}, {"Learner", 0}};
  BOOST_TEST((core::desired_replicas(s.j, s.seen) == desired));
}

BOOST_AUTO_TEST_CASE(decisions_name_pods_with_random_names) {
  const core::create_child creation{core::child_kind::pod,
                                    {"collector", 1},
                                    "a pod of the job has asked for it"};
  BOOST_TEST(core::describe_decision(creation, make_dijob(di_spec()))
             == "create pod cp-collector-bbbbc: a pod of the job has asked for "
                "it");
}

BOOST_AUTO_TEST_CASE(a_coordinator_that_restarts_itself_is_not_finished) {
  auto spec = di_spec();
  spec["coordinator"]["template"]["spec"]["restartPolicy"] = "OnFailure";
  job_fixture s{make_dijob(spec)};
  s.observe(running_but(coordinator(), 1));
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Running");
  s.observe(running_but(coordinator(), 0).version(2));
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Succeeded");
}

BOOST_AUTO_TEST_CASE(running_ends_with_the_job) {
  auto s = new_job();
  s.observe(coordinator().running());
  s.pass_and_save();
  BOOST_TEST(s.status.conditions.back().message
             == "coordinator and aggregator of DIJob cp are running");
  auto begin = times(s, "Running");
  s.now += std::chrono::seconds{60};
  s.observe(coordinator().succeeded().version(2));
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Running=False Succeeded");
  BOOST_TEST(times(s, "Running") == times(s, "Succeeded"));
  BOOST_TEST(times(s, "Created") == begin);
}

BOOST_AUTO_TEST_CASE(pods_are_counted_by_role) {
  auto s = new_job();
  s.observe({coordinator().running(), pod("collector", 1).running(),
             pod("collector", 2).running(), pod("collector", 3),
             pod("collector", 4).running().deleting(),
             running_but(pod("learner", 1), 1), pod("learner", 2).failed(),
             pod("aggregator", 1).succeeded(), pod("ddp-learner", 1).running(),
             pod("learner", 9).running().owned_by("former-job")});
  s.pass_and_save();
  BOOST_TEST(counts(s)
             == "Aggregator=0/1/0 Collector=2/0/0 Coordinator=1/0/0 "
                "Learner=1/0/1");
  s.observe(coordinator().succeeded().version(2));
  s.pass_and_save();
  BOOST_TEST(counts(s)
             == "Aggregator=0/1/0 Collector=0/2/0 Coordinator=0/1/0 "
                "Learner=0/1/1");
}

BOOST_AUTO_TEST_CASE(counts_of_a_failed_job_stay) {
  auto s = new_job();
  s.observe({coordinator().failed(), pod("collector", 1).running()});
  s.pass_and_save();
  s.observe(pod("collector", 1).running().deleting().version(2));
  s.pass_and_save();
  BOOST_TEST(counts(s)
             == "Aggregator=0/0/0 Collector=1/0/0 Coordinator=0/0/1 "
                "Learner=0/0/0");
}

BOOST_AUTO_TEST_CASE(nothing_is_deleted_before_the_end_is_saved) {
  auto s = new_job("All");
  s.observe({coordinator().succeeded(), service("coordinator", 0)});
  s.pass();
  BOOST_TEST(s.decisions() == strings{});
  s.pass();
  BOOST_TEST(s.decisions() == strings{});
  s.save();
  s.pass();
  BOOST_TEST(s.decisions().size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_policy_says_which_pods_go) {
  auto crashing = pod("learner", 4).running();
  crashing.state().phase = k8s::pod_phase::running;
  k8s::container_status waiting;
  waiting.name = "di-container";
  waiting.state = k8s::container_status::state_kind::waiting;
  waiting.reason = "CrashLoopBackOff";
  auto in_back_off = pod("learner", 4).in(k8s::pod_phase::pending);
  in_back_off.state().containers.push_back(waiting);
  auto with_sidecar = pod("learner", 3).in(k8s::pod_phase::running);
  k8s::container_status side;
  side.name = "side";
  side.state = k8s::container_status::state_kind::terminated;
  with_sidecar.state().containers.push_back(side);
  struct {
    const char* policy;
    strings deleted;
  } rows[] = {
      {"Running",
       {"delete pod cp-collector-bbbbc", "delete pod cp-collector-bbbbd",
        "delete pod cp-learner-bbbbf"}},
      {"All",
       {"delete pod cp-collector-bbbbc", "delete pod cp-collector-bbbbd",
        "delete pod cp-collector-bbbbf", "delete pod cp-coordinator",
        "delete pod cp-learner-bbbbc", "delete pod cp-learner-bbbbf",
        "delete pod cp-learner-bbbbg"}},
      {"ALL",
       {"delete pod cp-collector-bbbbc", "delete pod cp-collector-bbbbd",
        "delete pod cp-collector-bbbbf", "delete pod cp-coordinator",
        "delete pod cp-learner-bbbbc", "delete pod cp-learner-bbbbf",
        "delete pod cp-learner-bbbbg"}},
      {"None", {}},
      {"Other", {}},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.policy) {
      auto s = new_job(r.policy);
      s.observe({coordinator().succeeded(), pod("collector", 1).running(),
                 pod("collector", 2), pod("collector", 3).failed(),
                 pod("collector", 4).running().deleting(),
                 pod("collector", 9).running().owned_by("former-job"),
                 pod("learner", 1).succeeded(), with_sidecar, in_back_off});
      s.observe({service("coordinator", 0), service("collector", 1)});
      s.pass_and_save();
      s.pass_and_save();
      auto decided = s.decisions();
      BOOST_REQUIRE(decided.size() == r.deleted.size() + 2);
      BOOST_TEST(decided[0] == "delete service cp-collector-bbbbc");
      BOOST_TEST(decided[1] == "delete service cp-coordinator");
      decided.erase(decided.begin(), decided.begin() + 2);
      BOOST_TEST(decided == r.deleted);
    }
}

BOOST_AUTO_TEST_CASE(services_go_even_if_no_pod_is_left) {
  auto s = new_job();
  s.observe(coordinator().succeeded());
  s.pass_and_save();
  s.seen.record_deleted(core::child_kind::pod, "pod-coordinator-0");
  s.observe(service("coordinator", 0));
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"delete service cp-coordinator"});
}

BOOST_AUTO_TEST_CASE(every_pod_has_a_service_as_long_as_it_exists) {
  auto s = new_job();
  s.observe({coordinator(), service("coordinator", 0), pod("collector", 1),
             pod("ddp-learner", 1), service("learner", 1),
             pod("aggregator", 1).deleting(), service("aggregator", 1),
             pod("collector", 5).name("odd").uid("odd")});
  s.pass_and_save();
  BOOST_TEST(
      s.decisions()
      == (strings{"create service odd", "create service cp-collector-bbbbc",
                  "create service cp-ddp-learner-bbbbc",
                  "delete service cp-learner-bbbbc"}));
}

BOOST_AUTO_TEST_CASE(a_deleted_coordinator_is_created_again) {
  auto s = new_job();
  s.observe({coordinator().running(), service("coordinator", 0)});
  s.pass_and_save();
  s.observe(coordinator().running().deleting().version(2));
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{});
  s.seen.record_deleted(core::child_kind::pod, "pod-coordinator-0");
  s.pass_and_save();
  BOOST_TEST(s.decisions()
             == (strings{"delete service cp-coordinator",
                         "create pod coordinator-0"}));
  BOOST_TEST(s.status.phase == "Running");
}

BOOST_AUTO_TEST_CASE(orphans_with_the_right_names_are_adopted) {
  auto s = new_job();
  s.observe(coordinator().running().orphan());
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"adopt pod cp-coordinator"});
  BOOST_TEST(s.status.phase == "Created");
  s.observe(
      {coordinator().running().version(2), service("coordinator", 0).orphan()});
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"adopt service cp-coordinator"});
}

BOOST_AUTO_TEST_CASE(the_coordinator_of_a_former_job_does_not_count) {
  auto s = new_job();
  s.observe(coordinator().succeeded().owned_by("former-job"));
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Created");
  BOOST_TEST(s.decisions() == strings{"create pod coordinator-0"});
}

BOOST_AUTO_TEST_CASE(a_restarted_operator_changes_no_phase) {
  for (auto code : {0, 1}) {
    auto s = new_job("All");
    s.observe(code == 0 ? coordinator().succeeded() : coordinator().failed());
    s.pass_and_save();
    auto end = s.status.phase;
    // The coordinator was deleted, and everything is seen for the first time.
    job_fixture again{s.j};
    again.status = again.saved = s.saved;
    again.pass_and_save();
    BOOST_TEST(again.status.phase == end);
    BOOST_TEST(again.decisions() == strings{});
    BOOST_TEST(again.events() == strings{});
    // Upstream's operator had set it back.
    again.status.phase = again.saved.phase = "Created";
    again.pass_and_save();
    BOOST_TEST(again.status.phase == end);
  }
}

BOOST_AUTO_TEST_CASE(a_job_that_cannot_have_services_fails) {
  job_fixture s{make_dijob(di_spec(), "a.b")};
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Failed");
  BOOST_TEST(s.conditions() == "Created Failed");
  BOOST_TEST(s.status.conditions.back().reason == "DIJobFailedValidation");
  BOOST_TEST(s.decisions() == strings{});
  BOOST_TEST(s.events().size() == 2u);
}

BOOST_AUTO_TEST_CASE(calls_are_told_of_with_the_kinds_own_words) {
  auto j = make_dijob(di_spec());
  core::create_child made{core::child_kind::service, {"coordinator", 0}, ""};
  k8s::failure no{k8s::ec::invalid, "50% {name}"};
  auto text = [](const core::job_event& e) {
    return (e.warning ? "Warning " : "Normal ") + e.reason + " " + e.message;
  };
  BOOST_TEST(text(core::child_created_event(made, j, "cp-coordinator"))
             == "Normal SuccessfulCreate Create service: cp-coordinator");
  BOOST_TEST(text(core::child_create_failed_event(made, j, no))
             == "Warning FailedCreate Failed to create service: "
                "cp-coordinator error: 50% {name}");
  BOOST_TEST(
      text(
          core::child_deleted_events(*j.kind, core::child_kind::pod, "p").at(0))
      == "Normal SuccessfulDelete Delete pod: p");
  core::delete_child removal{core::child_kind::pod, {}, "p", "uid", ""};
  BOOST_TEST(
      text(*core::failed_order_event_except_creation(*j.kind, removal, no, 0))
      == "Warning FailedDelete Failed to delete pod: p error: 50% "
         "{name}");
}

BOOST_AUTO_TEST_SUITE_END()
