#pragma once

#include "actors/base/actor_options.hpp"
#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/child_claims.hpp"
#include "frameworks/core/pass/job_request.hpp"
#include "frameworks/core/progress/progress_status.hpp"
#include "k8s/calls.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

// Facts: observations of objects by watchers.

/// What a watcher lists: jobs of one framework (`job_kind` is set), or children
/// of one kind (`children`, which is ignored if `job_kind` is set).
struct watch_target {
  const core::framework* job_kind = nullptr; ///< nullptr: lists children.
  core::child_kind children = core::child_kind::pod;
  std::string ns; ///< "" for all namespaces.
  /// Children with the label of one of these kinds; empty: of any.
  std::vector<const core::framework*> labelled = {};

  /// Whether a target of children includes those in this namespace with the
  /// label of this kind of job. Not for targets of jobs.
  bool lists_children_of(const core::framework* kind,
                         const std::string& in) const {
    return (ns.empty() || ns == in)
           && (labelled.empty()
               || std::find(labelled.begin(), labelled.end(), kind)
                      != labelled.end());
  }
};

inline bool operator==(const watch_target& a, const watch_target& b) {
  return a.job_kind == b.job_kind && a.children == b.children && a.ns == b.ns
         && a.labelled == b.labelled;
}

struct job_seen {
  const core::framework* kind = nullptr;
  k8s::object_ptr item;
  std::uint64_t list_number = 0; ///< Number of the watcher's latest list.
};

struct job_deleted {
  const core::framework* kind = nullptr;
  k8s::object_ptr item;
};

/// What a watcher has seen of a child, and the job that the child claims to
/// belong to, which is read here once for all that receive the fact.
struct child_fact {
  child_fact() = default;
  child_fact(core::child_kind what, k8s::object_ptr seen);

  core::child_kind kind = core::child_kind::pod;
  k8s::object_ptr item;
  core::child_claims claims; ///< Of `item`.
};

struct child_seen : child_fact {
  child_seen() = default;
  child_seen(core::child_kind what, k8s::object_ptr seen, std::uint64_t list)
      : child_fact(what, std::move(seen))
      , list_number(list) {}

  std::uint64_t list_number = 0;
};

/// The child is gone from this job: deleted, or owned by another controller.
struct child_deleted : child_fact {
  using child_fact::child_fact;
  explicit child_deleted(const child_fact& as_seen)
      : child_fact(as_seen) {}
};

/// The object that had this name is gone.
struct name_freed {
  core::child_kind kind = core::child_kind::pod;
  std::string name;
};

/// From a directory to the others: it has seen this child for the first time,
/// so none of their jobs owns it any longer.
struct child_moved {
  child_seen fact;
};

/// All pages of list `list_number` were sent. Objects that were not in it, and
/// whose resourceVersion is not greater than `version`, have been deleted.
struct list_complete {
  watch_target about;
  std::uint64_t list_number = 0;
  std::uint64_t version = 0;
};

// Orders to replica groups, and their results.

using core::child_order;

struct execute_orders {
  core::job_ptr job;
  std::vector<child_order> orders;
};

/// Drop the creations that have not been sent; the reply is orders_cancelled.
struct cancel_pending_creations {};

using core::order_done;
using core::order_failed;
using core::orders_cancelled;

// Calls to the API server.

/// `always`: sent first, and also by a process that does not lead: lists of
/// watchers, without which nothing can be decided, and what every replica does
/// for itself. `normal`: sent next. `low`: one is sent after several `normal`
/// ones. `event`: sent only when no other call waits.
enum class call_priority : std::uint8_t { always, normal, low, event };

/// The response to the api_call with the same tag. The body is shared.
struct api_response {
  std::uint64_t tag = 0;
  std::shared_ptr<const k8s::result<std::string>> outcome;
};

/// Internal to the gateway, from the API client's thread: a call has ended.
struct call_finished {
  std::uint64_t id = 0;
  std::shared_ptr<const k8s::result<std::string>> outcome;
};

// Health of the API server.

/// Not available: calls would fail, so they wait.
struct server_unavailable {
  std::string why;
  bool answers = false; ///< It responds, but is not ready.
};

/// Available.
struct server_available {};

