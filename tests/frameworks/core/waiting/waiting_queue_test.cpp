#include "frameworks/core/waiting/waiting_queue.hpp"
#include "tests/frameworks/core/waiting/workload_builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(waiting_queue_test)

namespace {

std::string answer_of(json conditions, json rest = json::object()) {
  return queue_fixture{}
      .workload(std::move(conditions), std::move(rest))
      .answer();
}

} // namespace

BOOST_AUTO_TEST_CASE(what_kueue_says_is_quoted_and_tells_whose_move_it_is) {
  struct row {
    const char* message;
    const char* who;
    const char* row;
  } rows[] = {
      {"couldn't assign flavors to pod set worker: insufficient unused quota "
       "for cpu in flavor f1, 3 more needed",
       "Kueue", "queue controller"},
      {"insufficient quota for cpu in flavor f1, request > maximum capacity "
       "(4 > 3)",
       "an administrator, who raises the quota; a person who makes the job "
       "smaller",
       "queue person"},
      {"LocalQueue team-a doesn't exist",
       "an administrator, who makes that queue; a person if its name in the "
       "job's label is wrong",
       "queue person"},
      {"ClusterQueue cq is inactive",
       "an administrator, who starts or repairs the queue", "queue person"},
  };
  for (const auto& r : rows) {
    queue_fixture f;
    f.workload({quota_refused(r.message)});
    BOOST_TEST(f.answer()
               == std::string{"queue team-a of Kueue: "} + r.message + " ("
                      + r.who + ")");
    BOOST_TEST(f.row() == r.row);
    BOOST_TEST((f.reason()->since == base_time));
  }
  BOOST_TEST(answer_of(json::array()) == "queue team-a of Kueue (Kueue)");
}

BOOST_AUTO_TEST_CASE(the_place_in_the_queue_and_queues_that_are_stopped) {
  queue_fixture f;
  f.workload({quota_refused("no room")});
  f.supervisor.queue.place = 3;
  f.supervisor.queue.place_in_cluster_queue = 12;
  BOOST_TEST(f.answer()
             == "queue team-a of Kueue, number 3 in it, number 12 in its "
                "ClusterQueue: no room (Kueue)");
  f.supervisor.queue = {};
  f.supervisor.queue.is_beyond = 250;
  BOOST_TEST(f.answer()
             == "queue team-a of Kueue, not among the first 250 of it: no room "
                "(Kueue)");
  f.supervisor.queue = {};
  f.supervisor.queue.stopped = "ClusterQueue cq is stopped (Hold)";
  BOOST_TEST(f.answer()
             == "queue team-a of Kueue: ClusterQueue cq is stopped (Hold); "
                "Kueue says: no room (an administrator, who starts or repairs "
                "the queue)");
}

BOOST_AUTO_TEST_CASE(an_admission_check_that_is_not_ready) {
  json checks{{"status",
               {{"admissionChecks",
                 {{{"name", "ready"}, {"state", "Ready"}, {"message", "x"}},
                  {{"name", "prov"},
                   {"state", "Pending"},
                   {"message", "no nodes yet"}}}}}}};
  BOOST_TEST(answer_of({quota_reserved()}, checks)
             == "an admission check of queue team-a of Kueue: prov: no nodes "
                "yet (the controller of that admission check)");
  BOOST_TEST(answer_of({quota_reserved()})
             == "queue team-a of Kueue: quota is reserved, it is not admitted "
                "yet (Kueue)");
}

BOOST_AUTO_TEST_CASE(a_workload_that_only_a_person_lets_go_on) {
  json inactive{{"spec", {{"active", false}}}};
  BOOST_TEST(answer_of({evicted("Deactivated", "The workload is deactivated"),
                        quota_refused("The workload is deactivated")},
                       inactive)
             == "its Workload to be active again, tfjob-job-w: The workload is "
                "deactivated (a person, who sets spec.active of it to true)");
  BOOST_TEST(
      answer_of({workload_condition("Finished", true, "FailedToStart",
                                    "the label a of the template is \"b\"")})
      == "another Workload, because its own is finished "
         "(FailedToStart): the label a of the template is \"b\" (a "
         "person, who changes the job's size or queue, or deletes the "
         "Workload)");
}

