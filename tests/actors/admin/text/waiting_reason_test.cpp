#include "actors/admin/text/waiting_reason.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::actors;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(waiting_reason_test)

namespace {

/// "WHAT (WHOSE MOVE)", "" if the job waits for nothing.
std::string answer(const json& report) {
  auto found = find_waiting_reason(report);
  return found ? found->what + " (" + found->whose_move + ")" : "";
}

json pod(const char* name, const char* phase, json more = json::object()) {
  json p{{"name", name},
         {"uid", std::string{"uid-"} + name},
         {"type", "worker"},
         {"phase", phase},
         {"scheduled", true}};
  p.update(more);
  return p;
}

json pending(const char* name, const char* trouble) {
  return pod(name, "Pending", {{"scheduled", false}, {"trouble", trouble}});
}

/// Of a job with two workers.
json report_with(json more = json::object()) {
  json r{{"at", "2026-01-31T12:00:00Z"},
         {"replicas", {{"Worker", 2}}},
         {"pods",
          {pod("job-worker-0", "Running"), pod("job-worker-1", "Running")}}};
  r.update(more);
  return r;
}

json with_pods(json pods) {
  return report_with({{"pods", std::move(pods)}});
}

json refused(const char* code, const char* message) {
  return report_with(
      {{"pods", json::array()},
       {"expectations",
        {{{"what", "pod"},
          {"action", "create"},
          {"subject", "worker-0"},
          {"attempts", 3},
          {"heldForSeconds", 20.0},
          {"lastFailure", {{"code", code}, {"message", message}}}}}}});
}

json is_finished(json more = json::object()) {
  json r{{"status",
          {{"conditions", {{{"type", "Succeeded"}, {"status", "True"}}}}}}};
  r.update(more);
  return report_with(r);
}

struct row {
  json report;
  const char* answer;
};

void check(std::initializer_list<row> rows) {
  for (const auto& r : rows)
    BOOST_TEST(answer(r.report) == r.answer);
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_that_do_not_get_on) {
  check({
      {with_pods({pod("job-worker-0", "Running"),
                  pending("job-worker-1",
                          "Unschedulable: Error pod job-worker-1 condition "
                          "message: 0/3 nodes are available: 3 Insufficient "
                          "nvidia.com/gpu.")}),
       "job-worker-1 to be scheduled: Unschedulable: 0/3 nodes are available: "
       "3 Insufficient nvidia.com/gpu. (the scheduler; a person if no node can "
       "ever fit)"},
      {with_pods({pending("job-worker-1", "Unschedulable: no node fits"),
                  pending("job-worker-0", "Unschedulable: no node fits")}),
       "job-worker-0 and 1 other pod to be scheduled: Unschedulable: no node "
       "fits (the scheduler; a person if no node can ever fit)"},
      {with_pods({pending("job-worker-0", "Undetermined: waits for its gang"),
                  pending("job-worker-1", "Unschedulable: no node fits")}),
       "job-worker-1 to be scheduled: Unschedulable: no node fits (the "
       "scheduler; a person if no node can ever fit)"},
      {with_pods(
           {pending("job-worker-0", "Unschedulable: 0/1 nodes are available: 1 "
                                    "optimistic rejection in PostFilter."),
            pending("job-worker-1", "Unschedulable: no node fits")}),
       "job-worker-0 and 1 other pod to be scheduled: Unschedulable: no node "
       "fits (the scheduler; a person if no node can ever fit)"},
      {with_pods({pending("job-worker-0", "SchedulingGated: gates are set")}),
       "the scheduling gates of job-worker-0 to be removed: SchedulingGated: "
       "gates are set (the controller that set them)"},
      {with_pods({pod(
           "job-worker-0", "Pending",
           {{"trouble", "ImagePullBackOff: Error pod job-worker-0 container "
                        "tensorflow waiting message: Back-off pulling image "
                        "\"nosuch:1\""}})}),
       "the image of job-worker-0 to be pulled: ImagePullBackOff: Back-off "
       "pulling image \"nosuch:1\" (the kubelet, which tries again; a person "
       "if the image's name or its pull secret is wrong)"},
      {with_pods({pod("job-worker-0", "Pending",
                      {{"trouble", "ErrImagePull: not found"}})}),
       "the image of job-worker-0 to be pulled: ErrImagePull: not found (the "
       "kubelet, which tries again; a person if the image's name or its pull "
       "secret is wrong)"},
      {with_pods({pod("job-worker-0", "Pending",
                      {{"trouble", "InitContainerGaveUp: init container i "
                                   "has given up 2 times"}})}),
       "job-worker-0 to start: InitContainerGaveUp: init container i has given "
       "up 2 times (the kubelet, which tries again; a person if what is waited "
       "for never comes)"},
      {with_pods({pod("job-worker-0", "Running",
                      {{"trouble", "CrashLoopBackOff: back-off 40s"}})}),
       "the containers of job-worker-0 to be restarted: CrashLoopBackOff: "
       "back-off 40s (the kubelet, after its back-off; a person if the program "
       "is wrong)"},
      {with_pods({pod("job-worker-0", "Running",
                      {{"trouble", "CrashLoop: crash loop, 5 restarts of "
                                   "tensorflow"}})}),
       "job-worker-0 to run for longer: CrashLoop: crash loop, 5 restarts of "
       "tensorflow (a person, who looks at its log; its kubelet, or the "
       "operator, starts it again after a back-off)"},
      {with_pods({pod("job-worker-0", "Running",
                      {{"trouble", "ContainerKeepsPod: container pytorch has "
                                   "ended with exit code 0, but istio-proxy "
                                   "keeps the pod"}})}),
       "the other containers of job-worker-0 to end: ContainerKeepsPod: "
       "container pytorch has ended with exit code 0, but istio-proxy keeps "
       "the pod (a person, who ends them with the first, or makes them "
       "sidecars: init containers with restartPolicy Always)"},
      // What a failed pod says is no reason to wait.
      {with_pods({pod("job-worker-0", "Failed", {{"trouble", "Evicted: x"}}),
                  pod("job-worker-1", "Running")}),
       "its processes to end (the processes in its pods)"},
      {with_pods({pod("job-worker-0", "Pending", {{"trouble", "Strange: x"}})}),
       "job-worker-0: Strange: x (the kubelet)"},
  });
}

BOOST_AUTO_TEST_CASE(pods_without_trouble) {
  auto deleted = pod("job-worker-1", "Running", {{"terminating", true}});
  check({
      {with_pods({pod("job-worker-0", "Running"),
                  pod("job-worker-1", "Pending", {{"scheduled", false}})}),
       "job-worker-1 to be scheduled (the scheduler)"},
      {with_pods(
           {pod("job-worker-0", "Pending"), pod("job-worker-1", "Pending")}),
       "job-worker-0 and 1 other pod to start (the kubelet)"},
      {with_pods({pod("job-worker-0", "Running")}),
       "the creation of 1 pod (the operator)"},
      {with_pods({pod("job-worker-0", "Running"), deleted}),
       "job-worker-1 to be deleted (the kubelet)"},
      {with_pods(
           {pod("job-worker-0", "Running"), pod("job-worker-1", "Unknown")}),
       "the state of job-worker-1, which is unknown: the node does not report "
       "(the kubelet)"},
      {report_with(), "its processes to end (the processes in its pods)"},
  });
}

BOOST_AUTO_TEST_CASE(calls_that_are_refused) {
  struct refusal {
    const char* code;
    const char* message;
    const char* who;
  };
  const refusal rows[] = {
      {"forbidden",
       "pods \"job-worker-0\" is forbidden: exceeded quota: gpus, requested: "
       "pods=1, used: pods=4, limited: pods=4",
       "a person, who raises the quota or deletes other objects"},
      {"forbidden",
       "pods \"job-worker-0\" is forbidden: violates PodSecurity "
       "\"restricted:latest\": runAsNonRoot != true",
       "a person, who changes the pod template or the level of the namespace"},
      {"forbidden",
       "admission webhook \"images.example.com\" denied the request: no tag",
       "a person, who does what the webhook asks for"},
      {"invalid",
       "admission webhook \"images.example.com\" denied the request: no tag",
       "a person, who does what the webhook asks for"},
      {"server_error",
       "Internal error occurred: failed calling webhook \"x.example.com\"",
       "a person, who repairs that webhook"},
      {"forbidden",
       "pods is forbidden: User \"system:serviceaccount:a:b\" cannot create "
       "resource \"pods\"",
       "a person, who grants the operator this right"},
      {"forbidden",
       "pods \"x\" is forbidden: unable to create new content in namespace a "
       "because it is being terminated",
       "nobody: the namespace is being deleted"},
      {"unauthenticated", "Unauthorized",
       "a person, who grants the operator this right"},
      {"invalid", "Pod \"x\" is invalid: spec.containers[0].image",
       "a person, who corrects the job"},
      {"exists", "pods \"x\" already exists",
       "a person, who deletes the other object of this name"},
      {"conflict", "the object has been modified", "the operator"},
      {"unreachable", "connection refused", "the API server"},
      {"overloaded", "too many requests", "the API server"},
  };
  for (const auto& r : rows)
    BOOST_TEST(answer(refused(r.code, r.message))
               == std::string{"the creation of pod worker-0, which has failed "
                              "3 times: "}
                      + r.message + "; it is tried again in 20s (" + r.who
                      + ")");
}

BOOST_AUTO_TEST_CASE(what_has_the_name_and_is_ending_needs_no_person) {
  BOOST_TEST(
      answer(refused("exists",
                     "pods \"x\" already exists; the former TFJob's pod is "
                     "being deleted (whose move: the kubelet)"))
      == "the creation of pod worker-0, which has failed 3 times: pods \"x\" "
         "already exists; the former TFJob's pod is being deleted; it is tried "
         "again when that is gone (the kubelet)");
}

BOOST_AUTO_TEST_CASE(calls_without_an_answer) {
  auto open =
      json{{"what", "pod"}, {"action", "create"}, {"subject", "worker-0"}};
  check({
      {report_with({{"pods", json::array()}, {"expectations", {open}}}),
       "the creation of pod worker-0 (the API server)"},
      {report_with({{"statusWriter",
                     {{"failuresInARow", 2},
                      {"lastFailure", "tfjobs is forbidden: User cannot update "
                                      "resource"}}}}),
       "the write of its status, which has failed 2 times: tfjobs is "
       "forbidden: User cannot update resource (a person, who grants the "
       "operator this right)"},
      {report_with({{"statusWriter",
                     {{"failuresInARow", 1}, {"lastFailure", "timeout"}}}}),
       "the write of its status, which has failed once: timeout (the API "
       "server)"},
  });
}

BOOST_AUTO_TEST_CASE(the_gang_is_not_admitted) {
  auto waiting = [](json group) {
    group["awaited"] = true;
    return report_with({{"pods", json::array()}, {"podGroup", group}});
  };
  constexpr const char* who =
      " (the gang scheduler; a person if the queue has no room for the job)";
  const std::pair<json, std::string> rows[] = {
      {{{"name", "job"}, {"phase", ""}, {"trouble", ""}},
       "its PodGroup job to be admitted; it has no phase yet"},
      {{{"name", "job"},
        {"phase", "Pending"},
        {"trouble", "Unschedulable: queue q has no room"}},
       "its PodGroup job to be admitted; it is Pending: Unschedulable: queue q "
       "has no room"},
  };
  for (const auto& [group, what] : rows)
    BOOST_TEST(answer(waiting(group)) == what + who);
  BOOST_TEST(
      answer(report_with(
          {{"podGroup",
            {{"name", "job"}, {"phase", "Running"}, {"awaited", false}}}}))
      == "its processes to end (the processes in its pods)");
}

BOOST_AUTO_TEST_CASE(the_back_off_of_a_pod_that_failed_early) {
  check({{with_pods({pod("job-worker-0", "Running"),
                     pod("job-worker-1", "Failed",
                         {{"replacedAt", "2026-01-31T12:00:40Z"},
                          {"earlyFailuresBefore", 2}})}),
          "the replacement of job-worker-1 in 40s, at 2026-01-31T12:00:40Z: it "
          "failed shortly after its start, 3 times in a row (the operator, "
          "after its back-off; a person if the program is wrong)"}});
}

BOOST_AUTO_TEST_CASE(the_job_as_a_whole) {
  check({
      {report_with({{"invalid", "spec.tfReplicaSpecs: Required value"}}),
       "a valid spec: spec.tfReplicaSpecs: Required value (a person, who "
       "corrects the job)"},
      {report_with({{"undecodable", true}}),
       "a spec that can be read (a person, who corrects the job)"},
      {report_with({{"deleting", true}}),
       "its deletion, which has been requested (the controllers that own its "
       "finalizers)"},
      {report_with({{"managedBy", "kueue.x-k8s.io/multikueue"}}),
       "the controller in runPolicy.managedBy; this operator does not run it "
       "(kueue.x-k8s.io/multikueue)"},
      {report_with({{"recovering", true}}),
       "its objects to be read again (the operator)"},
      {report_with({{"suspended", {{"specManager", ""}, {"queue", ""}}}}),
       "runPolicy.suspend to become false (a person, or the program that "
       "suspended the job)"},
      {report_with(
           {{"suspended", {{"specManager", "kubectl-edit"}, {"queue", ""}}}}),
       "runPolicy.suspend to become false; the spec was last written by "
       "kubectl-edit (a person, or the program that suspended the job)"},
      {report_with(
           {{"suspended", {{"specManager", "kueue"}, {"queue", "team-a"}}}}),
       "runPolicy.suspend to become false, when queue team-a of Kueue admits "
       "the job (Kueue)"},
      {report_with({{"replicas", {{"Worker", 0}}}, {"pods", json::array()}}),
       "replicas: its spec asks for none (a person, who scales the job)"},
  });
}

BOOST_AUTO_TEST_CASE(a_job_that_has_ended) {
  check({
      {is_finished({{"deletedAt", "2026-01-31T12:10:00Z"}}),
       "its deletion in 10m, by ttlSecondsAfterFinished (the operator)"},
      {is_finished(
           {{"pods", {pod("job-ps-0", "Running", {{"terminating", true}})}}}),
       "job-ps-0 to be deleted (the kubelet)"},
      {is_finished({{"statusWriter", {{"writeUnderWay", true}}}}),
       "the write of its status (the API server)"},
      {is_finished(), ""},
  });
}

BOOST_AUTO_TEST_CASE(a_report_of_nothing_has_no_reason) {
  for (const auto& odd :
       {json(nullptr), json(5), json::object(), json::array({1}),
        json{{"pods", {1, nullptr, {{"trouble", 5}}}}},
        json{{"replicas", 5}, {"expectations", {1}}, {"podGroup", 1}}})
    (void)answer(odd);
  BOOST_TEST(answer(json::object()) == "");
}

BOOST_AUTO_TEST_SUITE_END()
