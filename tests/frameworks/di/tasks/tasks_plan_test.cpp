#include "frameworks/core/memory/events.hpp"
#include "frameworks/di/tasks/tasks_plan.hpp"
#include "tests/frameworks/di/tasks/tasks_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(tasks_plan_test)

namespace {

child_builder job_service(const char* name = "di-cp") {
  return service("", 0).name(name).uid(name);
}

/// A learner and two collectors.
job_fixture new_job(const json& spec = tasks_spec()) {
  return job_fixture{make_tasks_job(spec)};
}

child_builder learner() {
  return pod("learner", 0);
}

child_builder collector(int index) {
  return pod("collector", index);
}

/// All pods are ready, the service is there, the status is saved.
job_fixture running_job(const json& spec = tasks_spec()) {
  auto s = new_job(spec);
  s.observe({learner().ready(), collector(0).ready(), collector(1).ready(),
             job_service()});
  s.pass_and_save();
  return s;
}

void edit(job_fixture& s, int collectors) {
  s.j = make_tasks_job(
      tasks_spec({di_task("learner"), di_task("collector", collectors)}));
}

std::string counters(const job_fixture& s) {
  return std::to_string(s.status.tasks.restarts) + " restarts, "
         + std::to_string(s.status.tasks.reschedules) + " reschedules";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_new_job_gets_all_pods_and_the_service) {
  auto s = new_job();
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Pending");
  BOOST_TEST(s.events() == strings{"Normal JobPending job created."});
  BOOST_TEST(s.decisions()
             == (strings{"create pod learner-0", "create pod collector-0",
                         "create pod collector-1", "create service di-cp"}));
  s.observe({learner(), collector(0), job_service()});
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Pending");
  BOOST_TEST(s.decisions() == strings{"create pod collector-1"});
  s.observe(collector(1));
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Starting");
  BOOST_TEST(s.events()
             == strings{"Normal JobStarting job is starting since all replicas "
                        "are created."});
  BOOST_TEST(s.decisions() == strings{});
  BOOST_TEST(s.status.tasks.replicas == 3);
  BOOST_TEST(s.last.summary
             == "is starting (0 of 3 pods are ready) (being written): 0 of 3 "
                "replicas run; cp-learner-0 is not scheduled yet");
}

BOOST_AUTO_TEST_CASE(a_job_runs_when_all_its_pods_are_ready) {
  auto s = new_job();
  s.observe({learner().ready(), collector(0).ready(), collector(1).running(),
             job_service()});
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Starting");
  BOOST_TEST(s.status.tasks.ready == 2);
  s.observe(collector(1).ready().version(2));
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Running");
  BOOST_TEST(s.conditions() == "Pending=False Starting=False Running");
  BOOST_TEST(s.events()
             == strings{"Normal JobRunning job is running since all replicas "
                        "are ready."});
  BOOST_TEST((s.status.tasks.pods["collector"]["Running"] == 2));
  BOOST_TEST(s.last.summary == "3 of 3 replicas run");
}

BOOST_AUTO_TEST_CASE(what_pods_do_decides_the_phase) {
  auto preemptible = tasks_spec();
  preemptible["preemptible"] = true;
  auto unlimited = tasks_spec();
  unlimited.erase("backoffLimit");
  auto once = tasks_spec();
  once["backoffLimit"] = 0;
  struct {
    const char* what;
    json spec;
    child_builder collector;
    const char* phase;
    const char* message;
    const char* counters;
  } rows[] = {
      {"failed", tasks_spec(), collector(1).failed(), "Restarting",
       "job is restarting since 1 pods failed.", "1 restarts, 0 reschedules"},
      {"failed, no limit", unlimited, collector(1).failed(), "Restarting",
       "job is restarting since 1 pods failed.", "1 restarts, 0 reschedules"},
      {"failed, no restarts", once, collector(1).failed(), "Failed",
       "job failed since 1 pods failed. and exceed backoff limit",
       "0 restarts, 0 reschedules"},
      {"its node is lost", tasks_spec(),
       collector(1).in(k8s::pod_phase::unknown), "Restarting",
       "job is restarting since 1 pods failed.", "1 restarts, 0 reschedules"},
      {"evicted", tasks_spec(), collector(1).failed({}).reason("Evicted"),
       "Restarting", "job is restarting since 1 pods failed.",
       "1 restarts, 0 reschedules"},
      {"not admitted", tasks_spec(), collector(1).failed({}).reason("OutOfcpu"),
       "Rescheduling",
       "job is rescheduling since replicas changed, replicas: 3, allocation: "
       "[].",
       "0 restarts, 1 reschedules"},
      {"no device", once,
       collector(1).failed({}).reason("UnexpectedAdmissionError"),
       "Rescheduling",
       "job is rescheduling since replicas changed, replicas: 3, allocation: "
       "[].",
       "0 restarts, 1 reschedules"},
      {"terminated", tasks_spec(), collector(1).failed(143), "Restarting",
       "job is restarting since 1 pods failed.", "1 restarts, 0 reschedules"},
      {"terminated, preemptible", preemptible, collector(1).failed(143),
       "Rescheduling",
       "job is rescheduling since replicas changed, replicas: 3, allocation: "
       "[].",
       "0 restarts, 1 reschedules"},
      {"is being deleted", tasks_spec(), collector(1).failed().deleting(),
       "Rescheduling",
       "job is rescheduling since replicas changed, replicas: 3, allocation: "
       "[].",
       "0 restarts, 1 reschedules"},
      {"succeeded alone", tasks_spec(), collector(1).succeeded(), "Running",
       "job is running since all pods are ready.", "0 restarts, 0 reschedules"},
  };
  for (auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      auto s = running_job(r.spec);
      BOOST_TEST(s.status.phase == "Running");
      s.observe(r.collector.version(2));
      s.pass_and_save();
      BOOST_TEST(s.status.phase == r.phase);
      BOOST_TEST(s.status.conditions.back().message == r.message);
      BOOST_TEST(counters(s) == r.counters);
    }
}

BOOST_AUTO_TEST_CASE(a_failed_pod_is_replaced_when_its_restart_is_saved) {
  auto s = running_job();
  s.observe(collector(0).failed().version(2));
  s.pass();
  BOOST_TEST(s.status.phase == "Restarting");
  BOOST_TEST(s.events()
             == strings{"Warning JobRestarting job is restarting since "
                        "conditions changed."});
  BOOST_TEST(s.decisions() == strings{});
  s.pass();
  BOOST_TEST(s.decisions() == strings{});
  BOOST_TEST(counters(s) == "1 restarts, 0 reschedules");
  s.save();
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"delete pod cp-collector-0"});
  s.observe(collector(0).failed().deleting().version(3));
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{});
  s.seen.record_deleted(core::child_kind::pod, "pod-collector-0");
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"create pod collector-0"});
  BOOST_TEST(s.status.phase == "Restarting");
  s.observe(collector(0).uid("new").version(9));
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Starting");
  BOOST_TEST(s.status.conditions.back().message
             == "job is starting since the created pods 3 are matched "
                "replicas 3.");
  BOOST_TEST(counters(s) == "1 restarts, 0 reschedules");
}

