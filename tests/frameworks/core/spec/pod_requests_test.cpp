#include "frameworks/core/spec/pod_requests.hpp"
#include "k8s/codec/yaml.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(pod_requests_test)

namespace {

/// A template with this spec, in YAML.
json template_of(const std::string& spec) {
  auto documents = k8s::parse_yaml(spec, "row");
  BOOST_REQUIRE(documents);
  return {{"spec", documents->front().value}};
}

std::string requests_of(const std::string& spec, int times = 1) {
  core::resource_amounts sum;
  core::add_pod_requests(sum, template_of(spec), times);
  json out = json::object();
  for (const auto& [name, q] : sum)
    out[name] = q.to_text();
  return out.dump();
}

struct row {
  const char* spec;
  const char* requests;
};

// As kube-scheduler counts the pod that the API server makes of it.
constexpr row rows[] = {
    {"containers: []", "{}"},
    {"{}", "{}"},
    // The whole pod instead of the sum, resource by resource.
    {R"yaml(
resources: {requests: {cpu: 3}}
containers:
- resources: {requests: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 1}}
- resources: {requests: {cpu: 1, memory: 1Gi}}
)yaml",
     R"({"cpu":"3","memory":"2Gi","nvidia.com/gpu":"1"})"},
    // Also where it is less, as the API server would say.
    {"{resources: {requests: {cpu: 500m}}, "
     "containers: [{resources: {requests: {cpu: 1}}}]}",
     R"({"cpu":"500m"})"},
    // Other resources are not of a whole pod; huge pages are.
    {R"yaml(
resources: {requests: {cpu: 1, nvidia.com/gpu: 8, hugepages-2Mi: 4Mi}}
containers: [{resources: {limits: {nvidia.com/gpu: 2}}}]
)yaml",
     R"({"cpu":"1","hugepages-2Mi":"4Mi","nvidia.com/gpu":"2"})"},
    // Its limits are requests where nothing else requests that.
    {R"yaml(
resources: {limits: {cpu: 4, memory: 4Gi}}
containers: [{resources: {requests: {cpu: 1}}}]
)yaml",
     R"({"cpu":"1","memory":"4Gi"})"},
    // A container's limits are requests, resource by resource.
    {R"yaml(
resources: {requests: {memory: 1Gi}}
containers: [{resources: {requests: {memory: 2Gi}, limits: {cpu: 2}}}]
)yaml",
     R"({"cpu":"2","memory":"1Gi"})"},
    // An init container that needs more than all that run later.
    {R"yaml(
resources: {requests: {memory: 1Gi}}
initContainers:
- resources: {requests: {cpu: 1}}
- resources: {requests: {cpu: 5}}
containers: [{resources: {requests: {cpu: 2}}}, {resources: {requests: {cpu: 2}}}]
)yaml",
     R"({"cpu":"5","memory":"1Gi"})"},
    // A sidecar runs beside what comes after it.
    {R"yaml(
resources: {requests: {memory: 1Gi}}
initContainers:
- resources: {requests: {cpu: 4}}
- {restartPolicy: Always, resources: {requests: {cpu: 1}}}
- resources: {requests: {cpu: 4}}
containers: [{resources: {requests: {cpu: 2}}}]
)yaml",
     R"({"cpu":"5","memory":"1Gi"})"},
    {R"yaml(
resources: {requests: {memory: 1Gi}}
initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}]
containers: [{resources: {requests: {cpu: 2}}}]
)yaml",
     R"({"cpu":"3","memory":"1Gi"})"},
    // What a runtime class adds comes on top.
    {R"yaml(
resources: {requests: {cpu: 1}}
overhead: {cpu: 250m, memory: 120Mi}
containers: [{}]
)yaml",
     R"({"cpu":"1250m","memory":"120Mi"})"},
    // What is no amount is not counted: the API server refuses the pod.
    {"{resources: {requests: {cpu: much, memory: 1Gi}}, "
     "containers: [{resources: 3}, 4]}",
     R"({"memory":"1Gi"})"},
};

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_requests_what_a_scheduler_counts) {
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.spec)
  BOOST_TEST(requests_of(r.spec) == r.requests);
}

BOOST_AUTO_TEST_CASE(pods_are_added_up) {
  const char* spec = "{resources: {requests: {cpu: 1500m}}, containers: [{}]}";
  BOOST_TEST(requests_of(spec, 3) == R"({"cpu":"4500m"})");
  core::resource_amounts sum;
  for (int i = 0; i < 2; ++i)
    core::add_pod_requests(sum, template_of(spec), 1);
  BOOST_TEST(sum["cpu"].to_text() == "3");
}

BOOST_AUTO_TEST_CASE(only_some_resources_are_of_a_whole_pod) {
  for (const char* yes : {"{resources: {requests: {cpu: 1}}}",
                          "{resources: {limits: {memory: 1}}}",
                          "{resources: {limits: {hugepages-1Gi: 1Gi}}}"})
    BOOST_TEST(core::has_pod_level_resources(template_of(yes)), yes);
  for (const char* no :
       {"{}", "{resources: {}}", "{resources: {requests: {}}}",
        "{resources: {requests: {nvidia.com/gpu: 1}}}", "{resources: [1]}",
        "{containers: [{resources: {requests: {cpu: 1}}}]}"})
    BOOST_TEST(!core::has_pod_level_resources(template_of(no)), no);
}

BOOST_AUTO_TEST_SUITE_END()
