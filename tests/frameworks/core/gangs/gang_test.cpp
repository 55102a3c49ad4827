#include "frameworks/core/gangs/gang.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(gang_test)

namespace {

core::cluster_options volcano() {
  core::cluster_options w;
  w.scheduling = core::gang::volcano;
  w.gang_scheduler = "volcano";
  return w;
}

core::cluster_options coscheduling() {
  core::cluster_options w;
  w.scheduling = core::gang::coscheduling;
  w.gang_scheduler = "together";
  return w;
}

std::string group(const job_builder& b, const core::cluster_options& w) {
  auto g = core::desired_pod_group(b, {}, w);
  return g ? json::parse(g->body)["spec"].dump() : "none";
}

job_builder asking(job_builder b, const char* type, const char* kind,
                   json amounts) {
  b.pod_template(type)["spec"]["containers"][0]["resources"][kind] =
      std::move(amounts);
  return b;
}

void see_group(job_fixture& s, const std::string& body,
               std::uint64_t version = 1) {
  k8s::object o;
  o.meta.name = s.j.name;
  o.meta.ns = s.j.ns;
  o.meta.uid = "group";
  o.meta.resource_version = version;
  o.meta.owners.push_back(
      {"kubeflow.org/v1", s.j.kind->names.type.kind, s.j.name, s.j.uid, true});
  o.state = k8s::full_state{body, "{}"};
  s.last.events =
      record_seen(s.seen, core::child_kind::volcano_group, o, s.j).events;
}

std::vector<std::string> gang_pass(job_fixture& s) {
  s.last = core::plan(s.j, s.seen, s.open, s.status, s.saved, s.now, volcano());
  s.status = s.last.status;
  s.save();
  return s.decisions();
}

constexpr const char* wanted_group =
    R"({"spec":{"minMember":2,"minResources":{},"queue":"default"},)"
    R"("status":{"phase":")";

} // namespace

BOOST_AUTO_TEST_CASE(a_group_is_as_large_as_the_job_asks) {
  auto plain = make_job().workers(2).servers(1);
  BOOST_TEST(group(plain, {}) == "none");
  BOOST_TEST(group(plain, volcano())
             == R"({"minMember":3,"minResources":{},"queue":"default"})");
  BOOST_TEST(group(plain, coscheduling()) == R"({"minMember":3})");
  auto policy = make_job().workers(3).policy("schedulingPolicy",
                                             {{"minAvailable", 2},
                                              {"queue", "research"},
                                              {"priorityClass", "high"},
                                              {"minResources", {{"cpu", "3"}}},
                                              {"scheduleTimeoutSeconds", 30}});
  BOOST_TEST(group(policy, volcano())
             == R"({"minMember":2,"minResources":{"cpu":"3"},)"
                R"("priorityClassName":"high","queue":"research"})");
  BOOST_TEST(group(policy, coscheduling())
             == R"({"minMember":2,"minResources":{"cpu":"3"},)"
                R"("scheduleTimeoutSeconds":30})");
  BOOST_TEST(group(policy.suspended(), volcano()) == "none");
}

BOOST_AUTO_TEST_CASE(least_resources_are_those_of_the_first_members) {
  auto b = asking(make_job().workers(2).servers(1), "Worker", "requests",
                  {{"cpu", "500m"}});
  b = asking(b, "Worker", "limits", {{"cpu", "2"}, {"memory", "1Gi"}});
  b = asking(b, "PS", "limits", {{"cpu", 1}, {"memory", "512Mi"}});
  BOOST_TEST(
      group(b, coscheduling())
      == R"({"minMember":3,"minResources":{"cpu":"2","memory":"512Mi"}})");
  b.policy("schedulingPolicy", {{"minAvailable", 2}});
  BOOST_TEST(
      group(b, coscheduling())
      == R"({"minMember":2,"minResources":{"cpu":"1500m","memory":"512Mi"}})");
}

BOOST_AUTO_TEST_CASE(resources_of_a_whole_pod_count_as_the_scheduler_does) {
  auto b = asking(make_job().workers(2).servers(1), "Worker", "requests",
                  {{"cpu", "500m"}});
  b = asking(b, "PS", "limits", {{"cpu", 1}});
  auto& spec = b.pod_template("Worker")["spec"];
  spec["resources"]["requests"] = {{"cpu", "3"}, {"memory", "1Gi"}};
  BOOST_TEST(group(b, coscheduling())
             == R"({"minMember":3,"minResources":{"cpu":"7","memory":"2Gi"}})");
}

