#include "k8s/apiserver/resources/pod_strategy.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(pod_strategy_test)

namespace {

/// A pod with its defaults, in which `pointer` is the value.
json pod_with(const char* pointer, json value) {
  auto p = pod("p");
  pod_strategy().set_defaults(p);
  p[json::json_pointer(pointer)] = std::move(value);
  return p;
}

/// Ports of these names, from 1 on.
json ports(std::initializer_list<const char*> names) {
  json out = json::array();
  for (auto name : names)
    out.push_back({{"name", name},
                   {"containerPort", out.size() + 1},
                   {"protocol", "TCP"}});
  return out;
}

/// "field: message", joined by "; ".
std::string text_of(const field_errors& errors) {
  std::string out;
  for (const auto& e : errors)
    out += (out.empty() ? "" : "; ") + e.field + ": " + e.message;
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(images_are_pulled_always_if_their_tag_may_move) {
  struct row {
    const char* image;
    const char* policy;
  } rows[] = {{"busybox", "Always"},
              {"busybox:latest", "Always"},
              {"reg.example:5000/busybox", "Always"},
              {"busybox:1.36", "IfNotPresent"},
              {"reg.example:5000/busybox:1", "IfNotPresent"},
              {"busybox@sha256:00", "IfNotPresent"}};
  for (const auto& r : rows) {
    auto p = pod("p");
    p["spec"]["containers"][0]["image"] = r.image;
    pod_strategy().set_defaults(p);
    BOOST_TEST(p["spec"]["containers"][0]["imagePullPolicy"] == r.policy,
               r.image);
  }
}

BOOST_AUTO_TEST_CASE(what_a_pod_does_not_say_gets_its_default) {
  auto p = json::parse(R"({"spec":{
    "restartPolicy":"Never",
    "initContainers":[{"name":"i","image":"b:1"}],
    "containers":[{"name":"c","image":"b:1",
      "ports":[{"containerPort":80}],
      "readinessProbe":{"periodSeconds":3},
      "env":[{"name":"X","valueFrom":{"fieldRef":{"fieldPath":"a"}}}]}],
    "volumes":[{"name":"v"},{"name":"w","configMap":{"name":"m"}}]}})");
  pod_strategy().set_defaults(p);
  pod_strategy().prepare_for_create(p);
  struct row {
    const char* pointer;
    json value;
  };
  const row rows[] = {
      {"/spec/restartPolicy", "Never"},
      {"/spec/dnsPolicy", "ClusterFirst"},
      {"/spec/terminationGracePeriodSeconds", 30},
      {"/spec/schedulerName", "default-scheduler"},
      {"/spec/initContainers/0/imagePullPolicy", "IfNotPresent"},
      {"/spec/containers/0/terminationMessagePath", "/dev/termination-log"},
      {"/spec/containers/0/ports/0/protocol", "TCP"},
      {"/spec/containers/0/readinessProbe/periodSeconds", 3},
      {"/spec/containers/0/readinessProbe/failureThreshold", 3},
      {"/spec/containers/0/env/0/valueFrom/fieldRef/apiVersion", "v1"},
      {"/spec/volumes/0/emptyDir", json::object()},
      {"/spec/volumes/1/configMap/defaultMode", 420},
      {"/status", {{"phase", "Pending"}}},
  };
  for (const auto& r : rows)
    BOOST_TEST(p[json::json_pointer(r.pointer)] == r.value, r.pointer);
  BOOST_TEST(!p["spec"]["volumes"][1].contains("emptyDir"));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_pod) {
  struct row {
    const char* pointer;
    json value;
    const char* errors;
  };
  // clang-format off
  const row rows[] = {
      {"/spec/restartPolicy", "Never", ""},
      {"/spec/restartPolicy", "Maybe", "spec.restartPolicy: Unsupported value: \"Maybe\": supported values: \"Always\", \"OnFailure\", \"Never\""},
      {"/spec/containers", json::array(), "spec.containers: Required value"},
      {"/spec/containers/0/name", "", "spec.containers[0].name: Required value"},
      {"/spec/containers/0/image", "", "spec.containers[0].image: Required value"},
      {"/spec/containers/0/imagePullPolicy", "x", "spec.containers[0].imagePullPolicy: Unsupported value: \"x\": supported values: \"Always\", \"IfNotPresent\", \"Never\""},
      // Names are unique among both kinds of containers.
      {"/spec/initContainers", {{{"name", "c"}, {"image", "i"}, {"imagePullPolicy", "Never"}}}, "spec.initContainers[0].name: Duplicate value: \"c\""},
      {"/spec/containers/0/ports", {{{"protocol", "TCP"}}}, "spec.containers[0].ports[0].containerPort: Required value"},
      {"/spec/containers/0/ports", {{{"protocol", "TCP"}, {"containerPort", 65536}}}, "spec.containers[0].ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive"},
      {"/spec/containers/0/ports", {{{"protocol", "x"}, {"containerPort", 1}}}, "spec.containers[0].ports[0].protocol: Unsupported value: \"x\": supported values: \"SCTP\", \"TCP\", \"UDP\""},
      {"/spec/containers/0/ports", {{{"protocol", "TCP"}, {"containerPort", 1}, {"hostPort", 65536}}}, "spec.containers[0].ports[0].hostPort: Invalid value: 65536: must be between 1 and 65535, inclusive"},
      {"/spec/containers/0/ports", ports({"http", "http"}), "spec.containers[0].ports[1].name: Duplicate value: \"http\""},
      {"/spec/containers/0/ports", ports({"sixteen-letters-"}), "spec.containers[0].ports[0].name: Invalid value: \"sixteen-letters-\": must be no more than 15 characters; spec.containers[0].ports[0].name: Invalid value: \"sixteen-letters-\": must not begin or end with a hyphen"},
      {"/spec/containers/0/ports", ports({"Http"}), "spec.containers[0].ports[0].name: Invalid value: \"Http\": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"},
      {"/spec/containers/0/ports", ports({"8080"}), "spec.containers[0].ports[0].name: Invalid value: \"8080\": must contain at least one letter (a-z)"},
      {"/spec/containers/0/ports", ports({"a--b"}), "spec.containers[0].ports[0].name: Invalid value: \"a--b\": must not contain consecutive hyphens"},
      {"/spec/containers/0/ports", ports({"fifteen-letters", "", "", "a1", "1a"}), ""},
      // Unique within a container only.
      {"/spec/containers", {{{"name", "c"}, {"image", "i"}, {"imagePullPolicy", "Never"}, {"ports", ports({"http"})}}, {{"name", "d"}, {"image", "i"}, {"imagePullPolicy", "Never"}, {"ports", ports({"http"})}}}, ""},
      {"/spec/containers/0/env", {{{"value", "1"}}}, "spec.containers[0].env[0].name: Required value"},
      {"/spec/containers/0/env", {{{"name", "X"}, {"value", 1}}}, "spec.containers[0].env[0].value: Invalid value: 1: must be a string"},
      {"/spec/containers/0/env", {{{"name", "X"}, {"value", "1"}, {"valueFrom", json::object()}}}, "spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty"},
      {"/spec/containers/0/volumeMounts", {{{"name", "v"}, {"mountPath", "/v"}}}, "spec.containers[0].volumeMounts[0].name: Not found: \"v\""},
      {"/spec/volumes", {{{"name", "v"}}, {{"name", "v"}}}, "spec.volumes[1].name: Duplicate value: \"v\""},
      {"/spec/terminationGracePeriodSeconds", -1, "spec.terminationGracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0"},
      {"/spec/activeDeadlineSeconds", 0, "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST(text_of(pod_strategy().validate(pod_with(r.pointer, r.value)))
                   == r.errors,
               r.pointer << " " << r.value);
  // A label's rule has a long text.
  auto errors = text_of(
      pod_strategy().validate(pod_with("/spec/containers/0/name", "A")));
  BOOST_TEST(errors.rfind("spec.containers[0].name: Invalid value: \"A\": a "
                          "lowercase RFC 1123 label",
                          0)
             == 0u);
}

BOOST_AUTO_TEST_CASE(an_update_changes_only_a_few_fields) {
  struct row {
    const char* pointer;
    json value;
    bool allowed;
  };
  const row rows[] = {
      {"/spec/containers/0/image", "other:1", true},
      {"/spec/activeDeadlineSeconds", 5, true},
      {"/spec/tolerations", json::array(), true},
      {"/spec/terminationGracePeriodSeconds", 5, true},
      {"/metadata/labels", {{"a", "b"}}, true},
      {"/spec/restartPolicy", "Never", false},
      {"/spec/nodeName", "n", false},
      {"/spec/containers/0/args", {"x"}, false},
      {"/spec/containers/1", {{"name", "d"}, {"image", "i"}}, false},
  };
  auto old = pod_with("/spec/dnsPolicy", "ClusterFirst");
  for (const auto& r : rows) {
    auto errors =
        pod_strategy().validate_update(pod_with(r.pointer, r.value), old);
    BOOST_TEST(errors.empty() == r.allowed, r.pointer);
    if (!r.allowed)
      BOOST_TEST(text_of(errors).rfind("spec: Forbidden: pod updates may not "
                                       "change fields other than",
                                       0)
                 == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_phase_that_is_final_stays) {
  struct row {
    const char* before;
    const char* after;
    bool allowed;
  } rows[] = {{"Pending", "Running", true},
              {"Running", "Failed", true},
              {"Failed", "Failed", true},
              {"Failed", "Running", false},
              {"Succeeded", "Failed", false}};
  for (const auto& r : rows)
    BOOST_TEST(pod_strategy()
                   .validate_status_update(pod_with("/status/phase", r.after),
                                           pod_with("/status/phase", r.before))
                   .empty()
               == r.allowed);
}

BOOST_AUTO_TEST_SUITE_END()