BOOST_AUTO_TEST_CASE(pods_that_hold_quota) {
  auto evicted_with = [](std::initializer_list<child_builder> pods) {
    queue_fixture f;
    f.workload(
        {quota_reserved(), admitted(), evicted("Preempted", "for another")});
    f.observe(pods);
    return f;
  };
  auto f = evicted_with({pod("worker", 0).running().deleting()});
  BOOST_TEST(f.answer()
             == "its pods to end, which hold quota of ClusterQueue cq, because "
                "Kueue has evicted the job (Preempted): for another; 1 pod is "
                "left (the kubelets of its pods)");
  BOOST_TEST(f.row() == "queue cluster");
  BOOST_TEST(evicted_with({}).answer()
             == "its quota to be given back (the operator)");

  queue_fixture deleted{make_job().workers(2).deleting()};
  deleted.workload({quota_reserved(), admitted()}, json::object(), true);
  BOOST_TEST(deleted.row() == "deletion controller");
  deleted.observe({pod("worker", 0).running().deleting(),
                   pod("worker", 1).running().deleting()});
  BOOST_TEST(deleted.answer()
             == "its pods to end, which hold quota of ClusterQueue cq, because "
                "its deletion has been requested; 2 pods are left (the "
                "kubelets of its pods)");
  BOOST_TEST(deleted.row() == "quota cluster");
}

BOOST_AUTO_TEST_CASE(before_there_is_a_workload) {
  queue_fixture f;
  BOOST_TEST(f.answer()
             == "its Workload to be made, for queue team-a of Kueue (the "
                "operator)");
  f.observe({pod("worker", 0).running()});
  BOOST_TEST(f.answer()
             == "its pods to end, before it asks Kueue for "
                "quota (the kubelets of its pods)");
  f.cluster.queueing = {};
  f.cluster.queueing.holds = true;
  f.cluster.queueing.why_off = "waits for Kueue, which is not installed";
  BOOST_TEST(
      f.answer()
      == "queue team-a of Kueue: waits for Kueue, which is not installed "
         "(an administrator, who installs Kueue, or sets --kueue to "
         "off)");
  f.cluster.queueing = {};
  f.cluster.queueing.unknown = true;
  BOOST_TEST(f.row() == "queue operator");
}

BOOST_AUTO_TEST_CASE(what_kueue_said_before_it_went) {
  queue_fixture f;
  f.workload({quota_refused("no room")});
  f.cluster.queueing = {};
  f.cluster.queueing.holds = true;
  f.cluster.queueing.why_off = "waits for Kueue, which is not installed";
  BOOST_TEST(
      f.answer()
      == "queue team-a of Kueue: waits for Kueue, which is not installed "
         "(an administrator, who installs Kueue, or sets --kueue to "
         "off)");
}

BOOST_AUTO_TEST_CASE(a_step_that_is_refused) {
  auto answer_after = [](k8s::failure why) {
    queue_fixture f;
    f.open.expect_operation(core::child_kind::workload, "",
                            core::operation::update, f.now);
    f.open.block_operation_after_failure(core::child_kind::workload, "",
                                         f.now + 20s, why);
    auto r = f.reason();
    return r ? std::string{r->row} + ": " + r->what + " (" + r->who + ")" : "";
  };
  BOOST_TEST(answer_after({k8s::ec::forbidden,
                           "User \"x\" cannot create resource \"workloads\""})
             == "failed-call: a step of its queueing (a person, who grants the "
                "operator this right)");
  BOOST_TEST(answer_after({k8s::ec::not_found,
                           "workloadpriorityclasses.kueue.x-k8s.io \"high\" "
                           "not found"})
             == "failed-call: a step of its queueing (a person, who makes that "
                "class, or changes the one that the job names)");
}

BOOST_AUTO_TEST_CASE(a_class_that_is_not_there_is_told_while_the_job_runs) {
  queue_fixture f{make_job().workers(1)};
  f.workload({quota_reserved(), admitted()});
  f.observe({pod("worker", 0).running()});
  auto key = core::rank_key("w");
  f.open.expect_operation(core::child_kind::workload, key,
                          core::operation::update, f.now);
  f.open.block_operation_after_failure(
      core::child_kind::workload, key, f.now + 20s,
      {k8s::ec::not_found,
       "workloadpriorityclasses.kueue.x-k8s.io \"high\" not found"});
  auto r = f.reason();
  BOOST_REQUIRE(r);
  BOOST_TEST(r->what == "a step of its queueing, with workload tfjob-job-w");
  BOOST_TEST(r->who
             == "a person, who makes that class, or changes the one that the "
                "job names");
}

