#include "frameworks/core/spec/native_gang_spec.hpp"
#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(ssh_native_gang_test)

namespace {

struct gang_fixture : ssh_job_fixture {
  using ssh_job_fixture::ssh_job_fixture;

  strings native_pass() {
    core::cluster_options cluster;
    cluster.scheduling = core::gang::kubernetes;
    last = core::plan(j, seen, open, status, saved, now, cluster);
    status = last.status;
    save();
    return decisions_on_pods();
  }
  void see_group(int min_count) {
    json body;
    body["spec"]["schedulingPolicy"]["gang"]["minCount"] = min_count;
    see_whole(core::child_kind::native_group, core::native_group_name(j),
              body.dump(), static_cast<std::uint64_t>(min_count));
  }
  /// minCount of the group that the last pass makes or changes; 0: none.
  int written() const {
    std::string body;
    for (const auto& d : last.decisions)
      if (const auto* c = std::get_if<core::create_auxiliary>(&d);
          c && c->wanted->kind == core::child_kind::native_group)
        body = c->wanted->body;
      else if (const auto* u = std::get_if<core::update_auxiliary>(&d))
        body = u->body;
    if (body.empty())
      return 0;
    return json::parse(body)["spec"]["schedulingPolicy"]["gang"]["minCount"];
  }
  /// The group in the template of the launcher that the last pass makes;
  /// "none": it makes none.
  std::string group_of_new_launcher() const {
    for (const auto& d : last.decisions)
      if (const auto* c = std::get_if<core::create_auxiliary>(&d);
          c && c->wanted->kind == core::child_kind::launcher_job)
        return core::scheduling_group_in_template(c->wanted->body);
    return "none";
  }
  /// A suspended Job whose pod would be in that group.
  void see_suspended_launcher(const std::string& group,
                              std::uint64_t version = 1) {
    k8s::batch_job_state state;
    state.suspended = true;
    state.scheduling_group = group;
    see_launcher(state, version);
  }
  void edit(const json& spec) { j = make_ssh_job(spec); }
};

json suspended_spec() {
  auto spec = ssh_spec();
  spec["runPolicy"]["suspend"] = true;
  return spec;
}

json waiting_spec() {
  auto spec = ssh_spec();
  spec["launcherCreationPolicy"] = "WaitForWorkersReady";
  return spec;
}

/// Resumed with a launcher that was suspended in another group; its workers
/// are there.
gang_fixture resumed_in_other_group() {
  gang_fixture s{suspended_spec()};
  s.see_objects_for_pods();
  s.see_suspended_launcher("mpijob-of-before");
  s.native_pass();
  s.edit(ssh_spec());
  s.see_group(3);
  s.observe({worker(0), worker(1)});
  return s;
}

} // namespace

BOOST_AUTO_TEST_CASE(workers_and_launcher_are_in_one_group) {
  gang_fixture s;
  s.see_objects_for_pods();
  s.native_pass();
  BOOST_TEST(s.written() == 3);
  BOOST_TEST(s.count_decisions("create pod worker") == 0);
  s.see_group(3);
  s.native_pass();
  BOOST_TEST(s.count_decisions("create pod worker") == 2);
  for (const auto& d : s.last.decisions)
    if (const auto* c = std::get_if<core::create_child>(&d))
      BOOST_TEST(c->scheduling_group == core::native_group_name(s.j));
  s.observe({worker(0), worker(1)});
  s.native_pass();
  bool found = false;
  for (const auto& d : s.last.decisions)
    if (const auto* c = std::get_if<core::create_auxiliary>(&d);
        c && c->wanted->kind == core::child_kind::launcher_job) {
      found = true;
      auto spec = json::parse(c->wanted->body)["spec"]["template"]["spec"];
      BOOST_TEST(spec["schedulingGroup"]["podGroupName"]
                 == core::native_group_name(s.j));
      BOOST_TEST(!spec.contains("schedulerName"));
    }
  BOOST_TEST(found);
}

