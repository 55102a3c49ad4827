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
};

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

BOOST_AUTO_TEST_CASE(a_launcher_that_waits_counts_once_its_pod_is_there) {
  auto spec = ssh_spec();
  spec["launcherCreationPolicy"] = "WaitForWorkersReady";
  gang_fixture s{spec};
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

BOOST_AUTO_TEST_SUITE_END()