BOOST_AUTO_TEST_CASE(pods_know_their_group_and_scheduler) {
  auto b = make_job("j").workers(1).servers(1);
  b.pod_template("PS")["spec"]["schedulerName"] = "own";
  auto pod = [&](const char* type, const core::cluster_options& w) {
    return json::parse(*core::make_pod_json(b, {type, 0}, w));
  };
  auto v = pod("worker", volcano());
  BOOST_TEST(v["spec"]["schedulerName"] == "volcano");
  BOOST_TEST(v["metadata"]["annotations"].dump()
             == R"({"scheduling.k8s.io/group-name":"j",)"
                R"("volcano.sh/task-spec":"worker"})");
  auto c = pod("worker", coscheduling());
  BOOST_TEST(c["spec"]["schedulerName"] == "together");
  BOOST_TEST(c["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] == "j");
  BOOST_TEST(pod("ps", volcano())["spec"]["schedulerName"] == "own");
  auto remarks = core::pod_template_warnings(b, {"worker", 0}, volcano());
  BOOST_REQUIRE_EQUAL(remarks.size(), 1u);
  BOOST_TEST(remarks[0].reason == "SetPodTemplateSchedulerName");
}

BOOST_AUTO_TEST_CASE(pods_wait_until_their_group_is_admitted) {
  job_fixture s{make_job().workers(2)};
  BOOST_TEST(gang_pass(s) == strings{"create pod group job"},
             boost::test_tools::per_element());
  BOOST_TEST(!s.status.start_time);
  BOOST_TEST(s.status.gang_wait_since.has_value());
  see_group(s, std::string{wanted_group} + "Pending\"}}");
  BOOST_TEST(gang_pass(s).empty());
  BOOST_TEST(s.last.summary == "waits until its pod group is admitted");
  see_group(s, std::string{wanted_group} + "Inqueue\"}}", 2);
  BOOST_TEST(gang_pass(s).size() == 4u); // Two pods, two services.
  BOOST_TEST(s.status.start_time.has_value());
}

BOOST_AUTO_TEST_CASE(a_resumed_job_waits_as_a_new_one) {
  auto suspended = make_job_of("MPIJob").type("Launcher", 1).workers(1);
  suspended.policy("suspend", true);
  core::job resumed = make_job_of("MPIJob")
                          .type("Launcher", 1)
                          .workers(1)
                          .policy("activeDeadlineSeconds", 600);
  job_fixture s{suspended};
  BOOST_TEST(gang_pass(s).empty());
  s.j = resumed;
  s.now += std::chrono::seconds{60};
  BOOST_TEST(gang_pass(s) == strings{"create pod group job"},
             boost::test_tools::per_element());
  see_group(s, std::string{wanted_group} + "Pending\"}}");
  gang_pass(s);
  // Its deadline runs.
  BOOST_TEST((s.status.start_time == s.now));
  BOOST_TEST((s.status.gang_wait_since == s.now));
  BOOST_TEST((s.last.requeue_at == s.now + std::chrono::seconds{600}));
  BOOST_TEST(s.conditions() == "Suspended=False Created");
  BOOST_TEST(s.status.replicas.empty());
  // What it had before it was suspended stays.
  k8s::object map;
  map.meta.name = "job-config";
  map.meta.ns = s.j.ns;
  map.meta.uid = "map";
  map.meta.resource_version = 1;
  map.meta.owners.push_back(
      {"kubeflow.org/v1", "MPIJob", s.j.name, s.j.uid, true});
  map.state = k8s::full_state{"{}", "{}"};
  record_seen(s.seen, core::child_kind::config_map, map, s.j);
  BOOST_TEST(gang_pass(s).empty());
  BOOST_TEST(s.last.summary == "waits until its pod group is admitted");
  s.observe({pod("worker", 0).running()});
  // Of before it was suspended: its deletion has no answer yet.
  s.seen.set_delete_in_flight(core::child_kind::pod, "pod-worker-0", true);
  BOOST_TEST(gang_pass(s).empty());
  BOOST_TEST(s.status.replicas.empty());
  BOOST_TEST(s.conditions() == "Suspended=False Created");
  // Once it has pods, they are looked at.
  s.seen.set_delete_in_flight(core::child_kind::pod, "pod-worker-0", false);
  gang_pass(s);
  BOOST_TEST(s.status.replicas.size() == 2u);
}

BOOST_AUTO_TEST_CASE(an_autoscaler_does_not_wait_for_the_group) {
  job_fixture s{make_job_of("PyTorchJob")
                    .workers(2)
                    .with("elasticPolicy", {{"metrics", json::array()}})};
  BOOST_TEST(gang_pass(s)
                 == (strings{"create pod group job", "create autoscaler job"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(why_a_group_is_stuck_is_told) {
  job_fixture s{make_job().workers(2)};
  see_group(s, std::string{wanted_group}
                   + R"(Pending","conditions":[{"type":"Unschedulable",)"
                     R"("status":"True","reason":"NotEnoughResources",)"
                     R"("message":"2/2 tasks in gang unschedulable"}]}})");
  BOOST_TEST(
      s.events()
          == strings{"Warning NotEnoughResources PodGroup job: 2/2 tasks "
                     "in gang unschedulable"},
      boost::test_tools::per_element());
  gang_pass(s);
  BOOST_TEST(s.last.summary
             == "waits until its pod group is admitted; NotEnoughResources: "
                "2/2 tasks in gang unschedulable");
}

BOOST_AUTO_TEST_CASE(a_queue_that_was_chosen_stays) {
  job_fixture s{make_job().workers(2)};
  see_group(s, R"({"spec":{"minMember":2,"minResources":{},)"
               R"("queue":"mine"},"status":{"phase":"Running"}})");
  for (const auto& d : gang_pass(s))
    BOOST_TEST(d.find("pod group") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_group_goes_with_the_job) {
  job_fixture s{make_job().workers(1).clean_pod_policy("None")};
  see_group(s, std::string{wanted_group} + "Running\"}}");
  s.all_services().observe(pod("worker", 0).succeeded());
  gang_pass(s);
  BOOST_TEST(gang_pass(s) == strings{"delete pod group job"},
             boost::test_tools::per_element());
  job_fixture t{make_job().workers(2).suspended()};
  see_group(t, std::string{wanted_group} + "Running\"}}");
  BOOST_TEST(gang_pass(t) == strings{"delete pod group job"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
