#include "frameworks/core/waiting/waiting_reason.hpp"
#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(ssh_waiting_test)

namespace {

struct waiting_ssh_job : ssh_job_fixture {
  using ssh_job_fixture::ssh_job_fixture;

  core::cluster_options cluster{};

  void see_worker(int index, bool ready) {
    auto o = owned_object(j, "pi-worker-" + std::to_string(index));
    o.meta.labels = core::selector_labels(j, {"worker", index});
    k8s::pod_state state;
    state.phase = k8s::pod_phase::running;
    state.node = "n";
    if (ready)
      state.conditions = {{"ContainersReady", "True", "", "", {}},
                          {"Ready", "True", "", "", {}}};
    o.state = state;
    see(child_kind::pod, o);
  }

  std::string answer() const {
    auto found =
        core::find_waiting_reason({&j, seen, open, status, cluster, {}, now});
    return found ? std::string{found->row} + ": " + describe_wait(*found, now)
                       + " (" + found->who + ")"
                 : "";
  }
};

k8s::batch_job_state failed_twice() {
  k8s::batch_job_state state;
  state.failed_pods = 2;
  return state;
}

k8s::batch_job_state suspended() {
  k8s::batch_job_state state;
  state.suspended = true;
  return state;
}

} // namespace

json waiting_spec() {
  auto spec = ssh_spec();
  spec["launcherCreationPolicy"] = "WaitForWorkersReady";
  return spec;
}

BOOST_AUTO_TEST_CASE(a_launcher_that_is_made_at_the_start_waits_for_nobody) {
  waiting_ssh_job w;
  w.see_worker(0, true);
  w.see_worker(1, false);
  BOOST_TEST(w.answer().find("launcher-waits-for-workers") == std::string::npos,
             w.answer());
}

BOOST_AUTO_TEST_CASE(a_launcher_waits_for_the_workers_that_are_not_ready) {
  waiting_ssh_job w{waiting_spec()};
  w.see_worker(0, true);
  w.see_worker(1, false);
  BOOST_TEST(w.answer()
             == "launcher-waits-for-workers: pi-worker-1 to become ready, "
                "before its launcher starts (the processes in its pods, and "
                "their readiness probes)");
  w.see(child_kind::launcher_job, launcher_job(w.j, suspended()));
  BOOST_TEST(w.answer().find("launcher-waits-for-workers: ") == 0u);
}

BOOST_AUTO_TEST_CASE(a_launcher_s_job_is_made_and_resumed_by_the_operator) {
  waiting_ssh_job w;
  w.see_worker(0, true);
  w.see_worker(1, true);
  BOOST_TEST(w.answer()
             == "launcher-job: the creation of the launcher's Job pi-launcher "
                "(the operator)");
  w.see(child_kind::launcher_job, launcher_job(w.j, suspended()));
  BOOST_TEST(w.answer()
             == "launcher-job: the launcher's Job pi-launcher to be resumed "
                "(the operator)");
}

BOOST_AUTO_TEST_CASE(the_pods_of_the_job_are_made_by_its_controller) {
  waiting_ssh_job w;
  w.see_worker(0, true);
  w.see_worker(1, true);
  w.see(child_kind::launcher_job, launcher_job(w.j));
  BOOST_TEST(w.answer()
             == "launcher-pod: a pod of the launcher's Job pi-launcher (the "
                "Job controller)");
  auto lie = launcher_pod(w.j, k8s::pod_phase::pending, "lie");
  lie.meta.owners[0].uid = "other";
  w.see(child_kind::pod, lie);
  w.see(child_kind::pod, launcher_pod(w.j, k8s::pod_phase::failed));
  w.see(child_kind::launcher_job, launcher_job(w.j, failed_twice(), 2));
  BOOST_TEST(w.answer()
             == "launcher-pod: a pod of the launcher's Job pi-launcher: 2 pods "
                "of it failed before, and the next one comes after a back-off "
                "(the Job controller)");
  auto third = launcher_pod(w.j, k8s::pod_phase::running, "third", 3);
  std::get<k8s::pod_state>(third.state).conditions = {
      {"Ready", "True", "", "", {}}};
  w.see(child_kind::pod, third);
  BOOST_TEST(w.answer().find("processes: ") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
