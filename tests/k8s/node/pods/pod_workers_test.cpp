#include "tests/k8s/node/pod_workers_fixture.hpp"

#include <filesystem>
#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(pod_workers_test)

BOOST_FIXTURE_TEST_CASE(a_pod_that_cannot_be_prepared_becomes_failed,
                        pod_workers_fixture) {
  auto pod = pod_named("a");
  // A file is where the directories of logs would be.
  std::filesystem::path logs = directory.log_directory("n", "a", "uid-a");
  logs = logs.parent_path();
  std::filesystem::create_directories(logs.parent_path());
  std::filesystem::remove_all(logs);
  std::ofstream{logs} << "no directory";
  workers.add_pod_or_mark_failed(pod);
  BOOST_REQUIRE(server->calls.size() == 1u);
  auto status = server->calls[0].body()["status"];
  BOOST_TEST(text_at(status, {"phase"}) == "Failed");
  BOOST_TEST(text_at(status, {"reason"}) == "NodeError");
  auto write = server->calls[0];
  BOOST_TEST(server->take_paths() == "pods/a/status");
  // The write is repeated, and until it succeeds the pod does not start.
  std::filesystem::remove(logs);
  workers.add_pod_or_mark_failed(pod);
  BOOST_TEST(!workers.contains("uid-a"));
  write.answer(failure{ec::unreachable, "no"});
  run();
  BOOST_TEST(server->take_paths() == "pods/a/status");
  // What is forgotten with the object is no obstacle.
  workers.kill_pod("uid-a");
  workers.add_pod_or_mark_failed(pod);
  BOOST_TEST(workers.contains("uid-a"));
}

BOOST_AUTO_TEST_SUITE_END()
