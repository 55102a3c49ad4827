#include "k8s/apiserver/reading/resource_metrics.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(resource_metrics_test)

namespace {

const std::string group = "/apis/metrics.k8s.io/v1beta1";

/// What a node would measure.
struct known_usage : usage_source {
  void measure_usage(std::function<void(node_usage)> done) override {
    done(usage);
  }

  node_usage usage{
      "laptop",
      {1.5, 3 << 20},
      {{"default", "one", {{"c", {0.25, 2048}}}},
       {"default", "two", {{"c", {1, 4096, gpu_usage{0.5, 8192}}}}},
       {"default", "pending", {}},
       {"default", "unknown", {{"c", {1, 4096}}}}},
      *from_rfc3339("2024-01-01T00:00:10Z"),
      std::chrono::milliseconds{1500}};
};

struct whole_answer : http::response_writer {
  void reply(http::response r) override { answer = std::move(r); }
  void start(http::response) override { BOOST_ERROR("is no stream"); }
  void write(std::string) override {}
  void finish() override {}
  void on_disconnect(std::function<void()>) override {}

  http::response answer;
};

struct metrics_fixture : server_fixture {
  metrics_fixture() {
    core.set_usage_source(&source);
    for (auto name : {"one", "two", "pending"}) {
      auto p = pod(name);
      p["metadata"]["labels"] = {{"app", name}};
      post(pods, p);
    }
    post("/api/v1/nodes", {{"apiVersion", "v1"},
                           {"kind", "Node"},
                           {"metadata", {{"name", "laptop"}}}});
  }

  json read(const std::string& path, int status = 200,
            const std::string& method = "GET") {
    auto x = std::make_shared<whole_answer>();
    core.serve(request(method, group + path), x);
    BOOST_TEST(x->answer.status == status, x->answer.body);
    return json::parse(x->answer.body);
  }

  known_usage source;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(pods_that_run_are_listed, metrics_fixture) {
  auto list = read("/namespaces/default/pods");
  BOOST_TEST(text_at(list, {"kind"}) == "PodMetricsList");
  BOOST_REQUIRE(list["items"].size() == 2u);
  auto one = list["items"][0];
  BOOST_TEST(text_at(one, {"metadata", "name"}) == "one");
  BOOST_TEST(text_at(one, {"metadata", "labels", "app"}) == "one");
  BOOST_TEST(text_at(one, {"timestamp"}) == "2024-01-01T00:00:10Z");
  BOOST_TEST(text_at(one, {"window"}) == "1500ms");
  BOOST_TEST(
      to_text(one["containers"])
      == R"([{"name":"c","usage":{"cpu":"250000000n","memory":"2Ki"}}])");
  BOOST_TEST(to_text(list["items"][1]["containers"][0]["usage"])
             == R"({"cpu":"1000000000n","memory":"4Ki",)"
                R"("nvidia.com/gpu":"500m","nvidia.com/gpu-memory":"8Ki"})");
  BOOST_TEST(read("/pods")["items"].size() == 2u);
  BOOST_TEST(read("/namespaces/other/pods")["items"].size() == 0u);
}

BOOST_FIXTURE_TEST_CASE(pods_are_chosen_by_label_or_name, metrics_fixture) {
  auto chosen = read("/namespaces/default/pods?labelSelector=app%3Dtwo");
  BOOST_REQUIRE(chosen["items"].size() == 1u);
  BOOST_TEST(text_at(chosen["items"][0], {"metadata", "name"}) == "two");
  BOOST_TEST(text_at(read("/namespaces/default/pods/one"), {"kind"})
             == "PodMetrics");
  read("/namespaces/default/pods/pending", 404);
  read("/namespaces/default/pods/unknown", 404);
}

BOOST_FIXTURE_TEST_CASE(a_node_uses_what_the_whole_machine_does,
                        metrics_fixture) {
  auto list = read("/nodes");
  BOOST_REQUIRE(list["items"].size() == 1u);
  BOOST_TEST(to_text(list["items"][0]["usage"])
             == R"({"cpu":"1500000000n","memory":"3072Ki"})");
  BOOST_TEST(text_at(read("/nodes/laptop"), {"kind"}) == "NodeMetrics");
}

BOOST_FIXTURE_TEST_CASE(nothing_can_be_written_or_watched, metrics_fixture) {
  read("/namespaces/default/pods/one", 405, "DELETE");
  read("/namespaces/default/pods", 405, "POST");
  read("/namespaces/default/pods?watch=true", 405);
}

BOOST_FIXTURE_TEST_CASE(without_a_node_nothing_is_known, metrics_fixture) {
  core.set_usage_source(nullptr);
  BOOST_TEST(read("/nodes")["items"].size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
