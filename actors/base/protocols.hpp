#pragma once

#include "actors/base/actor_options.hpp"
#include "actors/base/awaited_names.hpp"
#include "actors/base/job_rows.hpp"
#include "actors/base/log_messages.hpp"
#include "actors/base/messages.hpp"
#include "actors/base/queue_messages.hpp"
#include "frameworks/core/base/shared_value.hpp"

#include <caf/all.hpp>

#include <functional>
#include <memory>
#include <vector>

// The protocols of the actors that reconcile: which actor takes which messages.
// (The admin endpoint, the scraper and di-server have theirs in their own
// headers.) Callees come before callers. To follow data from a watch to an API
// call, start at the end (root, watcher, directory) and read upwards to gateway
// and api_call. The admin endpoint's job list and what all actors share come
// last.

namespace troupe::actors {

/// An actor that sends `api_call` and receives the response.
using api_caller_actor = caf::typed_actor<
    // The response to the call with this tag.
    caf::reacts_to<api_response>>;

/// One call to the API server.
struct api_call {
  std::uint64_t tag = 0; ///< Chosen by the caller, repeated in the response.
  core::shared_value<k8s::request> request;
  /// Fairness key (the job's UID, "" for watchers): keys are served in turn.
  std::string key;
  call_priority priority = call_priority::normal;
  api_caller_actor caller;
  int attempts = 0; ///< Internal to the gateway.
  /// If set, it is called when the call is sent, and `request` is ignored. This
  /// avoids keeping thousands of bodies in memory. If it returns a failure,
  /// that is the response.
  std::function<k8s::result<k8s::request>()> make_request = {};
  std::string ns = {}; ///< Of the job; "" for calls of no job.
  caf::actor_clock::time_point queued_at{}; ///< Internal to the gateway.
};

/// An actor that reads a watch stream.
using stream_reader_actor = caf::typed_actor<
    // The request was sent. Destroying the session closes the stream.
    caf::reacts_to<stream_opened>,
    // The server has accepted it.
    caf::reacts_to<stream_accepted>,
    // Some watch events, in order.
    caf::reacts_to<events_arrived>,
    // The stream has ended, with its result.
    caf::reacts_to<stream_ended>>;

struct open_stream {
  /// Chosen by the reader, repeated in every message about this stream.
  std::uint64_t stream = 0;
  k8s::request request;
  k8s::object_detail detail = k8s::object_detail::metadata;
  stream_reader_actor reader;
};

/// Receives the health of the API server.
using server_listener_actor = caf::typed_actor<
    // The API server is not available. Sent after every failed probe.
    caf::reacts_to<server_unavailable>,
    // The API server is available again. Sent once.
    caf::reacts_to<server_available>>;

/// A call or stream failed in a way that may mean an outage: start probing, and
/// report to `listener`.
struct watch_server_health {
  server_listener_actor listener;
};

/// A call of this listener succeeded: stop reporting to it.
struct unwatch_server_health {
  server_listener_actor listener;
};

/// An actor with a JSON description for the admin endpoint.
using reporting_actor = caf::typed_actor<
    // In detail; this actor only.
    caf::replies_to<get_report>::with<report_ptr>,
    // In short; this actor and its descendants.
    caf::replies_to<get_tree>::with<report_ptr>>;

/// An actor with a timer that is cancelled when it ends.
using timer_owner_actor = caf::typed_actor<
    // Its time has come.
    caf::reacts_to<timer_fired>>;

/// Replaces the owner's former timer. `timer` is in the message that the owner
/// gets.
struct set_timer {
  timer_owner_actor owner;
  caf::actor_clock::time_point due{};
  std::uint64_t timer = 0;
};

/// After this, nothing keeps the owner alive.
struct cancel_timer {
  caf::actor_id owner = 0;
};

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(api_call)
TROUPE_LOCAL_ONLY(open_stream)
TROUPE_LOCAL_ONLY(set_timer)
TROUPE_LOCAL_ONLY(cancel_timer)
TROUPE_LOCAL_ONLY(watch_server_health)
TROUPE_LOCAL_ONLY(unwatch_server_health)

namespace troupe::actors {

/// Polls /readyz while at least one gateway suspects an outage.
using server_probe_actor = reporting_actor::extend<
    // Probe, and report to the listener until the server is ready.
    caf::reacts_to<watch_server_health>,
    // Stop reporting to this listener.
    caf::reacts_to<unwatch_server_health>,
    // Internal, from the API client's thread: the response to the probe.
    caf::reacts_to<probe_finished>,
    // Internal. Time for the next probe.
    caf::reacts_to<timer_fired>>;

/// Sends the API calls of all actors, with flow control and fairness. Only
/// gateways, the server probe and the leader elector use the API client.
using gateway_actor = reporting_actor::extend<
    // Send this call when flow control allows it; the caller gets an
    // api_response.
    caf::reacts_to<api_call>,
    // Open this stream as soon as the server is available.
    caf::reacts_to<open_stream>,
    // From the server probe.
    caf::reacts_to<server_unavailable>, caf::reacts_to<server_available>,
    // The Lease was renewed and this process may write again (see write_gate):
    // send the calls that were held back.
    caf::reacts_to<leadership_resumed>,
    // Concurrency windows and rate limits were changed.
    caf::reacts_to<actor_options_changed>,
    // Internal, from the API client's thread: a call has ended.
    caf::reacts_to<call_finished>,
    // Internal, from the API client's thread: a stream was accepted or has
    // ended.
    caf::reacts_to<stream_health_observed>,
    // Internal. A delay has ended.
    caf::reacts_to<timer_fired>,
    // Send no more calls: what waits is cancelled. The reply comes when no call
    // is in flight.
    caf::replies_to<drain>::with<drained>>;

/// Writes Events about jobs; combines repeated ones, as client-go's
/// EventCorrelator. Never blocks a sender.
using event_recorder_actor = reporting_actor::extend<
    // Emit an event on a job.
    caf::reacts_to<record_event>,
    // The response to a write.
    caf::reacts_to<api_response>,
    // Internal. Time to write the events that were delayed.
    caf::reacts_to<timer_fired>>;

/// Keeps the timers of the supervisors, as long as these live.
using job_timers_actor = reporting_actor::extend<
    // Send this owner a message at this time.
    caf::reacts_to<set_timer>,
    // The owner needs no timer any more, or has ended.
    caf::reacts_to<cancel_timer>,
    // Internal. A timer is due.
    caf::reacts_to<timer_fired>>;

/// Lets Workloads of jobs go that are gone, when their pods are.
using workload_releaser_actor = reporting_actor::extend<
    // From a directory, when jobs may be looked after.
    caf::reacts_to<atom::start>,
    // From a supervisor that ends, or from a directory.
    caf::reacts_to<release_workload>,
    // The response to one of its calls.
    caf::reacts_to<api_response>,
    // Internal. Time to look again.
    caf::reacts_to<timer_fired>>;

/// Reads what queues of Kueue's tell, for all jobs that wait in them.
using queue_news_reader_actor = reporting_actor::extend<
    // From a supervisor, which gets a queue_news_read.
    caf::reacts_to<ask_for_queue_news>,
    // The response to one of its calls.
    caf::reacts_to<api_response>,
    // Internal. What was read is not fresh any more.
    caf::reacts_to<timer_fired>>;

/// Looks now and then whether Kueue is there, and what it looks after itself.
using queueing_watch_actor = reporting_actor::extend<
    // Begin.
    caf::reacts_to<atom::start>,
    // The response to one of its calls.
    caf::reacts_to<api_response>,
    // Internal. Time to look again.
    caf::reacts_to<timer_fired>>;

/// Hears of changes of queueing.
using queueing_listener_actor =
    caf::typed_actor<caf::reacts_to<queueing_changed>>;

/// Reads the logs that tell how far jobs are.
using log_reader_actor = reporting_actor::extend<
    // From supervisors: read this log, or no more.
    caf::reacts_to<follow_log>, caf::reacts_to<end_log>,
    // Internal, from the API client's threads.
    caf::reacts_to<log_stream_opened>, caf::reacts_to<log_bytes_arrived>,
    caf::reacts_to<log_stream_ended>, caf::reacts_to<log_pod_read>,
    // Internal. Time to report, and to request logs again.
    caf::reacts_to<timer_fired>>;

/// Keeps the certificates of the webhooks valid, and the caBundle current in
/// the objects that configure these calls: webhook configurations, and the
/// conversion in CRDs.
using certificate_rotator_actor = reporting_actor::extend<
    // Begin.
    caf::reacts_to<atom::start>,
    // The response to a read or a write.
    caf::reacts_to<api_response>,
    // Internal. Time for the next check.
    caf::reacts_to<timer_fired>>;

/// Carries out the orders for the children of one replica type of one job, or
/// for its auxiliary objects. Decides the sequence and the concurrency of its
/// calls, never whether a decision is right.
using replica_group_actor = reporting_actor::extend<
    // Carry these out: started in this order, at most as many at a time as the
    // window allows.
    caf::reacts_to<execute_orders>,
    // Drop the creations that have not been sent.
    caf::reacts_to<cancel_pending_creations>,
    // The response to one of its calls.
    caf::reacts_to<api_response>>;

/// The part of the supervisor's interface that its replica groups use.
using order_issuer_actor = caf::typed_actor<
    // Carried out.
    caf::reacts_to<order_done>,
    // Not carried out, with the reason.
    caf::reacts_to<order_failed>,
    // These were not sent and will not be.
    caf::reacts_to<orders_cancelled>,
    // From a watcher: an object is gone whose name a creation waits for.
    caf::reacts_to<name_freed>>;

/// Reconciles one job: caches desired and observed state, calls `plan`, and
/// sends each decision about a child as an order to its replica group. Writes
/// the status and deletes the job itself.
using job_supervisor_actor = reporting_actor::extend<
    // The job's current spec and status.
    caf::reacts_to<job_seen>,
    // The current state of a child.
    caf::reacts_to<child_seen>,
    // A child was deleted, or another controller owns it now.
    caf::reacts_to<child_deleted>,
    // Children of this kind that the completed list did not contain were
    // deleted.
    caf::reacts_to<list_complete>,
    // From the replica groups.
    caf::reacts_to<order_done>, caf::reacts_to<order_failed>,
    caf::reacts_to<orders_cancelled>,
    // From a watcher, to an actor that waits for it (see awaited_names).
    caf::reacts_to<name_freed>,
    // The response to one of its own calls (see call_kind).
    caf::reacts_to<api_response>,
    // A request of one of the job's pods; the reply comes when it is done.
    caf::replies_to<request_to_job>::with<job_response>,
    // How far the job is, as one of its pods says.
    caf::replies_to<report_to_job>::with<report_answer>,
    // The job was deleted or replaced by another of the same name: stop.
    caf::reacts_to<atom::job_removed>,
    // From the directory: another operator may look after the job, or does no
    // more.
    caf::reacts_to<atom::other_operator>,
    // From the directory: the authority of the server for reports has changed.
    caf::reacts_to<atom::report_authority>,
    // How far the job is, as the log of a pod says; and how its reading goes.
    caf::reacts_to<log_report>, caf::reacts_to<log_reading>,
    // What its queues tell, as it has asked.
    caf::reacts_to<queue_news_read>,
    // Internal. Reconcile once.
    caf::reacts_to<atom::reconcile>,
    // Internal. The requeue time that the last reconcile set (RequeueAfter) has
    // come.
    caf::reacts_to<timer_fired>>;

/// The part of a directory's interface that the other directories use.
using peer_directory_actor = caf::typed_actor<
    // The child belongs to a job of the sender.
    caf::reacts_to<child_moved>>;

/// The other directories.
struct peer_directories {
  std::vector<peer_directory_actor> all;
};

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(peer_directories)

namespace troupe::actors {

/// Knows the supervisor of each job of its shard (see directory_shards), and
/// the job of each child.
using directory_actor = reporting_actor::extend<
    // From the watchers.
    caf::reacts_to<job_seen>, caf::reacts_to<job_deleted>,
    caf::reacts_to<child_seen>, caf::reacts_to<child_deleted>,
    caf::reacts_to<list_complete>,
    // From the root, before the first job_seen or child_seen.
    caf::reacts_to<peer_directories>,
    // From another directory.
    caf::reacts_to<child_moved>,
    // This process leads now: start the supervisors.
    caf::reacts_to<atom::lead>,
    // For the supervisors of jobs that another operator may look after.
    caf::reacts_to<atom::other_operator>,
    // For the supervisors of jobs whose pods report.
    caf::reacts_to<atom::report_authority>,
    // Internal. The restart delay of a failed supervisor has ended.
    caf::reacts_to<timer_fired>,
    // Delegated to the job's supervisor, which replies.
    caf::replies_to<request_to_job>::with<job_response>,
    // Likewise.
    caf::replies_to<report_to_job>::with<report_answer>,
    // Delegated to the supervisors of all its jobs of that kind and namespace.
    caf::replies_to<request_to_jobs>::with<job_responses>,
    // The detailed report of one job's supervisor; null if it does not exist.
    caf::replies_to<get_job_report>::with<report_ptr>>;

/// Receives changes of the leadership.
using leadership_listener_actor = caf::typed_actor<
    // From the leader elector.
    caf::reacts_to<leadership_acquired>, caf::reacts_to<leadership_lost>,
    caf::reacts_to<leadership_resumed>>;

/// Acquires and renews the Lease.
using leader_elector_actor = reporting_actor::extend<
    // Internal, from the API client's thread: the answer to its call.
    caf::reacts_to<lease_response>,
    // Internal. Time for the next attempt.
    caf::reacts_to<timer_fired>,
    // Release the Lease; the reply comes when it is released, or cannot be.
    caf::replies_to<drain>::with<drained>>;

/// Waits until all watchers have synced.
using sync_listener_actor = caf::typed_actor<
    // The watcher's first list is complete (HasSynced).
    caf::reacts_to<watcher_synced>,
    // A list is older than what was known.
    caf::reacts_to<server_went_back>>;

/// Lists and watches one resource (a reflector) and sends every change to the
/// directory concerned.
using watcher_actor = reporting_actor::extend<
    // Begin.
    caf::reacts_to<atom::start>,
    // A page of the list.
    caf::reacts_to<api_response>,
    // From the gateway, about the watch stream.
    caf::reacts_to<stream_opened>, caf::reacts_to<stream_accepted>,
    caf::reacts_to<events_arrived>, caf::reacts_to<stream_ended>,
    // Internal. The delay before the next list or watch has ended.
    caf::reacts_to<timer_fired>>;

/// The root: starts all actors, restarts those that fail, and drains them at
/// shutdown.
using root_actor = reporting_actor::extend<
    // Start everything.
    caf::reacts_to<atom::start>,
    // From the watchers.
    caf::reacts_to<watcher_synced>, caf::reacts_to<server_went_back>,
    // From the leader elector.
    caf::reacts_to<leadership_acquired>, caf::reacts_to<leadership_lost>,
    caf::reacts_to<leadership_resumed>,
    // Concurrency windows and rate limits were changed.
    caf::reacts_to<actor_options_changed>,
    // From the queueing watch: Kueue has appeared, or looks after other kinds.
    caf::reacts_to<queueing_changed>,
    // Internal. The restart delay of failed actors has ended.
    caf::reacts_to<timer_fired>,
    // From di-server, for the job's directory or all directories.
    caf::replies_to<request_to_job>::with<job_response>,
    caf::replies_to<request_to_jobs>::with<job_responses>,
    // For the job's directory, from whoever has not got the directories.
    caf::replies_to<report_to_job>::with<report_answer>,
    // For the admin endpoint.
    caf::replies_to<get_job_report>::with<report_ptr>,
    // Shut down; the reply comes when no call is in flight.
    caf::replies_to<drain>::with<drained>>;

/// Keeps a row of each job for the admin endpoint.
using job_list_actor = caf::typed_actor<
    // From a supervisor: the row of its job.
    caf::reacts_to<job_row>,
    // For the admin endpoint.
    caf::replies_to<get_job_changes>::with<job_changes_ptr>>;

class metrics;
class job_pod_addresses;
class other_operator;
class report_authority;

/// Shared dependencies of the actors: gateways, event recorder, timers, clock,
/// jitter, metrics, options, names that are waited for.
struct actor_context {
  std::vector<gateway_actor> gateways;
  event_recorder_actor recorder;
  job_timers_actor timers;
  job_list_actor jobs;
  log_reader_actor logs;              ///< Null: no logs are read.
  workload_releaser_actor releaser;   ///< Null: no Workloads are looked after.
  queue_news_reader_actor queue_news; ///< Likewise.
  std::function<k8s::time_point()> clock; ///< Wall-clock time.
  std::function<double()> jitter;         ///< Uniform in [0, 1).
  std::shared_ptr<metrics> counters;
  std::shared_ptr<const actor_options> options;
  /// Names that replica groups wait for, and watchers see freed.
  std::shared_ptr<awaited_names> awaited = std::make_shared<awaited_names>();
  /// For di-server; nullptr if it is off.
  std::shared_ptr<job_pod_addresses> pod_addresses = nullptr;
  /// Why jobs of kinds with another operator's Lease are not acted on; nullptr:
  /// that operator is not looked for.
  std::shared_ptr<other_operator> other = nullptr;
  /// Of the server to which pods report; nullptr: there is none.
  std::shared_ptr<const report_authority> reports = nullptr;

  const gateway_actor& gateway_for(const std::string& key) const {
    return gateways[std::hash<std::string>{}(key) % gateways.size()];
  }
};

using context_ptr = std::shared_ptr<const actor_context>;

} // namespace troupe::actors
