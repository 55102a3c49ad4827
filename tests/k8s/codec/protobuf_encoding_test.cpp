#include "k8s/codec/protobuf_encoding.hpp"

#include <boost/test/unit_test.hpp>

#include <iomanip>
#include <sstream>

using troupe::k8s::json_to_protobuf_if_certain;

BOOST_AUTO_TEST_SUITE(protobuf_encoding_test)

namespace {

/// Bytes that are no letters in hexadecimal digits.
std::string readable(const std::string& bytes) {
  std::ostringstream out;
  for (unsigned char c : bytes)
    if (std::isalnum(c) || c == '/')
      out << c;
    else
      out << '<' << std::hex << std::setw(2) << std::setfill('0') << int(c)
          << '>';
  return out.str();
}

std::string pod(const std::string& members) {
  return R"({"apiVersion":"v1","kind":"Pod",)" + members + "}";
}

std::string container(const std::string& members) {
  return pod(R"("spec":{"containers":[{"name":"c",)" + members + "}]}");
}

} // namespace

// As Go's clients write it: magic, then the message Unknown with the type (1)
// and the object (2).
BOOST_AUTO_TEST_CASE(the_object_follows_its_type) {
  auto bytes = json_to_protobuf_if_certain(
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},
          "spec":{"clusterIP":"None"}})");
  BOOST_REQUIRE(bytes.has_value());
  BOOST_TEST(readable(*bytes)
             == "k8s<00><0a><0d><0a><02>v1<12><07>Service<12><0f>"
                "<0a><05><0a><03>web<12><06><1a><04>None");
}

BOOST_AUTO_TEST_CASE(what_only_json_can_express_has_no_protobuf) {
  // clang-format off
  const std::string rows[] = {
      "", "[]", "{", R"({"kind":"Pod"})", R"({"apiVersion":"v1"})",
      R"({"apiVersion":"kubeflow.org/v1","kind":"TFJob"})",
      R"({"apiVersion":"apps/v1","kind":"Deployment"})",
      R"({"apiVersion":"v1","kind":"Container","name":"not an object"})",
      pod(R"("unknown":1)"),
      pod(R"("metadata":{"name":1})"),
      pod(R"("metadata":{"labels":{"a":true}})"),
      pod(R"("metadata":{"labels":["a"]})"),
      pod(R"("metadata":{"creationTimestamp":"yesterday"})"),
      pod(R"("metadata":{"managedFields":[{"fieldsV1":{"f:spec":{}}}]})"),
      pod(R"("spec":{"containers":{}})"),
      pod(R"("spec":{"containers":["a"]})"),
      pod(R"("spec":{"volumes":[{"name":"a","emptydir":{}}]})"),
      pod(R"("spec":{"-":{}})"),
      pod(R"("spec":{"priority":2147483648})"),
      pod(R"("spec":{"priority":1.5})"),
      pod(R"("spec":{"hostNetwork":"yes"})"),
      container(R"("resources":{"limits":{"cpu":0.5}})"),
      container(R"("resources":{"limits":{"cpu":-1}})"),
      container(R"("resources":{"limits":{"cpu":"one"}})"),
      container(R"("resources":{"limits":{"cpu":" 1"}})"),
      container(R"("resources":{"limits":{"cpu":"1e3"}})"),
      container(R"("resources":{"limits":{"cpu":"1.2.3"}})"),
      R"({"apiVersion":"v1","kind":"ConfigMap","binaryData":{"a":"AA=="}})"};
  // clang-format on
  for (const auto& text : rows)
    BOOST_TEST(!json_to_protobuf_if_certain(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()
