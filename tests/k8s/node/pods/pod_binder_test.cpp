#include "k8s/node/pods/pod_binder.hpp"
#include "tests/k8s/recording_api.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(pod_binder_test)

namespace {

struct binder_fixture {
  std::shared_ptr<boost::asio::io_context> io =
      std::make_shared<boost::asio::io_context>();
  std::shared_ptr<recording_api> server = std::make_shared<recording_api>();
  node_client client{io, server};
  node_options options;
  std::size_t active = 0;
  std::size_t free_gpus = 0;
  pod_binder binder{client, options, [this] { return active; },
                    [this] { return free_gpus; }};

  void answer_first(result<std::string> answer) {
    server->calls.at(0).answer(std::move(answer));
    server->calls.clear();
    io->restart();
    io->run(); // Until the pause before a retry is over, if there is one.
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_pod_without_node_is_bound_once, binder_fixture) {
  binder.bind_or_reject_if_new(pod_named("a"));
  binder.bind_or_reject_if_new(pod_named("a"));
  BOOST_REQUIRE(server->calls.size() == 1u);
  auto body = server->calls[0].body();
  BOOST_TEST(text_at(body, {"target", "name"}) == options.name);
  BOOST_TEST(text_at(body, {"metadata", "uid"}) == "uid-a");
  BOOST_TEST(server->take_paths() == "pods/a/binding");
}

BOOST_FIXTURE_TEST_CASE(a_pod_waits_for_gpus_that_others_have, binder_fixture) {
  auto asking = [](const std::string& name, int gpus) {
    auto out = pod_named(name);
    out["spec"]["containers"] = json::array(
        {{{"resources", {{"limits", {{"nvidia.com/gpu", gpus}}}}}}});
    return out;
  };
  options.gpus = {0, 1};
  free_gpus = 2;
  binder.bind_or_reject_if_new(asking("a", 1));
  // The first has none yet, and will.
  binder.bind_or_reject_if_new(asking("b", 2));
  BOOST_TEST(server->take_paths() == "pods/a/binding pods/b/status events");
  // One that asks for more than there are does not wait for ever.
  binder.bind_or_reject_if_new(asking("c", 3));
  BOOST_TEST(server->take_paths() == "pods/c/binding");
  binder.forget_pod("uid-a");
  free_gpus = 1;
  binder.bind_rejected_pods_that_fit();
  BOOST_TEST(server->take_paths() == "");
  free_gpus = 2;
  binder.bind_rejected_pods_that_fit();
  BOOST_TEST(server->take_paths() == "pods/b/binding");
}

BOOST_FIXTURE_TEST_CASE(a_full_node_rejects_until_there_is_room,
                        binder_fixture) {
  options.max_pods = 1;
  active = 1;
  binder.bind_or_reject_if_new(pod_named("a"));
  BOOST_TEST(server->take_paths() == "pods/a/status events");
  binder.bind_or_reject_if_new(pod_named("a"));
  binder.bind_rejected_pods_that_fit();
  BOOST_TEST(server->take_paths() == "");
  active = 0;
  binder.bind_rejected_pods_that_fit();
  BOOST_TEST(server->take_paths() == "pods/a/binding");
}

BOOST_FIXTURE_TEST_CASE(the_status_of_a_rejected_pod_is_repeated,
                        binder_fixture) {
  options.max_pods = 1;
  active = 1;
  binder.bind_or_reject_if_new(pod_named("a"));
  for (int tries = 0; tries < 2; ++tries) {
    answer_first(failure{ec::unreachable, "no"});
    BOOST_REQUIRE(server->calls.size() == 1u);
    BOOST_TEST(server->calls[0].sent.path
               == "/api/v1/namespaces/n/pods/a/status");
  }
  // It has a node meanwhile.
  binder.forget_pod("uid-a");
  answer_first(failure{ec::unreachable, "no"});
  BOOST_TEST(server->take_paths() == "");
}

BOOST_FIXTURE_TEST_CASE(a_pod_that_is_being_bound_takes_room, binder_fixture) {
  options.max_pods = 1;
  binder.bind_or_reject_if_new(pod_named("a"));
  binder.bind_or_reject_if_new(pod_named("b"));
  BOOST_TEST(server->take_paths() == "pods/a/binding pods/b/status events");
  binder.forget_pod("uid-a");
  binder.bind_rejected_pods_that_fit();
  BOOST_TEST(server->take_paths() == "pods/b/binding");
}

BOOST_FIXTURE_TEST_CASE(another_scheduler_binds_its_pods, binder_fixture) {
  auto pod = pod_named("a");
  pod["spec"]["schedulerName"] = "volcano";
  binder.bind_or_reject_if_new(pod);
  BOOST_TEST(server->calls.at(0).sent.body.find("\"reason\":\"NoScheduler\"")
             != std::string::npos);
  BOOST_TEST(server->take_paths() == "pods/a/status events");
  binder.bind_rejected_pods_that_fit();
  BOOST_TEST(server->take_paths() == "");
  pod = pod_named("b");
  pod["spec"]["schedulerName"] = "default-scheduler";
  binder.bind_or_reject_if_new(pod);
  BOOST_TEST(server->take_paths() == "pods/b/binding");
}

BOOST_FIXTURE_TEST_CASE(a_failed_binding_is_tried_again_if_that_may_help,
                        binder_fixture) {
  struct {
    ec code;
    const char* then;
  } rows[] = {{ec::unreachable, "pods/a/binding"},
              {ec::server_error, "pods/a/binding"},
              {ec::conflict, ""},
              {ec::not_found, ""},
              {ec::invalid, "pods/a/status events"}};
  for (const auto& row : rows) {
    binder.bind_or_reject_if_new(pod_named("a"));
    answer_first(failure{row.code, "no"});
    BOOST_TEST(server->take_paths() == row.then);
    binder.forget_pod("uid-a");
  }
}

BOOST_FIXTURE_TEST_CASE(a_pod_whose_binding_is_refused_says_so,
                        binder_fixture) {
  binder.bind_or_reject_if_new(pod_named("a"));
  answer_first(failure{ec::invalid, "a webhook denied it"});
  BOOST_REQUIRE(server->calls.size() == 2u);
  auto condition = server->calls[0].body()["status"]["conditions"][0];
  BOOST_TEST(text_at(condition, {"type"}) == "PodScheduled");
  BOOST_TEST(text_at(condition, {"reason"}) == "SchedulerError");
  auto event = server->calls[1].body();
  BOOST_TEST(text_at(event, {"type"}) == "Warning");
  BOOST_TEST(text_at(event, {"reason"}) == "FailedScheduling");
  BOOST_TEST(text_at(event, {"message"})
             == "binding rejected: a webhook denied it");
  server->calls.clear();
  // The status comes back by the watch, and others end.
  binder.bind_or_reject_if_new(pod_named("a"));
  binder.bind_rejected_pods_that_fit();
  BOOST_TEST(server->take_paths() == "");
}

BOOST_FIXTURE_TEST_CASE(a_deleted_pod_is_not_bound_again, binder_fixture) {
  binder.bind_or_reject_if_new(pod_named("a"));
  binder.forget_pod("uid-a");
  answer_first(failure{ec::unreachable, "no"});
  BOOST_TEST(server->take_paths() == "");
}

BOOST_AUTO_TEST_SUITE_END()
