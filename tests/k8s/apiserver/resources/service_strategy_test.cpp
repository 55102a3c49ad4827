#include "k8s/apiserver/resources/service_strategy.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(service_strategy_test)

namespace {

json service_of(const char* spec) {
  json service{{"metadata", {{"name", "s"}}}, {"spec", json::parse(spec)}};
  service_strategy().set_defaults(service);
  return service;
}

std::string text_of(const field_errors& errors) {
  std::string out;
  for (const auto& e : errors)
    out += (out.empty() ? "" : "; ") + e.field + ": " + e.message;
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_a_service_does_not_say_gets_its_default) {
  struct row {
    const char* spec;
    const char* pointer;
    json value; ///< null: absent.
  };
  // clang-format off
  const row rows[] = {
      {"{}", "/spec/type", "ClusterIP"},
      {"{}", "/spec/sessionAffinity", "None"},
      {"{}", "/spec/ipFamilies", {"IPv4"}},
      {"{}", "/spec/clusterIPs", nullptr},
      {R"({"type":"ExternalName"})", "/spec/ipFamilies", nullptr},
      {R"({"clusterIP":"None"})", "/spec/clusterIPs", {"None"}},
      {R"({"ports":[{"port":80}]})", "/spec/ports/0/protocol", "TCP"},
      {R"({"ports":[{"port":80}]})", "/spec/ports/0/targetPort", 80},
      {R"({"ports":[{"port":80,"targetPort":0}]})", "/spec/ports/0/targetPort", 80},
      {R"({"ports":[{"port":80,"targetPort":"web"}]})", "/spec/ports/0/targetPort", "web"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto service = service_of(r.spec);
    auto at = json::json_pointer(r.pointer);
    BOOST_TEST((service.contains(at) ? service[at] : json()) == r.value,
               r.spec << r.pointer);
  }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_service) {
  struct row {
    const char* spec;
    const char* errors;
  };
  // clang-format off
  const row rows[] = {
      {R"({"ports":[{"port":80}]})", ""},
      {R"({"clusterIP":"None"})", ""},
      {R"({"type":"ExternalName"})", ""},
      {"{}", "spec.ports: Required value"},
      {R"({"type":"x","clusterIP":"None"})", "spec.type: Unsupported value: \"x\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \"NodePort\""},
      {R"({"ports":[{"port":0}]})", "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"},
      {R"({"ports":[{"port":1},{"port":2,"name":"b"}]})", "spec.ports[0].name: Required value"},
      {R"({"ports":[{"port":1,"name":"a"},{"port":2,"name":"a"}]})", "spec.ports[1].name: Duplicate value: \"a\""},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST(text_of(service_strategy().validate(service_of(r.spec)))
                   == r.errors,
               r.spec);
}

BOOST_AUTO_TEST_CASE(an_address_that_was_given_stays) {
  struct row {
    const char* before;
    const char* after;
    bool allowed;
  } rows[] = {{R"({"clusterIP":"None"})", R"({"clusterIP":"None"})", true},
              {R"({"clusterIP":"None"})", "{}", false},
              {R"({"clusterIP":"None"})", R"({"type":"ExternalName"})", true},
              {"{}", R"({"clusterIP":"10.0.0.1"})", true}};
  for (const auto& r : rows)
    BOOST_TEST(service_strategy()
                   .validate_update(service_of(r.after), service_of(r.before))
                   .empty()
               == r.allowed);
}

BOOST_AUTO_TEST_SUITE_END()
