#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/core/waiting/waiting_pods.hpp"
#include "tests/frameworks/core/waiting/waiting_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(waiting_pods_test)

namespace {

using kind = k8s::container_status::state_kind;

child_builder unscheduled(int index, const char* reason, const char* message) {
  auto p = pod("worker", index);
  p.state().conditions = {{"PodScheduled", "False", reason, message, {}}};
  return p;
}

child_builder placed(int index) {
  auto p = pod("worker", index);
  p.state().node = "node";
  return p;
}

/// Its main container waits.
child_builder with_waiting_container(int index, const char* reason,
                                     const char* message) {
  auto p = placed(index);
  k8s::container_status c;
  c.name = "tensorflow";
  c.state = kind::waiting;
  c.reason = reason;
  c.message = message;
  p.state().containers = {c};
  return p;
}

/// Its main container has ended, and another one runs on.
child_builder kept_by_another(int index) {
  auto p = placed(index).in(k8s::pod_phase::running);
  k8s::container_status main;
  main.name = "tensorflow";
  main.state = kind::terminated;
  k8s::container_status other;
  other.name = "istio-proxy";
  other.state = kind::running;
  p.state().containers = {main, other};
  return p;
}

child_builder in_crash_loop(int index) {
  auto p = with_waiting_container(index, "CrashLoopBackOff", "back-off 40s")
               .in(k8s::pod_phase::running);
  p.state().containers[0].restarts = 5;
  return p;
}

struct row {
  std::vector<child_builder> pods;
  const char* answer;
};

void check(std::initializer_list<row> rows) {
  for (const auto& r : rows)
    BOOST_TEST(answer_with_pods(r.pods) == r.answer);
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_that_do_not_get_on) {
  check({
      {{pod("worker", 0).running(),
        unscheduled(1, "Unschedulable",
                    "0/3 nodes are available: 3 Insufficient "
                    "nvidia.com/gpu.")},
       "job-worker-1 to be scheduled: Unschedulable: 0/3 nodes are available: "
       "3 Insufficient nvidia.com/gpu. (the scheduler; a person if no node can "
       "ever fit)"},
      {{unscheduled(1, "Unschedulable", "no node fits"),
        unscheduled(0, "Unschedulable", "no node fits")},
       "job-worker-0 and 1 other pod to be scheduled: Unschedulable: no node "
       "fits (the scheduler; a person if no node can ever fit)"},
      {{unscheduled(0, "Undetermined", "waits for its gang"),
        unscheduled(1, "Unschedulable", "no node fits")},
       "job-worker-1 to be scheduled: Unschedulable: no node fits (the "
       "scheduler; a person if no node can ever fit)"},
      {{unscheduled(0, "Undetermined", "waits for its gang")},
       "job-worker-0 to be scheduled with its gang: Undetermined: waits for "
       "its gang (the scheduler)"},
      {{unscheduled(0, "Unschedulable",
                    "0/1 nodes are available: 1 optimistic rejection in "
                    "PostFilter."),
        unscheduled(1, "Unschedulable", "no node fits")},
       "job-worker-0 and 1 other pod to be scheduled: Unschedulable: no node "
       "fits (the scheduler; a person if no node can ever fit)"},
      {{unscheduled(0, "SchedulingGated", "gates are set")},
       "the scheduling gates of job-worker-0 to be removed: SchedulingGated: "
       "gates are set (the controller that set them)"},
      {{unscheduled(0, "NoScheduler", "")},
       "job-worker-0 to be scheduled: NoScheduler (a person, who removes "
       "schedulerName or starts that scheduler)"},
      {{with_waiting_container(0, "ImagePullBackOff",
                               "Back-off pulling image \"nosuch:1\"")},
       "the image of job-worker-0 to be pulled: ImagePullBackOff: Back-off "
       "pulling image \"nosuch:1\" (the kubelet, which tries again; a person "
       "if the image's name or its pull secret is wrong)"},
      {{with_waiting_container(0, "ErrImagePull", "message: not found")},
       "the image of job-worker-0 to be pulled: ErrImagePull: message: not "
       "found (the kubelet, which tries again; a person if the image's name or "
       "its pull secret is wrong)"},
      {{with_waiting_container(0, "InvalidImageName", "a b")},
       "the image of job-worker-0 to be pulled: InvalidImageName: a b (a "
       "person, who corrects the image in the pod template)"},
      {{with_waiting_container(0, "CreateContainerConfigError",
                               "secret \"s\" not found")},
       "the containers of job-worker-0 to be created: "
       "CreateContainerConfigError: secret \"s\" not found (the kubelet, which "
       "tries again; a person if something that the pod refers to is missing)"},
      {{kept_by_another(0)},
       "the other containers of job-worker-0 to end: ContainerKeepsPod: "
       "container tensorflow has ended with exit code 0, but istio-proxy keeps "
       "the pod (a person, who ends them with the first, or makes them "
       "sidecars: init containers with restartPolicy Always)"},
      {{in_crash_loop(0)},
       "job-worker-0 to run for longer: CrashLoop: crash loop, 5 restarts of "
       "tensorflow, the next try is about to begin (a person, who looks at its "
       "log; its kubelet, or the operator, starts it again after a back-off)"},
      // What a failed pod says is no reason to wait.
      {{pod("worker", 0).failed().reason("Evicted"),
        pod("worker", 1).running()},
       "its processes to end (the processes in its pods)"},
      {{with_waiting_container(0, "Strange", "x")},
       "job-worker-0: Strange: x (the kubelet)"},
  });
}

// Its own program has not started yet, so this is no crash loop of it.
BOOST_AUTO_TEST_CASE(an_init_container_of_ours_that_waits) {
  auto waiting_init = [](const char* reason, const char* message) {
    auto j = make_job_of("PyTorchJob").type("Master", 1).workers(1).get();
    core::record_own_init_containers(j, {});
    waiting_fixture w{j};
    auto p = placed(0);
    k8s::container_status c;
    c.name = "init-pytorch";
    c.restarts = 2;
    c.state = *reason == '\0' ? kind::running : kind::waiting;
    c.reason = reason;
    c.message = message;
    p.state().init_containers = {c};
    w.observe({p, pod("master", 0).running()});
    return w.answer();
  };
  BOOST_TEST(waiting_init("CrashLoopBackOff", "back-off 40s")
             == "the containers of job-worker-0 to be restarted: "
                "CrashLoopBackOff: back-off 40s (the kubelet, after its "
                "back-off; a person if the program is wrong)");
  BOOST_TEST(waiting_init("", "")
             == "job-worker-0 to start: InitContainerGaveUp: init container "
                "init-pytorch, which waits for the name of the master to "
                "resolve, has given up 2 times and is tried again; that does "
                "not count "
                "as a restart (the kubelet, which tries again; a person if "
                "what is waited for never comes)");
}

BOOST_AUTO_TEST_CASE(pods_without_trouble) {
  check({
      {{pod("worker", 0).running(), pod("worker", 1)},
       "job-worker-1 to be scheduled (the scheduler)"},
      {{placed(0), placed(1)},
       "job-worker-0 and 1 other pod to start (the kubelet)"},
      {{pod("worker", 0).running()}, "the creation of 1 pod (the operator)"},
      {{pod("worker", 0).running(), pod("worker", 1).running().deleting()},
       "job-worker-1 to be deleted (the kubelet)"},
      {{pod("worker", 0).running(),
        pod("worker", 1).in(k8s::pod_phase::unknown)},
       "the state of job-worker-1, which is unknown: the node does not report "
       "(the kubelet)"},
      {{pod("worker", 0).running(), pod("worker", 1).running()},
       "its processes to end (the processes in its pods)"},
  });
}

BOOST_AUTO_TEST_CASE(only_some_kinds_wait_for_readiness) {
  for (bool counts : {false, true}) {
    auto kind = *frameworks::find("TFJob");
    kind.pods.counts_ready_pods = counts;
    core::job j = make_job().workers(1);
    j.kind = &kind;
    waiting_fixture w{j};
    w.observe(pod("worker", 0).running());
    BOOST_TEST(w.row() == (counts ? "readiness program" : "processes program"));
    w.observe(pod("worker", 0).ready().version(2));
    BOOST_TEST(w.row() == "processes program");
  }
}

BOOST_AUTO_TEST_CASE(the_back_off_of_a_pod_that_failed_early) {
  waiting_fixture w{make_job().workers(2).restart_policy("OnFailure")};
  w.observe({pod("worker", 0).running(),
             pod("worker", 1)
                 .failed()
                 .ran(base_time, 1s)
                 .annotated(core::label::early_failures, "2")});
  w.now = base_time + 1s;
  auto found = w.reason();
  BOOST_REQUIRE(found.has_value());
  auto left = std::chrono::round<std::chrono::seconds>(*found->until - w.now);
  auto seconds = std::to_string(left.count());
  BOOST_TEST(w.answer()
             == "the replacement of job-worker-1 in " + seconds + "s, at "
                    + k8s::to_rfc3339(*found->until)
                    + ": it failed shortly after its start, 3 times in a row "
                      "(the operator, after its back-off; a person if the "
                      "program is wrong)");
  BOOST_TEST((found->since == base_time + 1s));
  BOOST_TEST(left.count() > 1);
}

BOOST_AUTO_TEST_CASE(the_wait_began_when_the_first_of_the_pods_was_made) {
  waiting_fixture w;
  auto first = unscheduled(0, "Unschedulable", "no node fits");
  auto second = unscheduled(1, "Unschedulable", "no node fits");
  w.observe({first.ran(base_time + 5s, 0s), second.ran(base_time + 2s, 0s)});
  BOOST_TEST((w.reason()->since == base_time + 2s));
}

BOOST_AUTO_TEST_SUITE_END()
