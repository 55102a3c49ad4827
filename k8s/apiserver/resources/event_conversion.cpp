#include "k8s/apiserver/resources/event_conversion.hpp"

namespace troupe::k8s::apiserver {

namespace {

/// core/v1 name, events.k8s.io/v1 name.
constexpr const char* field_names[][2] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"reportingComponent", "reportingController"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"}};

void rename_field(json& object, const char* from, const char* to) {
  auto i = object.find(from);
  if (i == object.end())
    return;
  auto value = std::move(*i);
  object.erase(from);
  object[to] = std::move(value);
}

} // namespace

json event_to_events_v1(const json& event) {
  json out = event;
  for (auto [core, events] : field_names)
    rename_field(out, core, events);
  if (!out.contains("eventTime"))
    out["eventTime"] = nullptr;
  return out;
}

json event_to_core_v1(const json& event) {
  json out = event;
  for (auto [core, events] : field_names)
    rename_field(out, events, core);
  out["apiVersion"] = "v1";
  return out;
}

} // namespace troupe::k8s::apiserver
