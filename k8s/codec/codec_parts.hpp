#pragma once

// Shared by the readers of JSON and of protobuf. Included by codec.cpp and
// protobuf_codec.cpp only.

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s {

/// The beginning of a text, fit for one line of a log.
std::string printable_excerpt(std::string_view text);

/// `value` if it fits, else 0.
std::int32_t int32_or_zero(std::int64_t value);

/// "" is pending.
pod_phase parse_pod_phase(std::string_view text);

/// Adds an address that is not empty and that the pod does not have yet. With
/// `goes_first` it becomes the first one, even if the pod has it: servers send
/// the first address twice (podIP, podIPs).
void add_pod_ip(pod_state& pod, std::string ip, bool goes_first);

/// `names` are those of the init containers that are sidecars.
void mark_sidecars(pod_state& pod, const std::vector<std::string>& names);

/// The kind of event that has this name in a watch.
result<watch_event::kind> parse_event_type(std::string_view type);

/// The fields of a v1.Status that are read; empty if the text is not a Status.
struct status_text {
  std::string_view reason;
  std::string_view message;
  std::int32_t retry_after_seconds = 0;
};

failure failure_of_status(const status_text& status, int http_status);

} // namespace troupe::k8s
