#include "k8s/apiserver/reading/object_encoding.hpp"
#include "k8s/http/message_format.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(object_encoding_test)

namespace {

const auto now = *from_rfc3339("2026-01-01T00:00:00Z");

/// An event as it is stored.
stored_object_ptr stored_event() {
  return std::make_shared<const stored_object>(
      json::parse(R"({"apiVersion":"v1","kind":"Event",
    "metadata":{"name":"e","namespace":"default"},"message":"hello"})"),
      7);
}

/// GET of that event, as `accept` wants it.
struct event_request {
  explicit event_request(const std::string& target,
                         const std::string& accept = {}) {
    BOOST_REQUIRE(http::parse_request_target(target, request));
    if (!accept.empty())
      request.headers["accept"] = accept;
    auto parsed = parse_request_info(registry, request);
    BOOST_REQUIRE(bool(parsed));
    info = *parsed;
  }

  json answer() const {
    return json::parse(
        encode_object_in_requested_form(now, info, stored_event()));
  }

  resource_registry registry;
  http::request request;
  request_info info;
};

const char* const in_core = "/api/v1/namespaces/default/events/e";
const char* const in_events =
    "/apis/events.k8s.io/v1/namespaces/default/events/e";
const char* const table_type =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const char* const metadata_type =
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

} // namespace

BOOST_AUTO_TEST_CASE(an_object_comes_in_the_form_that_is_accepted) {
  struct row {
    const char* target;
    const char* accept;
    const char* api_version;
    const char* kind;
  };
  // clang-format off
  const row rows[] = {
      {in_core, "", "v1", "Event"},
      {in_core, "application/json", "v1", "Event"},
      {in_core, "*/*", "v1", "Event"},
      {in_events, "application/json", "events.k8s.io/v1", "Event"},
      {in_core, table_type, "meta.k8s.io/v1", "Table"},
      {in_events, table_type, "meta.k8s.io/v1", "Table"},
      {in_core, metadata_type, "meta.k8s.io/v1", "PartialObjectMetadata"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto answer = event_request{r.target, r.accept}.answer();
    BOOST_TEST(answer["apiVersion"] == r.api_version, r.target << r.accept);
    BOOST_TEST(answer["kind"] == r.kind, r.target << r.accept);
  }
}

BOOST_AUTO_TEST_CASE(a_stored_version_is_sent_as_it_lies_in_the_store) {
  auto event = stored_event();
  BOOST_TEST(encode_in_served_version(event_request{in_core}.info, event)
             == event->text());
  auto other = json::parse(
      encode_in_served_version(event_request{in_events}.info, event));
  BOOST_TEST(other["note"] == "hello");
  BOOST_TEST(!other.contains("message"));
}

BOOST_AUTO_TEST_CASE(metadata_comes_without_the_rest) {
  auto answer = event_request{in_core, metadata_type}.answer();
  BOOST_TEST(answer["metadata"]["name"] == "e");
  BOOST_TEST(!answer.contains("message"));
}

BOOST_AUTO_TEST_CASE(a_table_has_columns_one_row_and_the_objects_version) {
  struct row {
    const char* query;
    const char* kind; ///< Of the object in the row, "" for none.
  } rows[] = {{"", "PartialObjectMetadata"},
              {"?includeObject=Object", "Event"},
              {"?includeObject=None", ""}};
  for (const auto& r : rows) {
    auto table =
        event_request{std::string(in_core) + r.query, table_type}.answer();
    BOOST_TEST(table["metadata"]["resourceVersion"] == "7");
    BOOST_TEST(!table["columnDefinitions"].empty());
    BOOST_REQUIRE(table["rows"].size() == 1u);
    BOOST_TEST(text_at(table["rows"][0], {"object", "kind"}) == r.kind,
               r.query);
  }
}

BOOST_AUTO_TEST_SUITE_END()
