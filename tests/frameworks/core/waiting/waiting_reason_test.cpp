#include "frameworks/core/waiting/waiting_reason.hpp"
#include "tests/frameworks/core/waiting/waiting_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(waiting_reason_test)

namespace {

waiting_fixture running(core::job j = make_job().workers(2)) {
  waiting_fixture w{std::move(j)};
  w.observe({pod("worker", 0).running(), pod("worker", 1).running()});
  return w;
}

core::job with_queue(core::job j, const char* manager, const char* queue) {
  j.spec_manager = manager;
  j.queue = queue;
  return j;
}

core::job left_to_other(core::job j, const char* why) {
  j.left_to_other = why;
  return j;
}

core::job invalid(core::job j, const char* why) {
  j.validation_error = why;
  return j;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_job_as_a_whole) {
  auto suspended = make_job().workers(2).suspended().get();
  struct row {
    core::job job;
    const char* answer;
    const char* row;
  } rows[] = {
      {invalid(make_job().workers(2), "spec.tfReplicaSpecs: Required value"),
       "a valid spec: spec.tfReplicaSpecs: Required value (a person, who "
       "corrects the job)",
       "valid-spec person"},
      {make_job().workers(2).deleting(),
       "its deletion, which has been requested (the controllers that own its "
       "finalizers)",
       "deletion controller"},
      {make_job().workers(2).policy("managedBy", "kueue.x-k8s.io/multikueue"),
       "the controller in runPolicy.managedBy; this operator does not run it "
       "(kueue.x-k8s.io/multikueue)",
       "other-controller controller"},
      {left_to_other(make_job().workers(2).policy("managedBy", "a/b"),
                     "mpi-operator runs"),
       "another operator to end: mpi-operator runs; this operator does not run "
       "it (a person, who scales the Deployment of that one to 0 to have this "
       "one run the job)",
       "other-operator person"},
      {with_queue(suspended, "", ""),
       "runPolicy.suspend to become false (a person, or the program that "
       "suspended the job)",
       "resume person"},
      {with_queue(suspended, "kubectl-edit", ""),
       "runPolicy.suspend to become false; the spec was last written by "
       "kubectl-edit (a person, or the program that suspended the job)",
       "resume person"},
      {with_queue(suspended, "kueue", "team-a"),
       "runPolicy.suspend to become false, when queue team-a of Kueue admits "
       "the job (Kueue)",
       "resume controller"},
      {make_job().workers(0),
       "replicas: its spec asks for none (a person, who scales the job)",
       "replicas-in-spec person"},
  };
  for (const auto& r : rows) {
    auto w = running(r.job);
    BOOST_TEST(w.answer() == r.answer);
    BOOST_TEST(w.row() == r.row);
  }
}

BOOST_AUTO_TEST_CASE(what_only_the_supervisor_knows) {
  auto w = running();
  w.supervisor.undecodable = true;
  BOOST_TEST(w.answer()
             == "a spec that can be read (a person, who corrects the job)");
  w.supervisor.recovering = true;
  BOOST_TEST(w.answer() == "its objects to be read again (the operator)");
}

BOOST_AUTO_TEST_CASE(nothing_is_known_yet) {
  waiting_fixture w;
  auto answer = [&](core::supervisor_state supervisor) {
    auto found = core::find_waiting_reason(
        {nullptr, w.seen, w.open, w.status, w.cluster, supervisor, w.now});
    return found ? describe_wait(*found, w.now) : "";
  };
  BOOST_TEST(answer({}) == "");
  BOOST_TEST(answer({false, true}) == "a spec that can be read");
}

BOOST_AUTO_TEST_CASE(a_suspended_job_waits_since_its_condition) {
  waiting_fixture w{make_job().workers(2).suspended()};
  w.status.set_condition("Suspended", true, "TFJobSuspended", "", base_time);
  w.now += 1h;
  BOOST_TEST((w.reason()->since == base_time));
}

BOOST_AUTO_TEST_CASE(the_gang_is_not_admitted) {
  auto waiting = [](const char* phase, json conditions = json::array()) {
    waiting_fixture w;
    w.cluster.scheduling = core::gang::volcano;
    w.status.gang_wait_since = base_time;
    k8s::object o;
    o.meta.name = "job";
    o.meta.ns = "ns";
    o.meta.uid = "group";
    o.meta.resource_version = 1;
    o.meta.owners.push_back(
        {"kubeflow.org/v1", "TFJob", "job", "job-uid", true});
    o.state = k8s::full_state{
        json{{"status", {{"phase", phase}, {"conditions", conditions}}}}.dump(),
        "{}"};
    record_seen(w.seen, core::child_kind::volcano_group, o, w.j, 1);
    return w;
  };
  constexpr const char* who =
      " (the gang scheduler; a person if the queue has no room for the job)";
  const json no_room{{{"type", "Unschedulable"},
                      {"status", "True"},
                      {"reason", "Unschedulable"},
                      {"message", "queue q has no room"}}};
  BOOST_TEST(waiting("").answer()
             == std::string{"its PodGroup job to be admitted; it has no phase "
                            "yet"}
                    + who);
  BOOST_TEST(waiting("Pending", no_room).answer()
             == std::string{"its PodGroup job to be admitted; it is Pending: "
                            "Unschedulable: queue q has no room"}
                    + who);
  BOOST_TEST((waiting("").reason()->since == base_time));
  BOOST_TEST(waiting("").row() == "gang-admission cluster");
  BOOST_TEST(waiting("Running").row() == "missing-pods operator");
}

BOOST_AUTO_TEST_CASE(a_job_that_has_ended) {
  auto over = [](core::job j = make_job().workers(1)) {
    waiting_fixture w{std::move(j)};
    w.status.set_condition("Succeeded", true, "TFJobSucceeded", "", base_time);
    w.status.completion_time = base_time;
    return w;
  };
  BOOST_TEST(over().answer() == "");
  BOOST_TEST(over(make_job().workers(1).ttl(600)).answer()
             == "its deletion in 10m, by ttlSecondsAfterFinished (the "
                "operator)");
  BOOST_TEST(over(make_job().workers(1).ttl(600)).row()
             == "time-to-live operator");
  auto w = over();
  w.observe({pod("worker", 0).running().deleting()});
  BOOST_TEST(w.answer() == "job-worker-0 to be deleted (the kubelet)");
  w.supervisor.status_write.in_flight = true;
  BOOST_TEST(w.answer() == "the write of its status (the API server)");
  w.supervisor.status_write.failures_in_a_row = 1;
  BOOST_TEST(w.row() == "failed-status-write cluster");
}

// The text has no clock of its own: only the time that is left changes.
BOOST_AUTO_TEST_CASE(the_time_left_is_where_it_is_read_best) {
  core::waiting_reason r;
  r.what = "its deletion";
  r.until = base_time + 90s;
  BOOST_TEST(describe_wait(r, base_time) == "its deletion in 90s");
  BOOST_TEST(describe_wait(r, base_time + 2min) == "its deletion in 0s");
  r.how = "which has failed once";
  r.details = "no";
  r.then = "it is tried again";
  BOOST_TEST(describe_wait(r, base_time)
             == "its deletion, which has failed once: no; it is tried again in "
                "90s");
}

BOOST_AUTO_TEST_SUITE_END()
