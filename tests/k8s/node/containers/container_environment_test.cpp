#include "k8s/node/containers/container_environment.hpp"
#include "tests/k8s/node/namespaces/sample_sandbox.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(container_environment_test)

namespace {

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
  if (auto o = make_environment_from_manifest(pod, c, sandbox(), data, made))
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
             == "never: env X: unsupported fieldPath: status.moon");

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
       "[]", "later: env A: couldn't find key z in ConfigMap n/m"},
      {R"j([{"name":"A","valueFrom":{"configMapKeyRef":
            {"name":"gone","key":"z"}}}])j",
       "[]", "later: env A: configmap \"gone\" not found"},
      {R"j([{"name":"A","valueFrom":{"configMapKeyRef":
            {"name":"gone","key":"z","optional":true}}}])j",
       "[]", ""},
      {R"j([{"name":"k","value":"$(k)+"}])j",
       R"j([{"configMapRef":{"name":"m"}},
            {"prefix":"S_","secretRef":{"name":"s"}}])j",
       "S_t=w k=v+"},
      {"[]", R"j([{"configMapRef":{"name":"gone"}}])j",
       "later: configmap \"gone\" not found"},
  };
  for (const auto& row : rows)
    BOOST_TEST(environment_of(row.env, row.from) == row.result, row.env);
}

BOOST_AUTO_TEST_CASE(resources_without_a_limit_are_those_of_the_node) {
  auto value_of = [](const char* resources, const char* resource) {
    json c{{"resources", json::parse(resources)}};
    json ref{{"resource", resource}};
    json variable{{"name", "X"}, {"valueFrom", {{"resourceFieldRef", ref}}}};
    c["env"] = json::array({variable});
    std::map<std::string, std::string> env;
    BOOST_REQUIRE(!make_environment_from_manifest(pod, c, sandbox(), {}, env));
    return env["X"];
  };
  BOOST_TEST(value_of(R"({"limits":{"cpu":2}})", "limits.cpu") == "2");
  BOOST_TEST(value_of(R"({"limits":{"cpu":"3"}})", "limits.cpu") == "3");
  BOOST_TEST(std::stoll(value_of("{}", "limits.memory")) > 0);
  BOOST_TEST(std::stoi(value_of("{}", "limits.cpu")) >= 1);
  BOOST_TEST(value_of(R"({"limits":{"cpu":"1500m"}})", "limits.cpu") == "2");
  BOOST_TEST(value_of(R"({"limits":{"memory":"1Ki"}})", "limits.memory")
             == "1024");
}

BOOST_AUTO_TEST_CASE(what_must_be_read_first_is_named) {
  auto c = json::parse(R"({"envFrom":[{"configMapRef":{"name":"a"}},
    {"secretRef":{"name":"b"}}],"env":[{"name":"X","value":"1"},
    {"name":"Y","valueFrom":{"secretKeyRef":{"name":"c","key":"k"}}}]})");
  std::string names;
  for (const auto& [kind, name] : config_sources_of_environment(c))
    names += kind + " " + name + ",";
  BOOST_TEST(names == "ConfigMap a,Secret b,Secret c,");
}

BOOST_AUTO_TEST_SUITE_END()
