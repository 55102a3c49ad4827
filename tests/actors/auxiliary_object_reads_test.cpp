// How auxiliary objects are watched and read.
#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(auxiliary_object_reads_test)

namespace {

/// How many reads there were of each resource, of whole objects or metadata.
struct read_counts {
  std::map<std::string, int> whole;
  std::map<std::string, int> metadata;

  void count(const k8s::request& r) {
    bool part = r.accept.find("as=PartialObjectMetadata") != std::string::npos;
    if (r.method == k8s::verb::get || r.method == k8s::verb::list
        || r.method == k8s::verb::watch)
      ++(part ? metadata : whole)[r.resource];
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(objects_of_others_are_read_as_metadata_only) {
  auto api = std::make_shared<fake_api>();
  read_counts seen;
  api->on_read = [&](const k8s::request& r) { seen.count(r); };
  operator_fixture op{api};
  for (int i = 0; i < 100; ++i)
    api->create("configmaps", {{"metadata",
                                {{"name", "theirs-" + std::to_string(i)},
                                 {"namespace", "ns"}}},
                               {"data", {{"k", std::string(5'000, 'x')}}}});
  op.start();
  op.run_until_idle();
  for (int i = 0; i < 100; ++i)
    api->change("configmaps", "ns/theirs-" + std::to_string(i),
                [](json& m) { m["data"]["k"] = "y"; });
  op.run_until_idle();
  for (const auto& plural : mpi_resources) {
    BOOST_TEST(seen.metadata[plural] == 2, plural); // A list and a watch.
    BOOST_TEST(seen.whole[plural] == 0, plural);
  }
  BOOST_TEST(seen.metadata["horizontalpodautoscalers"] == 2);
}

BOOST_AUTO_TEST_CASE(an_object_of_a_job_is_read_when_others_changed_it) {
  cluster_fixture s;
  read_counts seen;
  s.api->on_read = [&](const k8s::request& r) { seen.count(r); };
  s.make("mpijobs", mpi_job(2));
  s.all_pods("Running");
  s.op.advance(1min);
  for (const auto& plural : mpi_resources) // The answers to creations suffice.
    BOOST_TEST(seen.whole[plural] == 0, plural);
  auto before = s.host_file();
  s.change("configmaps", "job-config",
           [](json& m) { m["data"]["hostfile"] = "elsewhere"; });
  BOOST_TEST(s.host_file() == before);
  BOOST_TEST(seen.whole["configmaps"] == 1);
  // A change beside what is wanted is read, and not corrected.
  auto writes = s.writes();
  s.change("roles", "job-launcher",
           [](json& m) { m["metadata"]["annotations"]["who"] = "me"; });
  BOOST_TEST(seen.whole["roles"] == 1);
  s.op.advance(1min);
  BOOST_TEST(s.writes() == writes);
  BOOST_TEST(seen.whole["roles"] == 1);
}

BOOST_AUTO_TEST_CASE(a_read_that_fails_is_made_again) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(1));
  auto before = s.host_file();
  s.api->change("configmaps", "ns/job-config",
                [](json& m) { m["data"]["hostfile"] = "elsewhere"; });
  s.api->deliver_all();
  s.op.run_messages();
  BOOST_REQUIRE(s.api->pending().size() == 1u);
  BOOST_TEST(s.api->pending()[0].request.path.find(
                 "fieldSelector=metadata.name%3Djob-config")
             != std::string::npos);
  s.api->fail_call(0, {k8s::ec::server_error, "not now"});
  s.op.advance(1s);
  BOOST_TEST(s.host_file() == before);
}

BOOST_AUTO_TEST_SUITE_END()