/// Internal to the server probe: the server has responded, or has not in time.
struct probe_finished {
  std::shared_ptr<const k8s::result<std::string>> outcome;
};

// Leadership.

/// This process leads: it holds the Lease.
struct leadership_acquired {};

/// Another process holds the Lease, or has held it since.
struct leadership_lost {};

/// The Lease was renewed after the write gate had closed; nobody else has led
/// meanwhile.
struct leadership_resumed {};

/// Internal to the leader elector: the answer to its latest call, or to an
/// older one that took too long.
struct lease_response {
  std::uint64_t call = 0;
  std::shared_ptr<const k8s::result<std::string>> outcome;
};

// Watching.

using stream_ptr = std::shared_ptr<k8s::watch_session>;

struct stream_opened {
  std::uint64_t stream = 0; ///< As in open_stream.
  stream_ptr session;
};

/// The server has accepted the stream.
struct stream_accepted {
  std::uint64_t stream = 0; ///< As in open_stream.
};

/// Watch events, in order; decoded on the API client's thread.
struct events_arrived {
  std::uint64_t stream = 0; ///< As in open_stream.
  std::shared_ptr<const std::vector<k8s::watch_event>> events;
};

struct stream_ended {
  std::uint64_t stream = 0; ///< As in open_stream.
  std::shared_ptr<const k8s::result<k8s::nothing>> outcome;
};

/// Internal to the gateway: a stream was accepted, or has ended. Used for the
/// server's health only.
struct stream_health_observed {
  std::shared_ptr<const k8s::result<k8s::nothing>> outcome;
};

/// The API server's state is older than what was read of it before, because it
/// was restored from a backup. Nothing that is known is valid any more.
struct server_went_back {
  std::string resource; ///< The list that was older.
  std::uint64_t version = 0;
  std::uint64_t known_version = 0;
};

/// The watcher's first list is complete.
struct watcher_synced {
  std::size_t watcher = 0;
};

// Events on jobs.

/// Identifies a job.
struct job_reference {
  const core::framework* kind = nullptr;
  std::string ns;
  std::string name;
  std::string uid;
  /// Of an event on a pod of the job: that pod.
  std::string pod = {};
  std::string pod_uid = {};

  k8s::object_ref object() const { return {kind->names.type, ns, name}; }
};

struct record_event {
  std::shared_ptr<const job_reference> about;
  core::job_event event;
};

// Requests of a job's pods.

/// A request to the job of that kind and name.
struct request_to_job {
  const core::framework* kind = nullptr;
  std::string ns;
  std::string name;
  core::job_request_ptr what;
};

/// A request to all jobs of that kind; in all namespaces, if `ns` is "".
struct request_to_jobs {
  const core::framework* kind = nullptr;
  std::string ns;
  core::job_request_ptr what;
};

using core::job_response;

/// A request to a job that has waited for so long is dropped, because it has no
/// client any more.
inline constexpr std::chrono::seconds job_request_patience{30};

/// The responses of several jobs, in the order of their namespaces and names.
using job_responses = std::shared_ptr<const std::vector<job_response>>;

/// A report of a pod of one of these kinds of job; they have one resource.
struct report_to_job {
  std::vector<const core::framework*> kinds;
  std::string ns;
  std::string name;
  std::string pod_uid;
  core::progress_status progress; ///< Without time and source.
  /// Nothing is taken. The question is whether a report of that pod would be:
  /// 200; 403: not of it; 404: no such job is known; 503: no job is yet.
  bool asks = false;
};

struct report_answer {
  int status = 200; ///< As of HTTP.
  std::string message;
  core::shared_value<core::progress_status> taken; ///< Of 200.
};

// Queues of Kueue's.

/// A Workload that is being deleted, of a job that seems to be gone: its quota
/// is to be given back when the last pod of the job is gone.
struct release_workload {
  std::string ns;
  std::string name;
  std::string uid; ///< "": not known; then its controller has to be the job.
  k8s::owner_reference job;
};

/// What is known now of queueing, which the actors were not started with.
struct queueing_changed {
  core::queueing_options options;
};

// Settings, timers and shutdown.

/// Settings were changed while the operator runs: limits of calls that are sent
/// later.
struct actor_options_changed {
  std::shared_ptr<const actor_options> options;
};