BOOST_AUTO_TEST_CASE(an_operator_that_restarts_counts_a_failure_once) {
  auto s = running_job();
  s.observe(collector(0).failed().version(2));
  s.pass_and_save();
  s.status = s.saved; // All that a new process has.
  s.pass_and_save();
  BOOST_TEST(counters(s) == "1 restarts, 0 reschedules");
  BOOST_TEST(s.decisions() == strings{"delete pod cp-collector-0"});
  auto lost = running_job();
  lost.observe(collector(0).failed().version(2));
  lost.pass(); // And dies before it has saved.
  lost.status = lost.saved;
  lost.pass_and_save();
  BOOST_TEST(counters(lost) == "1 restarts, 0 reschedules");
}

BOOST_AUTO_TEST_CASE(pods_that_keep_failing_early_wait) {
  auto s = new_job(tasks_spec({di_task("learner")}));
  auto failed_at_once = [&](int nth) {
    return learner()
        .failed()
        .ran(s.now, std::chrono::seconds{1})
        .annotated(core::label::early_failures, std::to_string(nth));
  };
  s.observe({failed_at_once(2), job_service()});
  s.pass_and_save();
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Restarting");
  BOOST_TEST(s.decisions() == strings{});
  BOOST_REQUIRE(s.last.requeue_at);
  s.now = *s.last.requeue_at;
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"delete pod cp-learner-0"});
}

BOOST_AUTO_TEST_CASE(tasks_are_scaled_by_a_rescheduling) {
  auto s = running_job();
  edit(s, 3);
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Rescheduling");
  BOOST_TEST(s.events()
             == strings{"Warning JobRescheduling job is rescheduling since "
                        "replicas or allocation changed."});
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"create pod collector-2"});
  BOOST_TEST(s.last.summary
             == "is rescheduling: 3 of 4 replicas run; cp-collector-2 does not "
                "exist yet");
  s.observe(collector(2).ready());
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Running");
  edit(s, 1);
  s.pass_and_save();
  s.pass_and_save();
  BOOST_TEST(
      s.decisions()
      == (strings{"delete pod cp-collector-1", "delete pod cp-collector-2"}));
  BOOST_TEST(counters(s) == "0 restarts, 2 reschedules");
}

BOOST_AUTO_TEST_CASE(a_task_that_is_gone_leaves_no_pods) {
  auto s = running_job();
  s.j = make_tasks_job(tasks_spec({di_task("collector", 2)}));
  s.pass_and_save();
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"delete pod cp-learner-0"});
  s.j = make_tasks_job(tasks_spec({}));
  s.pass_and_save();
  for (const char* uid :
       {"pod-learner-0", "pod-collector-0", "pod-collector-1"})
    s.seen.record_deleted(core::child_kind::pod, uid);
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Pending");
  BOOST_TEST(s.status.conditions.back().message
             == "job is pending since no replicas assigned.");
  BOOST_TEST(s.last.summary == "asks for no replicas");
}

