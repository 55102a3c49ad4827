#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::k8s {

/// Wall-clock time as the API server writes it (whole seconds on the wire).
using time_point = std::chrono::system_clock::time_point;

/// 1970-01-01T00:00:00Z and 2250-12-31T23:59:59Z: the difference of two times
/// in between, and of `time_point::max()` and such a time, stays in range.
inline constexpr time_point earliest_time{};
inline constexpr time_point latest_time{std::chrono::seconds{8867491199}};

/// "2026-01-31T12:00:00Z".
std::string to_rfc3339(time_point t);
/// "2026-01-31T12:00:00.000000Z", as Leases have it (MicroTime).
std::string to_rfc3339_micro(time_point t);
/// Reads RFC 3339 with or without fraction, UTC or with an offset; nullopt for
/// any other text. A time before `earliest_time` or after `latest_time` reads
/// as that.
std::optional<time_point> from_rfc3339(std::string_view text);

/// A resourceVersion as a number; 0 if it is not one.
std::uint64_t parse_resource_version_or_zero(std::string_view text);

/// A resource as it appears in paths and manifests.
struct resource {
  std::string group; ///< "" for the core group.
  std::string version;
  std::string plural;
  std::string kind;

  /// "v1" or "kubeflow.org/v1".
  std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
};

/// One entry of metadata.ownerReferences.
struct owner_reference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
};

/// The part of metadata that this program reads.
struct object_meta {
  std::string name;
  std::string ns;
  std::string uid;
  std::uint64_t resource_version = 0; ///< They grow within one server.
  std::int64_t generation = 0;
  time_point created{};
  std::optional<time_point> deleted; ///< deletionTimestamp.
  /// deletionGracePeriodSeconds: so long before `deleted` it was requested.
  std::optional<std::int64_t> deletion_grace_seconds = {};
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::vector<owner_reference> owners;

  /// The owner with `controller: true`, or nullptr.
  const owner_reference* controller() const {
    for (const auto& o : owners)
      if (o.controller)
        return &o;
    return nullptr;
  }
};

enum class pod_phase : std::uint8_t {
  pending,
  running,
  succeeded,
  failed,
  unknown,
};

/// status.containerStatuses[i].
struct container_status {
  enum class state_kind : std::uint8_t { none, waiting, running, terminated };
  /// How a run ended (lastState.terminated).
  struct ended_run {
    std::int32_t exit_code = 0;
    std::string reason;
    std::optional<time_point> started;
    std::optional<time_point> finished;
  };

  std::string name;
  std::int32_t restarts = 0;
  state_kind state = state_kind::none;
  std::int32_t exit_code = 0;         ///< Only if terminated.
  std::string reason;                 ///< Of waiting or terminated.
  std::string message;                ///< Of waiting or terminated.
  std::optional<time_point> started;  ///< When, if running or terminated.
  std::optional<time_point> finished; ///< When, if terminated.
  std::optional<ended_run> last;      ///< The run before that, if it is known.
  /// An init container that the kubelet always starts again: its restartPolicy
  /// in the spec is Always.
  bool is_sidecar = false;
};

/// "Pending", as status.phase has it.
const char* to_string(pod_phase p);

/// status.conditions[i] of a pod.
struct pod_condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  time_point last_transition{};
};

/// spec.containers[i].ports[j] of a pod.
struct declared_port {
  std::string container;
  std::string name;
  std::int32_t number = 0;
  std::string protocol = {}; ///< "": TCP.
};

