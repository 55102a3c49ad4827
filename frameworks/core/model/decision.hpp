#pragma once

#include "frameworks/core/base/shared_value.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/workload/workload_state.hpp"

#include <optional>
#include <string>
#include <variant>

namespace troupe::core {

/// What a decision does to an object that exists.
enum class operation : std::uint8_t {
  update,
  annotate,
  read,
  delete_object,
  adopt,
  release
};

/// "update", "delete", as verbs of the API; "adopt", "release".
const char* to_string(operation o);

// What plan() decided. Each decision contains its precondition (UID or slot),
// and `why`, a text for logs.

/// Create the pod or the service of a slot.
struct create_child {
  child_kind kind = child_kind::pod;
  slot at;
  std::string why;
  /// Pods only: consecutive early failures of the earlier pods in this slot.
  std::int32_t early_failures = 0;
  /// JSON text of the whole object, if it was made with the decision; "": it is
  /// made from the job when the call is sent.
  std::string body = {};
  /// If not "", the name of the object, which is not that of the slot.
  std::string name = {};
  bool adds_event = true; ///< Its result causes an event on the job.
  /// Pods only: the attempt that it says it is part of.
  std::optional<std::int32_t> attempt = {};
  /// Pods only: Kubernetes' PodGroup that it names; "": none.
  std::string scheduling_group = {};
};

struct create_auxiliary {
  shared_value<auxiliary_object> wanted;
  std::string why;
};

/// Replace an auxiliary object (PUT), if it still has the resourceVersion that
/// was compared.
struct update_auxiliary {
  static constexpr auto action = operation::update;
  child_kind kind = child_kind::config_map;
  std::string name;
  std::string uid;
  std::string why;
  shared_value<auxiliary_object> wanted;
  std::string version; ///< resourceVersion of the object that was compared.
  std::string body;    ///< JSON text of the whole new object.
};

/// Change some fields of an auxiliary object by a JSON patch (preconditions:
/// its UID and the resourceVersion that was compared).
struct patch_auxiliary {
  static constexpr auto action = operation::update;
  child_kind kind = child_kind::config_map;
  std::string name;
  std::string uid;
  std::string why;
  std::string version; ///< resourceVersion of the object that was compared.
  /// JSON text: an array of operations, without the preconditions.
  std::string operations;
  bool of_status = false; ///< The patch is of its subresource `status`.
  /// An operation is added that replaces `data` by a new pair of SSH keys.
  bool adds_ssh_keys = false;
};

/// Read the body of an auxiliary object of which a watch has shown only
/// metadata, in this version. Without a UID: find out whether there is an
/// object of this name, which no watch has shown, because it may lack the label
/// that the watch selects by.
struct read_auxiliary {
  static constexpr auto action = operation::read;
  child_kind kind = child_kind::config_map;
  std::string name;
  std::string uid; ///< "": of whatever object has the name.
  std::string why;
  std::uint64_t version = 0;
};

/// Read a node, because pods may be lost with it.
struct read_node {
  static constexpr auto action = operation::read;
  std::string name;
  std::string why;
};

/// Annotate a pod with the number of early failures before it in its slot
/// (precondition: UID).
struct annotate_pod {
  static constexpr auto action = operation::annotate;
  static constexpr auto kind = child_kind::pod;
  slot at;
  std::string name;
  std::string uid;
  std::string why;
  std::int32_t early_failures = 0;
};

/// Something that is done to a child (precondition: UID).
template <operation Action>
struct child_operation {
  static constexpr auto action = Action;
  child_kind kind = child_kind::pod;
  slot at; ///< Unset for an auxiliary object.
  std::string name;
  std::string uid;
  std::string why;
  bool adds_event = true; ///< Its result causes an event on the job.
  /// Deletion only: at once, without a grace period, because nobody is there to
  /// confirm the end of its containers.
  bool at_once = false;
};

using delete_child = child_operation<operation::delete_object>;

/// Become the controller of an orphan that carries our labels.
using adopt_child = child_operation<operation::adopt>;

/// Remove our owner reference from a child whose labels no longer match.
using release_child = child_operation<operation::release>;

/// What is done for a job that a queue of Kueue's holds or has admitted.
enum class queue_action : std::uint8_t {
  ask,      ///< Make its Workload.
  ask_anew, ///< Write into its Workload what the job asks for now.
  hold,     ///< Suspend the job, and take out what an admission wrote into it.
  start,    ///< Write into the job what was granted, and resume it.
  label,    ///< Take over a Workload that Kueue has made.
  shrink,   ///< Ask for fewer pods.
  grow,     ///< Make a second Workload, for more pods, beside the first.
  regrow,   ///< Ask in the second one for another number.
  rank,     ///< Give it the priority of the class that the job names now.
  report,   ///< Say how its pods are.
  release,  ///< Give the quota back after an eviction.
  finish,   ///< Say that the job has ended.
  unguard,  ///< Let the Workload go: its quota is needed no more.
  remove,   ///< Delete the Workload.
};

const char* to_string(queue_action a); ///< "ask for quota", "suspend the job".

/// A step of a job in a queue of Kueue's: its objects are read when the calls
/// are sent, because memory has no texts of them. Nothing is written if the
/// Workload is no longer of the version that was looked at.
struct queue_order {
  static constexpr auto action = operation::update;
  static constexpr auto kind = child_kind::workload;
  queue_action what = queue_action::ask;
  std::string name;
  std::string uid; ///< "": there is none.
  std::string why;
  std::uint64_t version = 0;
  std::string content_hash; ///< Of what is asked for.
  pods_report pods;         ///< For `report`; of others, the counts.
  std::string second;       ///< The name of the second one.
  bool beside_pods = false; ///< For `start`: pods of the job are there.
  std::string reason;       ///< For `finish`, as is `message`.
  std::string message;
  time_point decided{}; ///< Conditions that change have this time.
};

/// By which expectations know an operation on a child: its UID. A class that is
/// not there keeps nothing else of a Workload from being written.
std::string rank_key(const std::string& workload_uid);
inline std::string operation_key(const queue_order& d) {
  return d.what == queue_action::rank ? rank_key(d.uid) : d.uid;
}
template <class Decision>
const std::string& operation_key(const Decision& d) {
  return d.uid;
}

/// Delete the job itself; ttlSecondsAfterFinished has passed.
struct delete_job {
  std::string uid;
  std::string why;
};

using decision = std::variant<create_child, create_auxiliary, update_auxiliary,
                              patch_auxiliary, read_auxiliary, read_node,
                              annotate_pod, delete_child, adopt_child,
                              release_child, queue_order, delete_job>;

/// "create pod worker-1: no such replica exists", for logs and the admin
/// endpoint.
std::string describe_decision(const decision& d);

/// The same for a job whose children have random names, which say more than
/// their indices: "create pod cp-collector-7x2bq: ...".
std::string describe_decision(const decision& d, const job& of);

/// A decision that is being carried out. `order_done` and `order_failed` repeat
/// its number.
struct child_order {
  std::uint64_t id = 0;
  /// Shared by everything that handles the order: thousands may be waiting.
  shared_value<core::decision> decision;
};

// Results of orders.

struct order_done {
  child_order order;
  /// As it is on the server now; nullptr if it was deleted.
  k8s::object_ptr item;
  /// Nothing had to be done: the object existed, or was already deleted.
  bool already_satisfied = false;
};

struct order_failed {
  child_order order;
  k8s::failure why;
  /// The object that already has the name, if it was read.
  k8s::object_ptr existing;
  /// The name of a creation was taken, and a read after that says that it is
  /// free: what had it may be all that was wanted.
  bool name_is_free = false;
};

/// These were not sent and will not be.
struct orders_cancelled {
  std::vector<child_order> orders;
};

} // namespace troupe::core
