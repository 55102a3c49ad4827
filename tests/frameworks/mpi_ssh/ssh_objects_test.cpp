#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/mpi_ssh/ssh_objects.hpp"
#include "frameworks/mpi_ssh/ssh_pods.hpp"
#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;
using namespace troupe::frameworks::mpi_ssh;

BOOST_AUTO_TEST_SUITE(ssh_objects_test)

namespace {

json files_of(ssh_job_fixture& s, const core::cluster_options& cluster = {}) {
  return json::parse(config_map_object(s.j, s.seen, cluster).body)["data"];
}

json group_of(ssh_job_fixture& s, core::gang scheduling) {
  core::cluster_options cluster;
  cluster.scheduling = scheduling;
  auto group = pod_group_object(s.j, s.seen, cluster);
  return group ? json::parse(group->body)["spec"] : json{};
}

json with(json spec, const char* pointer, json value) {
  spec[json::json_pointer{pointer}] = std::move(value);
  return spec;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_host_file_has_all_workers) {
  ssh_job_fixture open_mpi{with(ssh_spec(), "/slotsPerWorker", 2)};
  BOOST_TEST(files_of(open_mpi)["hostfile"]
             == "pi-worker-0.pi.default.svc slots=2\n"
                "pi-worker-1.pi.default.svc slots=2\n");
  ssh_job_fixture intel{with(ssh_spec(1), "/mpiImplementation", "Intel")};
  BOOST_TEST(files_of(intel)["hostfile"] == "pi-worker-0.pi.default.svc:1\n");
  ssh_job_fixture computing{with(ssh_spec(1), "/runLauncherAsWorker", true)};
  BOOST_TEST(files_of(computing)["hostfile"]
             == "pi-launcher.pi.default.svc slots=1\n"
                "pi-worker-0.pi.default.svc slots=1\n");
  core::cluster_options cluster;
  cluster.cluster_domain = "example.org";
  BOOST_TEST(files_of(intel, cluster)["hostfile"]
             == "pi-worker-0.pi.default.svc.example.org:1\n");
}

BOOST_AUTO_TEST_CASE(the_script_has_running_workers_sorted_as_text) {
  ssh_job_fixture s{ssh_spec(11)};
  s.observe({worker(10).running(), worker(2).running(), worker(3),
             worker(4).running().owned_by("other", "other")});
  BOOST_TEST(files_of(s)["discover_hosts.sh"]
             == "#!/bin/sh\n"
                "echo pi-worker-10.pi.default.svc\n"
                "echo pi-worker-2.pi.default.svc\n");
}

BOOST_AUTO_TEST_CASE(data_that_others_added_is_taken_away) {
  ssh_job_fixture s;
  auto wanted = config_map_object(s.j, s.seen, {});
  auto same = without_added_data(wanted, wanted.body);
  BOOST_TEST(same.body == wanted.body);
  auto less = without_added_data(wanted, R"({"data":{"more":"x"}})");
  BOOST_TEST((json::parse(less.body)["data"]["more"].is_null()));
}

BOOST_AUTO_TEST_CASE(only_the_names_of_keys_are_compared) {
  BOOST_TEST(has_both_keys_only(
      R"({"data":{"ssh-privatekey":"","ssh-publickey":""}})"));
  BOOST_TEST(!has_both_keys_only(R"({"data":{"ssh-privatekey":""}})"));
  BOOST_TEST(!has_both_keys_only(
      R"({"data":{"ssh-privatekey":"","ssh-publickey":"","x":""}})"));
  BOOST_TEST(!has_both_keys_only("{}"));
}

BOOST_AUTO_TEST_CASE(a_gang_is_the_workers_and_the_launcher) {
  auto spec = ssh_spec(3);
  const char* resources = "/spec/containers/0/resources";
  spec["mpiReplicaSpecs"]["Launcher"]["template"][json::json_pointer{
      resources}] = {{"requests", {{"cpu", "500m"}, {"memory", "64Mi"}}}};
  spec["mpiReplicaSpecs"]["Worker"]["template"][json::json_pointer{resources}] =
      {{"requests", {{"cpu", "2"}}},
       {"limits", {{"cpu", "3"}, {"memory", "1Gi"}, {"nvidia.com/gpu", 1}}}};
  ssh_job_fixture all{spec};
  BOOST_TEST(group_of(all, core::gang::none) == json{});
  BOOST_TEST(group_of(all, core::gang::volcano)
             == json({{"minMember", 4},
                      {"minResources",
                       {{"cpu", "6500m"},
                        {"memory", "3136Mi"},
                        {"nvidia.com/gpu", "3"}}}}));
  ssh_job_fixture some{
      with(spec, "/runPolicy/schedulingPolicy/minAvailable", 3)};
  BOOST_TEST(
      group_of(some, core::gang::coscheduling)
      == json(
          {{"minMember", 3},
           {"minResources",
            {{"cpu", "4500m"}, {"memory", "2112Mi"}, {"nvidia.com/gpu", "2"}}},
           {"scheduleTimeoutSeconds", 0}}));
}

BOOST_AUTO_TEST_CASE(a_gang_has_what_annotations_ask_of_volcano) {
  core::policy_annotations annotations;
  annotations.topology_tier = "2";
  annotations.sub_groups = "Worker: {subGroupSize: 2}";
  ssh_job_fixture s{ssh_spec()};
  s.j.policy.volcano =
      core::read_job(ssh_kind(), "default", "pi", ssh_spec(), annotations)
          .policy.volcano;
  auto group = group_of(s, core::gang::volcano);
  BOOST_TEST(group["networkTopology"]["highestTierAllowed"] == 2);
  BOOST_TEST(group["subGroupPolicy"][0]["labelSelector"]["matchLabels"]
             == json({{"training.kubeflow.org/job-role", "worker"}}));
  BOOST_TEST(
      !group_of(s, core::gang::coscheduling).contains("networkTopology"));
  core::cluster_options cluster;
  cluster.scheduling = core::gang::volcano;
  auto pod = json::parse(*make_worker_pod(s.j, {"worker", 3}, cluster));
  BOOST_TEST(pod["metadata"]["labels"]["volcano.sh/partition-id"] == "1");
}

BOOST_AUTO_TEST_CASE(resources_of_a_whole_pod_count_for_its_gang) {
  auto spec = ssh_spec();
  spec["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["resources"] = {
      {"requests", {{"cpu", "2"}}}};
  ssh_job_fixture s{spec};
  BOOST_TEST(group_of(s, core::gang::volcano)["minResources"]
             == json({{"cpu", "4"}}));
}

BOOST_AUTO_TEST_CASE(a_launcher_that_waits_does_not_count_until_it_is_there) {
  ssh_job_fixture s{
      with(ssh_spec(3), "/launcherCreationPolicy", "WaitForWorkersReady")};
  BOOST_TEST(group_of(s, core::gang::volcano)["minMember"] == 3);
  k8s::batch_job_state suspended;
  suspended.suspended = true; // It waits for the workers again.
  s.see_launcher(suspended);
  BOOST_TEST(group_of(s, core::gang::volcano)["minMember"] == 3);
  s.see_launcher({}, 2);
  BOOST_TEST(group_of(s, core::gang::volcano)["minMember"] == 4);
}

BOOST_AUTO_TEST_CASE(queue_and_priority_come_from_policy_or_templates) {
  auto spec =
      with(ssh_spec(),
           "/mpiReplicaSpecs/Worker/template/spec/priorityClassName", "low");
  ssh_job_fixture s{spec};
  BOOST_TEST(group_of(s, core::gang::volcano)["priorityClassName"] == "low");
  ssh_job_fixture own{with(with(spec, "/runPolicy/schedulingPolicy/queue", "q"),
                           "/runPolicy/schedulingPolicy/priorityClass",
                           "high")};
  auto group = group_of(own, core::gang::volcano);
  BOOST_TEST(group["priorityClassName"] == "high");
  BOOST_TEST(group["queue"] == "q");
  s.j.annotations = R"({"scheduling.volcano.sh/queue-name":"by-annotation"})";
  BOOST_TEST(group_of(s, core::gang::volcano)["queue"] == "by-annotation");
}

BOOST_AUTO_TEST_CASE(pods_that_report_wait_for_the_authority) {
  auto spec = ssh_spec();
  spec["runPolicy"]["progress"]["report"] = true;
  ssh_job_fixture s{spec};
  core::cluster_options cluster;
  cluster.progress_url = "https://host:9443/progress";
  s.see_objects_for_pods();
  auto decisions = [&] {
    s.last = core::plan(s.j, s.seen, s.open, s.status, s.saved, s.now, cluster);
    return s.decisions_on_pods();
  };
  BOOST_TEST(decisions() == strings{});
  cluster.progress_authority = "-----BEGIN CERTIFICATE-----\n";
  decisions();
  auto all = s.decisions();
  BOOST_TEST(std::count(all.begin(), all.end(), "create config map pi-progress")
             == 1);
  s.see(core::child_kind::config_map, owned_object(s.j, "pi-progress"));
  BOOST_TEST(decisions()
             == (strings{"create pod worker-0", "create pod worker-1"}));
}

BOOST_AUTO_TEST_SUITE_END()
