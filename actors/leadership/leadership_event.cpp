#include "actors/leadership/leadership_event.hpp"

#include "k8s/json.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace troupe::actors {

namespace {

/// Different for each moment, as the names of client-go's events are.
std::string leadership_event_name(const std::string& lease,
                                  k8s::time_point now) {
  auto stamp = std::chrono::nanoseconds{now.time_since_epoch()}.count();
  char suffix[20];
  std::snprintf(suffix, sizeof suffix, ".%llx",
                static_cast<unsigned long long>(stamp));
  return lease + suffix;
}

} // namespace

k8s::request leadership_event_request(const std::string& lease,
                                      const std::string& identity, bool leads,
                                      k8s::time_point now) {
  auto object = k8s::parse_json_or_null(lease);
  auto name = k8s::text_at(object, {"metadata", "name"});
  auto ns = k8s::text_at(object, {"metadata", "namespace"});
  auto time = k8s::to_rfc3339(now);
  nlohmann::json event{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata",
       {{"name", leadership_event_name(name, now)}, {"namespace", ns}}},
      {"involvedObject",
       {{"apiVersion", k8s::resources::leases.api_version()},
        {"kind", k8s::resources::leases.kind},
        {"name", name},
        {"namespace", ns},
        {"uid", k8s::text_at(object, {"metadata", "uid"})},
        {"resourceVersion",
         k8s::text_at(object, {"metadata", "resourceVersion"})}}},
      {"reason", "LeaderElection"},
      {"message", identity + (leads ? " became leader" : " stopped leading")},
      {"type", "Normal"},
      {"count", 1},
      {"firstTimestamp", time},
      {"lastTimestamp", time},
      {"source", {{"component", identity}}},
      {"reportingComponent", identity},
      {"reportingInstance", ""}};
  return k8s::create(k8s::resources::events, ns, k8s::to_text(event));
}

} // namespace troupe::actors