/// A timer that the actor set for itself. `timer` distinguishes the timers of
/// one actor, so that one that was superseded or cancelled is ignored; 0 if the
/// actor has only one.
struct timer_fired {
  std::uint64_t timer = 0;
};

/// Shut down: finish the calls in flight, send no more.
struct drain {};
struct drained {};

// Introspection (admin endpoint).

using report_ptr = std::shared_ptr<const nlohmann::json>;

/// One actor in detail.
struct get_report {};
/// An actor in short, and all its descendants.
struct get_tree {};
struct get_job_report {
  std::string ns;
  std::string kind;
  std::string name;
};

namespace atom {
/// Internal to a supervisor: reconcile once.
using reconcile = caf::atom_constant<caf::atom("reconcile")>;
/// To a supervisor: the job was deleted, or another one has its name.
using job_removed = caf::atom_constant<caf::atom("jobgone")>;
/// To directories. This process leads now: start the supervisors.
using lead = caf::atom_constant<caf::atom("lead")>;
/// To directories and supervisors. Whether another operator looks after some
/// jobs has changed: actor_context::other says it.
using other_operator = caf::atom_constant<caf::atom("otherop")>;
/// To the intake of reports, directories and supervisors. The certificates of
/// the server to which pods report have changed: actor_context::reports has
/// them.
using report_authority = caf::atom_constant<caf::atom("reportca")>;
/// Start working.
using start = caf::atom_constant<caf::atom("start")>;
} // namespace atom

} // namespace troupe::actors

// These never leave the process.
#define TROUPE_LOCAL_ONLY(type)                                                \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::type)

TROUPE_LOCAL_ONLY(job_seen)
TROUPE_LOCAL_ONLY(job_deleted)
TROUPE_LOCAL_ONLY(child_seen)
TROUPE_LOCAL_ONLY(child_deleted)
TROUPE_LOCAL_ONLY(name_freed)
TROUPE_LOCAL_ONLY(child_moved)
TROUPE_LOCAL_ONLY(list_complete)
TROUPE_LOCAL_ONLY(execute_orders)
TROUPE_LOCAL_ONLY(cancel_pending_creations)
TROUPE_LOCAL_ONLY(order_done)
TROUPE_LOCAL_ONLY(order_failed)
TROUPE_LOCAL_ONLY(orders_cancelled)
TROUPE_LOCAL_ONLY(api_response)
TROUPE_LOCAL_ONLY(call_finished)
TROUPE_LOCAL_ONLY(server_unavailable)
TROUPE_LOCAL_ONLY(server_available)
TROUPE_LOCAL_ONLY(probe_finished)
TROUPE_LOCAL_ONLY(leadership_acquired)
TROUPE_LOCAL_ONLY(leadership_lost)
TROUPE_LOCAL_ONLY(leadership_resumed)
TROUPE_LOCAL_ONLY(lease_response)
TROUPE_LOCAL_ONLY(stream_opened)
TROUPE_LOCAL_ONLY(stream_accepted)
TROUPE_LOCAL_ONLY(stream_health_observed)
TROUPE_LOCAL_ONLY(events_arrived)
TROUPE_LOCAL_ONLY(stream_ended)
TROUPE_LOCAL_ONLY(server_went_back)
TROUPE_LOCAL_ONLY(watcher_synced)
TROUPE_LOCAL_ONLY(record_event)
TROUPE_LOCAL_ONLY(request_to_job)
TROUPE_LOCAL_ONLY(report_to_job)
TROUPE_LOCAL_ONLY(report_answer)
TROUPE_LOCAL_ONLY(request_to_jobs)
TROUPE_LOCAL_ONLY(release_workload)
TROUPE_LOCAL_ONLY(queueing_changed)
TROUPE_LOCAL_ONLY(job_response)
TROUPE_LOCAL_ONLY(job_responses)
TROUPE_LOCAL_ONLY(actor_options_changed)
TROUPE_LOCAL_ONLY(timer_fired)
TROUPE_LOCAL_ONLY(drain)
TROUPE_LOCAL_ONLY(drained)
TROUPE_LOCAL_ONLY(report_ptr)
TROUPE_LOCAL_ONLY(get_report)
TROUPE_LOCAL_ONLY(get_tree)
TROUPE_LOCAL_ONLY(get_job_report)