BOOST_AUTO_TEST_CASE(a_deleted_pod_is_created_again) {
  auto s = running_job();
  s.seen.record_deleted(core::child_kind::pod, "pod-collector-0");
  s.pass_and_save();
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"create pod collector-0"});
  BOOST_TEST(counters(s) == "0 restarts, 1 reschedules");
}

BOOST_AUTO_TEST_CASE(a_job_ends_with_its_pods) {
  struct {
    const char* policy;
    strings deleted;
  } rows[] = {
      {"Running", {}},
      {"None", {}},
      {"All",
       {"delete pod cp-collector-0", "delete pod cp-collector-1",
        "delete pod cp-learner-0"}},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.policy) {
      auto spec = tasks_spec();
      spec["cleanPodPolicy"] = r.policy;
      auto s = running_job(spec);
      s.observe({learner().succeeded().version(2),
                 collector(0).succeeded().version(2),
                 collector(1).succeeded().version(2)});
      s.pass_and_save();
      BOOST_TEST(s.status.phase == "Succeeded");
      BOOST_TEST(s.events()
                 == strings{"Normal JobSucceeded job is succeeded since all "
                            "the replicas are succeeded."});
      BOOST_TEST(s.decisions() == strings{});
      BOOST_TEST(s.status.completion_time.has_value());
      BOOST_TEST(s.status.tasks.pods.empty());
      BOOST_TEST(s.status.tasks.ready == 0);
      s.pass_and_save();
      auto expected = r.deleted;
      expected.insert(expected.begin(), "delete service di-cp");
      BOOST_TEST(s.decisions() == expected);
      s.status = s.saved;
      s.pass();
      BOOST_TEST((s.status == s.saved));
    }
}

BOOST_AUTO_TEST_CASE(running_pods_of_a_failed_job_are_removed) {
  auto spec = tasks_spec();
  spec["backoffLimit"] = 0;
  auto s = running_job(spec);
  s.observe(learner().failed().version(2));
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Failed");
  BOOST_TEST(s.events()
             == strings{"Warning JobFailed job is failed since some replicas "
                        "are failed."});
  s.pass_and_save();
  BOOST_TEST(s.decisions()
             == (strings{"delete service di-cp", "delete pod cp-collector-0",
                         "delete pod cp-collector-1"}));
}

BOOST_AUTO_TEST_CASE(what_carries_the_labels_of_another_job_is_released) {
  auto taken = pod("collector", 0).name("mine").uid("mine").of_job("other");
  auto s = running_job();
  s.observe(taken);
  s.pass();
  BOOST_TEST(s.decisions() == strings{"release pod mine"});

  auto spec = tasks_spec();
  spec["cleanPodPolicy"] = "All";
  auto over = running_job(spec);
  over.observe({learner().succeeded().version(2),
                collector(0).succeeded().version(2),
                collector(1).succeeded().version(2)});
  over.pass_and_save();
  over.observe({taken, job_service().of_job("other").version(2)});
  over.pass();
  BOOST_TEST(
      over.decisions()
          == (strings{"release service di-cp", "release pod mine",
                      "delete pod cp-collector-0", "delete pod cp-collector-1",
                      "delete pod cp-learner-0"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_invalid_job_fails_with_the_reason) {
  auto s = new_job(tasks_spec({di_task("none")}));
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Failed");
  BOOST_TEST(s.status.conditions.back().reason == "JobFailed");
  BOOST_TEST(s.status.conditions.back().message
             == "none type task has no name");
  BOOST_TEST(s.events().back()
             == "Warning JobFailed none type task has no name");
  BOOST_TEST(s.decisions() == strings{});
}

BOOST_AUTO_TEST_CASE(there_is_one_service) {
  auto s = running_job();
  s.observe(job_service("di-other"));
  s.pass_and_save();
  BOOST_TEST(s.decisions() == strings{"delete service di-other"});
  s.seen.record_deleted(core::child_kind::service, "di-cp");
  s.observe(job_service().uid("orphan").orphan());
  s.pass_and_save();
  BOOST_TEST(s.decisions()
             == (strings{"delete service di-other", "adopt service di-cp"}));
}

BOOST_AUTO_TEST_CASE(an_unknown_phase_is_begun_anew) {
  auto s = running_job();
  s.status.phase = s.saved.phase = "Unknown";
  s.pass_and_save();
  BOOST_TEST(s.status.phase == "Running");
}

BOOST_AUTO_TEST_CASE(events_about_children_have_words_of_their_own) {
  auto j = make_tasks_job(tasks_spec());
  core::create_child made{core::child_kind::pod, {"learner", 0}, ""};
  auto text = core::child_created_event(made, j, "cp-learner-0");
  BOOST_TEST(text.reason == "SuccessfulCreate");
  BOOST_TEST(text.message == "pod cp-learner-0 was successfully created");
  text = core::child_create_failed_event(made, j, {k8s::ec::forbidden, "no"});
  BOOST_TEST(text.message == "failed to create pod: cp-learner-0 error: no");
}

BOOST_AUTO_TEST_SUITE_END()
