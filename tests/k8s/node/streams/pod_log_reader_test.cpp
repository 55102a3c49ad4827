#include "k8s/node/streams/pod_log_reader.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"
#include "tests/k8s/node/pod_workers_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(pod_log_reader_test)

namespace {

struct reader_fixture : pod_workers_fixture {
  reader_fixture() {
    auto pod = pod_named("a");
    pod["spec"]["containers"] = {{{"name", "c"}}};
    workers.add_pod_or_mark_failed(pod);
  }

  std::function<void()> open(const std::string& pod,
                             const std::string& container, bool previous) {
    log_options how;
    how.previous = previous;
    return reader.stream_log("n", pod, container, how,
                             {[](const std::string&) { return true; },
                              [this](const result<nothing>& end) {
                                ++ends;
                                why = end ? "" : end.error().message;
                                code =
                                    end ? ec::server_error : end.error().code;
                              }});
  }

  pod_log_reader reader{*io, workers};
  int ends = 0;
  std::string why;
  ec code = ec::server_error;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_log_that_is_not_there_ends_with_the_reason,
                        reader_fixture) {
  struct row {
    const char* pod;
    const char* container;
    bool previous;
    const char* why;
  };
  // clang-format off
  const row rows[] = {
      {"b", "c", false, "pod \"b\" has no log on this node"},
      {"a", "c", false, "container \"c\" in pod \"a\" is waiting to start: ContainerCreating"},
      {"a", "d", false, "container \"d\" in pod \"a\" is not available"},
      {"a", "c", true, "previous terminated container \"c\" in pod \"a\" not found"},
  };
  // clang-format on
  for (const auto& r : rows) {
    ends = 0;
    open(r.pod, r.container, r.previous);
    BOOST_TEST(ends == 0); // Logs are read on the node's thread.
    run();
    BOOST_TEST(ends == 1);
    BOOST_TEST(why == r.why);
    BOOST_TEST((code == ec::not_found));
  }
}

BOOST_FIXTURE_TEST_CASE(a_container_that_was_never_started_says_why,
                        reader_fixture) {
  auto unfit = pod_named("unfit");
  unfit["spec"]["volumes"] = {{{"name", "v"}, {"nfs", json::object()}}};
  unfit["spec"]["containers"] = {
      {{"name", "c"},
       {"volumeMounts", {{{"name", "v"}, {"mountPath", "/v"}}}}}};
  workers.add_pod_or_mark_failed(unfit);
  workers.find_pod_run("n", "unfit")->start();
  open("unfit", "c", false);
  io->restart();
  io->poll(); // Its status is still being written.
  BOOST_TEST(ends == 1);
  // clang-format off
  BOOST_TEST(why == "container \"c\" in pod \"unfit\" was never started: UnsupportedVolume: container c: volume \"v\" cannot be mounted at /v: this node has no nfs, only configMap, secret, downwardAPI, projected, emptyDir, persistentVolumeClaim and hostPath; containers are processes of this host here: use a hostPath, or a path of the host");
  // clang-format on
}

BOOST_FIXTURE_TEST_CASE(a_client_of_the_api_reads_the_reason_as_it_is,
                        reader_fixture) {
  struct answer_recorder : http::response_writer {
    void reply(http::response r) override { answer = std::move(r); }
    void start(http::response) override {}
    void write(std::string) override {}
    void finish() override {}
    void on_disconnect(std::function<void()>) override {}
    http::response answer;
  };
  apiserver::server_fixture api;
  api.core.set_log_source(&reader);
  auto pods = std::string{"/api/v1/namespaces/n/pods"};
  api.post("/api/v1/namespaces", {{"metadata", {{"name", "n"}}}});
  BOOST_REQUIRE(api.post(pods, apiserver::pod("a")).status == 201);
  struct row {
    const char* query;
    const char* message;
  };
  // clang-format off
  const row rows[] = {
      {"", "container \"c\" in pod \"a\" is waiting to start: ContainerCreating"},
      {"?previous=true", "previous terminated container \"c\" in pod \"a\" not found"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto x = std::make_shared<answer_recorder>();
    api.core.serve(api.request("GET", pods + "/a/log" + r.query), x);
    run();
    BOOST_TEST(x->answer.status == 400);
    BOOST_TEST(text_at(json::parse(x->answer.body), {"message"}) == r.message);
  }
}

BOOST_FIXTURE_TEST_CASE(whoever_gave_up_is_not_called, reader_fixture) {
  auto give_up = open("b", "c", false);
  give_up();
  run();
  BOOST_TEST(ends == 0);
}

BOOST_FIXTURE_TEST_CASE(a_closed_reader_refuses_at_once, reader_fixture) {
  open("b", "c", false);
  reader.reject_new_readers();
  open("a", "c", false);
  BOOST_TEST(ends == 1);
  BOOST_TEST(why == "the node has ended");
  run(); // The one that was opened before.
  BOOST_TEST(ends == 2);
  BOOST_TEST(why == "pod \"b\" has no log on this node");
}

BOOST_AUTO_TEST_SUITE_END()