BOOST_AUTO_TEST_CASE(a_launcher_born_suspended_names_the_group_of_later) {
  gang_fixture s{suspended_spec()};
  s.see_objects_for_pods();
  s.native_pass();
  BOOST_TEST(s.group_of_new_launcher() == core::native_group_name(s.j));
  BOOST_TEST(s.count_decisions("create pod group") == 0);
  s.see_suspended_launcher(core::native_group_name(s.j));
  s.edit(ssh_spec());
  s.see_group(3);
  s.observe({worker(0), worker(1)});
  BOOST_TEST(s.native_pass() == strings{"update launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(a_suspended_launcher_names_no_group_of_a_conflict) {
  auto spec = suspended_spec();
  spec["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["priorityClassName"] =
      "high";
  gang_fixture s{spec};
  s.see_objects_for_pods();
  s.native_pass();
  BOOST_TEST(s.group_of_new_launcher() == "");
}

BOOST_AUTO_TEST_CASE(a_suspended_launcher_of_another_group_is_made_anew) {
  auto s = resumed_in_other_group();
  // It is not counted any more before it goes.
  BOOST_TEST((s.saved.replicas.count("Launcher") == 1));
  BOOST_TEST(s.native_pass() == strings{});
  BOOST_TEST((s.saved.replicas.count("Launcher") == 0));
  BOOST_TEST(s.native_pass() == strings{"delete launcher job pi-launcher"});
  BOOST_TEST((s.saved.replicas.count("Launcher") == 0));
  s.seen.record_deleted(core::child_kind::launcher_job, "uid-of-pi-launcher");
  s.native_pass();
  BOOST_TEST(s.group_of_new_launcher() == core::native_group_name(s.j));
}

BOOST_AUTO_TEST_CASE(an_operator_that_finds_none_on_the_way_makes_it) {
  auto before = resumed_in_other_group();
  before.native_pass();
  before.native_pass();
  gang_fixture s;
  s.status = s.saved = before.saved;
  s.see_objects_for_pods();
  s.see_group(3);
  s.observe({worker(0), worker(1)});
  s.native_pass();
  BOOST_TEST(s.group_of_new_launcher() == core::native_group_name(s.j));
}

BOOST_AUTO_TEST_CASE(a_launcher_is_not_made_anew_while_its_pod_is_there) {
  auto s = resumed_in_other_group();
  s.see_launcher_pod(k8s::pod_phase::running);
  s.native_pass();
  BOOST_TEST(s.native_pass() == strings{});
  s.seen.record_deleted(core::child_kind::pod, "uid-of-pi-launcher-x7k2p");
  BOOST_TEST(s.native_pass() == strings{"delete launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(without_such_gangs_a_dropped_group_changes_nothing) {
  auto spec = ssh_spec();
  spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["schedulingGroup"] = {
      {"podGroupName", "mine"}};
  gang_fixture s{spec};
  s.see_objects_for_pods();
  s.see_suspended_launcher("");
  s.observe({worker(0), worker(1)});
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"update launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(a_suspended_launcher_that_waits_does_not_count) {
  gang_fixture s{waiting_spec()};
  s.see_objects_for_pods();
  s.see_suspended_launcher(core::native_group_name(s.j));
  s.native_pass();
  BOOST_TEST(s.written() == 2);
  s.see_group(2);
  s.observe({ready_worker(0), ready_worker(1)});
  BOOST_TEST(s.native_pass() == strings{"update launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(a_launcher_that_waits_counts_once_its_pod_is_there) {
  gang_fixture s{waiting_spec()};
  s.see_objects_for_pods();
  s.native_pass();
  BOOST_TEST(s.written() == 2);
  s.see_group(2);
  s.observe({ready_worker(0), ready_worker(1)});
  s.see_launcher();
  s.native_pass();
  BOOST_TEST(s.written() == 0);
  s.see_launcher_pod(k8s::pod_phase::pending);
  s.native_pass();
  BOOST_TEST(s.written() == 3);
}

BOOST_AUTO_TEST_CASE(a_launcher_that_is_done_is_not_needed) {
  auto spec = ssh_spec();
  spec["runPolicy"]["successPolicy"]["targetReplicaTypes"] = {"Worker"};
  auto running = [&] {
    gang_fixture s{spec};
    s.see_objects_for_pods();
    s.see_group(3);
    s.observe({ready_worker(0), ready_worker(1)});
    s.see_launcher();
    s.see_launcher_pod(k8s::pod_phase::running);
    s.native_pass();
    return s;
  };
  auto remove_worker = [](gang_fixture& s) {
    s.native_pass();
    s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
    s.native_pass();
    BOOST_TEST(s.written() == 2);
    BOOST_TEST(s.count_decisions("create pod worker") == 0);
  };
  auto by_pod = running();
  by_pod.see_launcher_pod(k8s::pod_phase::succeeded, 2);
  remove_worker(by_pod);
  auto by_job = running();
  k8s::batch_job_state complete;
  complete.complete = true;
  by_job.see_launcher(complete, 2);
  remove_worker(by_job);
  // By the status, when both are gone.
  by_job.seen.record_deleted(core::child_kind::pod, "uid-of-pi-launcher-x7k2p");
  by_job.seen.record_deleted(core::child_kind::launcher_job,
                             "uid-of-pi-launcher");
  by_job.native_pass();
  BOOST_TEST(by_job.written() == 2);
}

BOOST_AUTO_TEST_CASE(a_launchers_pod_without_the_group_does_not_count) {
  gang_fixture s;
  s.see_objects_for_pods();
  s.see_group(3);
  s.observe({ready_worker(0)});
  s.see_launcher();
  auto pod = launcher_pod(s.j, k8s::pod_phase::running);
  std::get<k8s::pod_state>(pod.state).scheduling_group = "";
  s.see(core::child_kind::pod, pod);
  s.native_pass();
  BOOST_TEST(s.written() == 2);
}

BOOST_AUTO_TEST_SUITE_END()