struct pod_state {
  pod_phase phase = pod_phase::pending;
  std::string reason;           ///< status.reason, such as "Evicted".
  std::string message;          ///< status.message.
  std::string node;             ///< spec.nodeName.
  std::vector<std::string> ips; ///< status.podIPs.
  /// spec.hostNetwork: its addresses are those of its node.
  bool on_host_network = false;
  /// spec.schedulingGroup.podGroupName, "" without; nullopt: the answer had no
  /// spec.
  std::optional<std::string> scheduling_group = {};
  std::optional<time_point> started; ///< status.startTime.
  std::vector<container_status> containers;
  std::vector<container_status> init_containers;
  std::vector<pod_condition> conditions;
  /// nullptr unless they were asked for (object_detail::pod_with_ports), or if
  /// the answer had no spec.
  std::shared_ptr<const std::vector<declared_port>> ports;
};

/// What is read of a batch/v1 Job.
struct batch_job_state {
  bool suspended = false;            ///< spec.suspend.
  std::optional<time_point> started; ///< status.startTime.
  std::optional<time_point> ended;   ///< status.completionTime.
  std::int32_t failed_pods = 0;      ///< status.failed.
  bool complete = false;             ///< Condition Complete is True.
  bool failed = false;               ///< Condition Failed is True.
  std::string failed_reason;         ///< Of that condition.
  std::string failed_message;        ///< Of that condition.
  /// schedulingGroup.podGroupName of the pods that it makes; "" without.
  std::string scheduling_group = {};

  bool is_finished() const { return complete || failed; }
};

bool operator==(const batch_job_state& a, const batch_job_state& b);

/// What is read of a node.
struct node_state {
  /// Of its condition Ready: "True", "False", "Unknown"; "": it has none yet.
  std::string ready;
  std::vector<std::string> taints; ///< Their keys.
};

/// Only metadata is kept, without the annotations, in which `kubectl apply`
/// leaves whole objects.
struct metadata_state {};

/// An object whose spec and status are decoded elsewhere.
struct spec_and_status_state {
  std::string spec;   ///< JSON text of spec, minified; "null" if absent.
  std::string status; ///< JSON text of status, minified; "null" if absent.
  /// The last author of the spec, according to managedFields; "" if unknown.
  std::string spec_manager = {};
};

/// The whole object; kept only if it has a controller (no code here uses
/// others).
struct full_state {
  std::string text; ///< JSON text of an object without its metadata, minified.
  std::string metadata; ///< JSON text of the metadata, without managedFields.
};

/// An object of which only the metadata can be read.
struct unreadable_state {
  std::string why;
  /// It was written this way, so another try gives the same. Otherwise the text
  /// may have been damaged on its way.
  bool for_good = false;
};

/// The parts of an object that the codec should keep.
enum class object_detail : std::uint8_t {
  pod,
  pod_with_ports,
  metadata,
  spec_and_status,
  full,
  /// As `full`, of a Secret: without the values in `data`, and annotations.
  secret_names,
  batch_job,
  node
};

inline constexpr bool is_pod_detail(object_detail keep) {
  return keep == object_detail::pod || keep == object_detail::pod_with_ports;
}

/// One object as a watcher passes it on. Immutable and shared.
struct object {
  object_meta meta;
  std::variant<metadata_state, pod_state, spec_and_status_state, full_state,
               batch_job_state, node_state, unreadable_state>
      state;

  /// Why the object cannot be read; nullptr if it can.
  const unreadable_state* unreadable() const {
    return std::get_if<unreadable_state>(&state);
  }
};

using object_ptr = std::shared_ptr<const object>;

/// One page of a list.
struct list_page {
  std::vector<object_ptr> items;
  std::vector<object_ptr> unreadable; ///< Only their metadata can be read.
  std::uint64_t resource_version = 0; ///< Of the list.
  std::string continue_token;         ///< "" on the last page.
};

/// One line of a watch.
struct watch_event {
  enum class kind : std::uint8_t { added, modified, deleted, bookmark, error };

  kind type = kind::error;
  object_ptr item; ///< added, modified, deleted; may be unreadable().
  std::uint64_t resource_version = 0; ///< bookmark: where to resume from.
  int code = 0;                       ///< error: the Status' code, such as 410.
  std::string message;                ///< error: the Status' message.
};

} // namespace troupe::k8s