BOOST_AUTO_TEST_CASE(a_job_that_was_admitted) {
  queue_fixture f;
  f.workload({quota_reserved(), admitted()});
  BOOST_TEST(f.answer()
             == "its start, admitted by ClusterQueue cq (the operator)");
  queue_fixture grown{make_job().workers(3)};
  grown.workload({quota_reserved(), admitted()});
  grown.observe({pod("worker", 0).running(), pod("worker", 1).running()});
  BOOST_TEST(grown.row() == "missing-pods operator");
  grown.workload({quota_refused("1 more needed")}, json::object(), false,
                 "second");
  BOOST_TEST(grown.answer()
             == "its further pods to be admitted by queue team-a of Kueue: 1 "
                "more needed; it runs on with those that it has (Kueue)");
}

BOOST_AUTO_TEST_CASE(a_job_that_names_no_queue_waits_for_a_person) {
  queue_fixture f;
  f.j.queue.clear();
  f.cluster.queueing_namespaces = {"ns"};
  f.workload({quota_refused("LocalQueue  doesn't exist")},
             {{"spec", {{"queueName", nullptr}}}});
  BOOST_TEST(
      f.answer()
      == "a queue of Kueue (its label names none): LocalQueue  doesn't exist "
         "(a person, who names a LocalQueue in the job's label "
         "kueue.x-k8s.io/queue-name)");
}

BOOST_AUTO_TEST_CASE(why_a_job_with_a_label_is_not_queued) {
  std::set<std::string> namespaces;
  core::job_status saved;
  auto why = [&](core::queueing_options options, const char* queue = "team-a",
                 bool is_of_queued_object = false) {
    auto j = make_job().workers(2).get();
    j.queue = queue;
    j.may_be_queued_by_controller = is_of_queued_object;
    core::cluster_options cluster;
    cluster.queueing = std::move(options);
    cluster.queueing_namespaces = namespaces;
    return core::why_not_queued(j, saved, cluster);
  };
  core::queueing_options on;
  on.on = true;
  BOOST_TEST(why(on) == "");
  BOOST_TEST(why({}, "") == "");
  const std::string begin =
      "Queue team-a of Kueue is not waited for by this operator: ";
  BOOST_TEST(why({})
             == begin
                    + "--kueue is off, or there is no Kueue in this "
                      "cluster.");
  BOOST_TEST(
      why(on, "team-a", true)
      == begin
             + "another object controls the job, and may be queued in its "
               "place.");
  on.left_to_kueue = {"v1/tfjobs"};
  BOOST_TEST(why(on) == begin + "Kueue's own integration looks after tfjobs.");
  core::queueing_options off;
  off.why_off = "this account may not use it";
  BOOST_TEST(why(off) == begin + "this account may not use it.");
  off.holds = true;
  BOOST_TEST(why(off) == "");
  off.holds = false;
  on.left_to_kueue = {};
  namespaces = {"ns"};
  BOOST_TEST(why(on, "") == "");
  const std::string unlabelled =
      "This job without the label of a queue does not wait for Kueue, "
      "although --kueue-jobs-without-queue has its namespace: ";
  BOOST_TEST(why(off, "") == unlabelled + "this account may not use it.");
  saved.start_time = base_time;
  BOOST_TEST(why(on, "") == unlabelled + "it had begun before.");
}

BOOST_AUTO_TEST_CASE(gates_of_a_job_in_a_queue_that_it_did_not_ask_for) {
  auto answer = [](bool on, const char* gates) {
    core::job j = make_job().workers(2);
    j.replicas[0].pod_template =
        std::string{R"({"metadata":{"labels":{)"}
        + R"("kueue.x-k8s.io/podset":"worker"}},"spec":{)" + gates + "}}";
    queue_fixture w{j};
    w.cluster.queueing.on = on;
    if (on)
      w.workload({quota_reserved(), admitted()});
    auto gated = pod("worker", 0);
    gated.state().conditions = {
        {"PodScheduled", "False", "SchedulingGated", "gates are set", {}}};
    w.observe({gated, pod("worker", 1).running()});
    return w.answer();
  };
  const std::string begin =
      "the scheduling gates of job-worker-0 to be removed: SchedulingGated: "
      "gates are set (";
  const auto by_somebody = begin + "the controller that set them)";
  const char* own = R"("schedulingGates":[{"name":"kueue.x-k8s.io/topology"}])";
  BOOST_TEST(answer(false, "") == by_somebody);
  BOOST_TEST(answer(true, own) == by_somebody);
  BOOST_TEST(answer(true, "")
             == begin
                    + "a person, if Kueue has set them because it queues pods, "
                      "too: integrations.externalFrameworks of its "
                      "configuration lacks TFJob.v1.kubeflow.org)");
}

BOOST_AUTO_TEST_SUITE_END()
