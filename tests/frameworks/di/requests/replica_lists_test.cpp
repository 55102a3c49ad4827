#include "frameworks/di/requests/replica_lists.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(replica_lists_test)

using namespace troupe::frameworks::di;

namespace {

core::child_view view(const std::string& name, k8s::pod_phase phase, int age) {
  core::child_view v;
  v.name = name;
  v.phase = phase;
  v.created = k8s::time_point{std::chrono::seconds{1000 - age}};
  return v;
}

} // namespace

BOOST_AUTO_TEST_CASE(those_that_are_missed_least_are_chosen) {
  using phase = k8s::pod_phase;
  const core::child_view all[] = {
      view("old", phase::running, 30), view("young", phase::running, 10),
      view("waiting", phase::pending, 50), view("failed", phase::failed, 90),
      view("ended", phase::succeeded, 80)};
  pod_views pods;
  for (const auto& v : all)
    pods.push_back(&v);
  std::string order;
  for (const auto* v : choose_replicas_to_remove(pods, 9))
    order += v->name + " ";
  BOOST_TEST(order == "ended failed waiting young old ");
  BOOST_TEST(choose_replicas_to_remove(pods, 2).size() == 2u);
  BOOST_TEST(choose_replicas_to_remove(pods, 0).empty());
  BOOST_TEST(choose_replicas_to_remove(pods, -1).empty());
}

BOOST_AUTO_TEST_SUITE_END()
