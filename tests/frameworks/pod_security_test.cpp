#include "frameworks/pod_security.hpp"
#include "tests/frameworks/kind_checks.hpp"

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(pod_security_test)

namespace {

json container(json more = json::object()) {
  json context{{"allowPrivilegeEscalation", false},
               {"capabilities", {{"drop", {"ALL"}}}}};
  context.merge_patch(more);
  return {{"name", "c"}, {"securityContext", std::move(context)}};
}

json pod_with(json context, std::vector<json> containers,
              std::vector<json> init = {}) {
  return {{"securityContext", std::move(context)},
          {"containers", std::move(containers)},
          {"initContainers", std::move(init)}};
}

json whole_pod(json more = json::object()) {
  json context{{"runAsNonRoot", true},
               {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  context.merge_patch(more);
  return context;
}

std::string context_of(const json& spec) {
  json added = json::object();
  frameworks::restrict_container_if_pod_complies(added, spec);
  return added.value("securityContext", json()).dump();
}

const std::string always = R"({"allowPrivilegeEscalation":false,)"
                           R"("capabilities":{"drop":["ALL"]})";
const json strict_container = container(
    {{"runAsNonRoot", true}, {"seccompProfile", {{"type", "Localhost"}}}});

} // namespace

BOOST_AUTO_TEST_CASE(what_is_added_is_as_strict_as_what_is_there) {
  struct row {
    const char* description;
    json spec;
    std::string context;
  } rows[] = {
      {"the pod says most of it", pod_with(whole_pod(), {container()}),
       always + R"(,"runAsUser":65532})"},
      {"the containers say it",
       pod_with(json::object(), {strict_container}, {strict_container}),
       always
           + R"(,"runAsNonRoot":true,"runAsUser":65532,)"
             R"("seccompProfile":{"type":"RuntimeDefault"}})"},
      {"the pod has a user",
       pod_with(whole_pod({{"runAsUser", 7}}), {container({{"runAsUser", 8}})}),
       always + "}"},
      {"the first container has one",
       pod_with(whole_pod(), {container({{"runAsUser", 8}, {"runAsGroup", 9}}),
                              container({{"runAsUser", 10}})}),
       always + R"(,"runAsGroup":9,"runAsUser":8})"},
  };
  for (const auto& r : rows)
    BOOST_TEST(context_of(r.spec) == r.context, r.description);
}

BOOST_AUTO_TEST_CASE(a_pod_that_does_not_comply_stays_as_it_is) {
  struct row {
    const char* description;
    json spec;
  } rows[] = {
      {"nothing is said", {{"containers", {{{"name", "c"}}}}}},
      {"there are no containers", json::object()},
      {"one container keeps its privileges",
       pod_with(whole_pod(), {container(), {{"name", "d"}}})},
      {"an init container does",
       pod_with(whole_pod(), {container()}, {{{"name", "d"}}})},
      {"escalation is allowed",
       pod_with(whole_pod(),
                {container({{"allowPrivilegeEscalation", true}})})},
      {"not all capabilities are dropped",
       pod_with(whole_pod(),
                {container({{"capabilities", {{"drop", {"CHOWN"}}}}})})},
      {"root may run",
       pod_with(whole_pod({{"runAsNonRoot", false}}), {container()})},
      {"root runs", pod_with(whole_pod({{"runAsUser", 0}}), {container()})},
      {"a container says otherwise",
       pod_with(whole_pod(), {container({{"runAsNonRoot", false}})})},
      {"no system calls are filtered",
       pod_with(whole_pod({{"seccompProfile", {{"type", "Unconfined"}}}}),
                {container()})},
  };
  for (const auto& r : rows)
    BOOST_TEST(context_of(r.spec) == "null", r.description);
}

BOOST_AUTO_TEST_CASE(init_containers_of_the_operators_own_comply) {
  auto complies = [](job_builder b, const char* type, const char* label,
                     const core::cluster_options& cluster) {
    auto& spec = b.pod_template(type)["spec"];
    spec["securityContext"] = whole_pod();
    for (auto& c : spec["containers"])
      c.merge_patch(container());
    spec["containers"][0]["name"] = b.get().kind->pods.container;
    auto pod = pod_of(b, label, 0, cluster);
    return pod["spec"]["initContainers"][0].contains("securityContext");
  };
  auto ddp = make_job_of("PyTorchJob").type("Master", 1).workers(1);
  auto mpi = make_job_of("MPIJob").type("Launcher", 1).workers(1);
  core::cluster_options cluster;
  BOOST_TEST(complies(ddp, "Worker", "worker", cluster));
  BOOST_TEST(complies(mpi, "Launcher", "launcher", cluster));
  cluster.master_wait_template =
      R"([{"name":"own"}])"; // As its owner wrote it.
  BOOST_TEST(!complies(ddp, "Worker", "worker", cluster));
}

BOOST_AUTO_TEST_SUITE_END()
