#include "actors/base/directory_shards.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(directory_shards_test)

namespace {

struct shards_fixture : single_actor_fixture {
  shards_fixture() {
    std::vector<directory_actor> all;
    for (int i = 0; i < 4; ++i)
      all.push_back(caf::actor_cast<directory_actor>(
          spawn([]() -> caf::behavior { return {[](int) {}}; })));
    shards = directory_shards{all};
  }

  const directory_actor* of(const child_builder& child) const {
    return of(child.object(make_job("a").workers(2).get()));
  }
  const directory_actor* of(const k8s::object& child) const {
    return shards.directory_of_child(
        {core::child_kind::pod, std::make_shared<k8s::object>(child)});
  }

  directory_shards shards;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(jobs_are_spread_over_all_directories, shards_fixture) {
  std::map<directory_actor, int> jobs;
  for (int i = 0; i < 1000; ++i)
    ++jobs[shards.directory_of_job("ns", "TFJob", "job-" + std::to_string(i))];
  BOOST_TEST(jobs.size() == 4u);
  for (const auto& [directory, n] : jobs)
    BOOST_TEST(n > 150);
}

BOOST_FIXTURE_TEST_CASE(a_child_is_where_its_job_is, shards_fixture) {
  const auto& of_job = shards.directory_of_job("ns", "TFJob", "a");
  for (const auto& child :
       {pod("worker", 0), service("worker", 1), pod("worker", 0).orphan(),
        child_builder{core::child_kind::role, "worker", 0}}) {
    BOOST_REQUIRE(of(child));
    BOOST_TEST((*of(child) == of_job));
  }
}

BOOST_FIXTURE_TEST_CASE(a_child_is_there_whichever_version_names_its_owner,
                        shards_fixture) {
  auto child = pod("worker", 0).object(make_job("a").workers(2).get());
  child.meta.owners[0].api_version = "kubeflow.org/v2";
  const auto* found = of(child);
  BOOST_REQUIRE(found);
  BOOST_TEST((*found == shards.directory_of_job("ns", "TFJob", "a")));
}

BOOST_FIXTURE_TEST_CASE(a_child_of_something_else_may_be_known_by_any,
                        shards_fixture) {
  auto job = make_job("a").workers(2).get();
  auto foreign = pod("worker", 0).object(job);
  foreign.meta.owners[0].kind = "ReplicaSet";
  BOOST_TEST(!of(foreign));
  auto plain = pod("worker", 0).orphan().object(job);
  plain.meta.labels.clear();
  BOOST_TEST(!of(plain));
}

BOOST_AUTO_TEST_SUITE_END()
