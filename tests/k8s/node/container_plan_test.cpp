#include "k8s/node/container_environment.hpp"
#include "k8s/node/container_plan.hpp"
#include "k8s/node/unsupported_fields.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

namespace {

const json pod = json::parse(R"({
  "metadata": {"name": "p", "namespace": "n", "uid": "u-1",
    "labels": {"a/b": "label"}, "annotations": {"c": "note"}},
  "spec": {}})");

pod_sandbox sandbox() {
  pod_sandbox p;
  p.node = "laptop";
  p.address = "127.9.0.2";
  p.hostname = "host";
  p.host_address = "127.0.0.1";
  p.work_directory = "/";
  p.preload_library = "/run/lib.so";
  p.hosts_file = "/run/hosts";
  p.exec_context_links = "/run/pods/n";
  p.tools_directory = "/run/tools";
  p.inherited = {{"PATH", "/bin"}, {"HOME", "/home"}};
  return p;
}

const config_sources data{
    {{"ConfigMap", "m"},
     config_source_content{std::map<std::string, std::string>{{"k", "v"}}}},
    {{"Secret", "s"},
     config_source_content{std::map<std::string, std::string>{{"t", "w"}}}},
    {{"ConfigMap", "gone"},
     config_source_content{failure{ec::not_found, "not found"}}}};

/// "A=1 B=2", or "reason: message", with "later" if it may change.
std::string environment_of(const char* env, const char* from = "[]") {
  json c{{"name", "c"}, {"env", json::parse(env)}};
  c["envFrom"] = json::parse(from);
  std::map<std::string, std::string> made;
  if (auto o = make_container_environment(pod, c, sandbox(), data, made))
    return (o->is_retryable ? "later: " : "never: ") + o->message;
  std::string text;
  for (const auto& [name, value] : made)
    text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_environment_is_made_of_what_the_manifest_names) {
  auto field = [](const char* path) {
    return environment_of(
        (std::string{R"([{"name":"X","valueFrom":{"fieldRef":)"}
         + R"({"fieldPath":")" + path + R"("}}}])")
            .c_str());
  };
  BOOST_TEST(field("metadata.name") == "X=p");
  BOOST_TEST(field("metadata.namespace") == "X=n");
  BOOST_TEST(field("metadata.uid") == "X=u-1");
  BOOST_TEST(field("metadata.labels['a/b']") == "X=label");
  BOOST_TEST(field("metadata.labels['none']") == "X=");
  BOOST_TEST(field("metadata.annotations['c']") == "X=note");
  BOOST_TEST(field("spec.nodeName") == "X=laptop");
  BOOST_TEST(field("spec.serviceAccountName") == "X=default");
  BOOST_TEST(field("status.podIP") == "X=127.9.0.2");
  BOOST_TEST(field("status.hostIP") == "X=127.0.0.1");
  BOOST_TEST(field("status.moon")
             == "never: env X: fieldRef status.moon is not known here");

  struct {
    const char* env;
    const char* from;
    const char* result;
  } rows[] = {
      {R"j([{"name":"A","value":"1"},{"name":"B","value":"$(A)$(C)"},
            {"name":"C","value":"3"}])j",
       "[]", "A=1 B=1$(C) C=3"},
      {R"j([{"name":"A"}])j", "[]", "A="},
      {R"j([{"name":"A","value":"$(HOME)"}])j", "[]", "A=$(HOME)"},
      {R"j([{"name":"A","valueFrom":{"configMapKeyRef":
            {"name":"m","key":"k"}}}])j",
       "[]", "A=v"},
      {R"j([{"name":"A","valueFrom":{"secretKeyRef":
            {"name":"s","key":"t"}}}])j",
       "[]", "A=w"},
      {R"j([{"name":"A","valueFrom":{"configMapKeyRef":
            {"name":"m","key":"z"}}}])j",
       "[]", "later: env A: there is no key z in ConfigMap m"},
      {R"j([{"name":"A","valueFrom":{"configMapKeyRef":
            {"name":"gone","key":"z"}}}])j",
       "[]", "later: env A: ConfigMap gone: not found"},
      {R"j([{"name":"A","valueFrom":{"configMapKeyRef":
            {"name":"gone","key":"z","optional":true}}}])j",
       "[]", ""},
      {R"j([{"name":"k","value":"$(k)+"}])j",
       R"j([{"configMapRef":{"name":"m"}},
            {"prefix":"S_","secretRef":{"name":"s"}}])j",
       "S_t=w k=v+"},
      {"[]", R"j([{"configMapRef":{"name":"gone"}}])j",
       "later: ConfigMap gone: not found"},
  };
  for (const auto& row : rows)
    BOOST_TEST(environment_of(row.env, row.from) == row.result, row.env);
}

BOOST_AUTO_TEST_CASE(a_plan_adds_what_the_host_gives) {
  auto c = json::parse(R"j({"name":"c","command":["run","$(A)"],
    "args":["$$(A)","$(PATH)"],
    "env":[{"name":"A","value":"1"},{"name":"HOME","value":"/mine"},
           {"name":"LD_PRELOAD","value":"/theirs.so"}]})j");
  container_plan plan;
  BOOST_REQUIRE(!make_container_plan(pod, c, sandbox(), {}, plan));
  BOOST_TEST(plan.argv
                 == (std::vector<std::string>{"run", "1", "$(A)", "$(PATH)"}),
             boost::test_tools::per_element());
  BOOST_TEST(plan.env["PATH"] == "/run/tools/path:/bin");
  BOOST_TEST(plan.env["TROUPE_PODS"] == "/run/pods/n");
  BOOST_TEST(plan.env["HOME"] == "/mine");
  BOOST_TEST(plan.env["HOSTNAME"] == "host");
  BOOST_TEST(plan.env["LD_PRELOAD"] == "/run/lib.so:/theirs.so");
  BOOST_TEST(plan.directory == "/");
}

BOOST_AUTO_TEST_CASE(known_images_have_a_tool_in_their_place) {
  struct {
    const char* image;
    bool known;
  } rows[] = {
      {"kubectl-delivery", true},
      {"kubeflow/kubectl-delivery:latest", true},
      {"registry:5000/a/kubectl-delivery@sha256:0", true},
      {"kubectl-delivery-2", false},
      {"kubectl-delivery/other", false},
      {"", false},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.image) {
      json c{{"name", "c"}, {"image", row.image}};
      auto p = pod;
      p["spec"]["initContainers"] = json::array({c});
      BOOST_TEST(!find_unsupported_field(p) == row.known);
      container_plan plan;
      BOOST_REQUIRE(!make_container_plan(pod, c, sandbox(), {}, plan));
      BOOST_TEST(plan.argv.empty() == !row.known);
      c["command"] = {"mine"};
      BOOST_TEST(builtin_tool_for_image(c) == "");
    }
}
