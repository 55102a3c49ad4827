#include "k8s/apiserver/resources/event_conversion.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(event_conversion_test)

namespace {

struct field_names {
  const char* core;
  const char* events;
};

const field_names renamed[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"reportingComponent", "reportingController"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
};

const char* const same_in_both[] = {"metadata", "type",    "reason",
                                    "action",   "related", "reportingInstance",
                                    "series"};

} // namespace

BOOST_AUTO_TEST_CASE(some_fields_have_other_names) {
  for (const auto& f : renamed) {
    auto events = event_to_events_v1({{f.core, "x"}});
    BOOST_TEST(events.value(f.events, "") == "x", f.events);
    BOOST_TEST(!events.contains(f.core), f.core);
    auto core = event_to_core_v1({{f.events, "x"}});
    BOOST_TEST(core.value(f.core, "") == "x", f.core);
    BOOST_TEST(!core.contains(f.events), f.events);
    // A field that was not set does not appear.
    BOOST_TEST(!event_to_events_v1(json::object()).contains(f.events));
    BOOST_TEST(!event_to_core_v1(json::object()).contains(f.core));
  }
  for (const auto* name : same_in_both) {
    BOOST_TEST(event_to_events_v1({{name, "x"}}).value(name, "") == "x", name);
    BOOST_TEST(event_to_core_v1({{name, "x"}}).value(name, "") == "x", name);
  }
}

BOOST_AUTO_TEST_CASE(the_time_of_an_event_is_always_there_in_events_v1) {
  json event{{"eventTime", "2026-01-01T00:00:00.000000Z"}};
  BOOST_TEST(event_to_events_v1(event)["eventTime"] == event["eventTime"]);
  auto without = event_to_events_v1(json::object());
  BOOST_TEST(without.contains("eventTime"));
  BOOST_TEST(without["eventTime"].is_null());
}

BOOST_AUTO_TEST_CASE(an_event_is_stored_as_core_v1_and_loses_nothing) {
  json event{{"apiVersion", "events.k8s.io/v1"}, {"eventTime", nullptr}};
  for (const auto& f : renamed)
    event[f.events] = f.events;
  for (const auto* name : same_in_both)
    event[name] = name;
  auto stored = event_to_core_v1(event);
  BOOST_TEST(stored["apiVersion"] == "v1");
  BOOST_TEST(stored.size() == event.size());
  auto shown = event_to_events_v1(stored);
  shown["apiVersion"] = "events.k8s.io/v1";
  BOOST_TEST(shown == event);
}

BOOST_AUTO_TEST_SUITE_END()
