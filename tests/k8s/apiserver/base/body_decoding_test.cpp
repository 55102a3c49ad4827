#include "k8s/apiserver/base/body_decoding.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(body_decoding_test)

namespace {

/// What a body reads as, or "CODE message".
std::string decoded(const std::string& method, const std::string& type,
                    const std::string& body) {
  http::request r;
  r.method = method;
  r.body = body;
  if (!type.empty())
    r.headers["content-type"] = type;
  auto read = decode_body(r);
  if (!read)
    return std::to_string(read.error().code) + " " + read.error().message;
  return to_text(*read);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_body_reads_as_its_type_says) {
  struct row {
    const char* method;
    const char* type;
    const char* body;
    const char* decoded;
  };
  const char* const json_type = "application/json";
  const char* const protobuf_type = "application/vnd.kubernetes.protobuf";
  // clang-format off
  const row rows[] = {
      {"POST", json_type, R"({"a": 1})", R"({"a":1})"},
      {"POST", "application/json; charset=utf-8", "{}", "{}"},
      {"POST", "", R"({"a": 1})", R"({"a":1})"},
      {"PATCH", "application/json-patch+json", "[ ]", "[]"},
      // JSON is YAML, too.
      {"POST", "application/yaml", R"({"a": 1})", R"({"a":1})"},
      // Whoever reads or deletes needs to say nothing.
      {"DELETE", json_type, "", "{}"},
      {"DELETE", protobuf_type, "", "{}"},
      {"DELETE", json_type, R"({"a": 1})", R"({"a":1})"},
      {"GET", "", "", "{}"},
      {"PATCH", "application/apply-patch+yaml", "a: 1", R"({"a":1})"},
      {"POST", "application/yaml", "a:\n- b\n", R"({"a":["b"]})"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST(decoded(r.method, r.type, r.body) == r.decoded,
               r.method << " " << r.type << " " << r.body);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_refused) {
  struct row {
    const char* method;
    const char* type;
    const char* body;
    const char* begins;
  };
  // clang-format off
  const row rows[] = {
      {"POST", "application/json", "", "400 the body of the request is not valid JSON: "},
      {"PUT", "application/json", "{", "400 the body of the request is not valid JSON: "},
      {"PATCH", "application/merge-patch+json", "", "400 the body of the request is not valid JSON: "},
      {"DELETE", "application/json", "{", "400 the body of the request is not valid JSON: "},
      {"POST", "application/yaml", "a: 1\n---\nb: 2\n", "400 the body of the request must be one YAML document, not 2"},
      {"POST", "application/yaml", "a: [", "400 the body of the request:"},
      {"POST", "application/vnd.kubernetes.protobuf", "{}", "415 the body of the request was in an unknown format"},
      {"POST", "application/vnd.kubernetes.protobuf", "", "415 the body of the request was in an unknown format"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto text = decoded(r.method, r.type, r.body);
    BOOST_TEST(text.substr(0, std::string(r.begins).size()) == r.begins,
               r.type << " " << r.body << " gives " << text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
