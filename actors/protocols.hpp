#pragma once

#include "actors/messages.hpp"
#include "actors/tuning.hpp"

#include <caf/all.hpp>

#include <functional>
#include <memory>
#include <vector>

// All protocols of the operator: which actor takes which messages. To follow a
// fact until it is an order and the order until it is a call, read from the end
// (root, watcher, directory, ...) to the beginning (gateway, api_call).

namespace troupe::actors {

/// Whoever makes calls and waits for answers.
using api_caller_actor = caf::typed_actor<
    // The call with this tag has ended.
    caf::reacts_to<api_response>>;

/// One call to the API server.
struct api_call {
  std::uint64_t tag = 0; ///< The caller's own, returned with the answer.
  k8s::request request;
  std::string key; ///< Whose call it is (job UID): calls of different keys
                   ///< take turns.
  call_priority priority = call_priority::normal;
  api_caller_actor who;
  int tries = 0; ///< Internal to the gateway.
  /// If set, makes the request when its turn has come, and `request` is not
  /// used: so thousands of bodies need not wait in memory. If it fails, its
  /// failure is the answer.
  std::function<k8s::result<k8s::request>()> make = {};
};

/// Whoever reads a stream.
using stream_reader_actor = caf::typed_actor<
    // The stream has been asked for; releasing the session ends it.
    caf::reacts_to<stream_opened>,
    // The server has accepted it.
    caf::reacts_to<stream_accepted>,
    // Some events, in order.
    caf::reacts_to<events_arrived>,
    // The stream is over, and why.
    caf::reacts_to<stream_ended>>;

struct open_stream {
  std::uint64_t stream = 0; ///< The reader's number for it, in all news of it.
  k8s::request request;
  k8s::object_detail detail = k8s::object_detail::metadata;
  stream_reader_actor who;
};

/// Whoever wants to know whether the server serves.
using server_listener_actor = caf::typed_actor<
    // It does not; more news will follow.
    caf::reacts_to<server_unavailable>,
    // It does.
    caf::reacts_to<server_available>>;

/// A call or stream has failed as if the server were away: find out.
struct watch_server_health {
  server_listener_actor who;
};

/// The server has answered this listener, which needs no more news of it.
struct unwatch_server_health {
  server_listener_actor who;
};

/// An actor that reports on itself.
using reporting_actor = caf::typed_actor<
    // What it does now, as JSON, for people.
    caf::replies_to<get_report>::with<report_ptr>,
    // The same in brief, with all actors below it.
    caf::replies_to<get_tree>::with<report_ptr>>;

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(api_call)
TROUPE_LOCAL_ONLY(open_stream)
TROUPE_LOCAL_ONLY(watch_server_health)
TROUPE_LOCAL_ONLY(unwatch_server_health)

namespace troupe::actors {

/// Finds out whether the API server serves, for those who suspect that it does
/// not; asks nothing as long as nobody does.
using server_probe_actor = reporting_actor::extend<
    // Look, and tell until it is back.
    caf::reacts_to<watch_server_health>,
    // Need not be told any more.
    caf::reacts_to<unwatch_server_health>,
    // Internal. The api's thread says what the server answered.
    caf::reacts_to<probe_finished>,
    // Internal. Time to ask again.
    caf::reacts_to<timer_fired>>;

/// The only owner of the API client: flow control and fairness.
using gateway_actor = reporting_actor::extend<
    // Make this call when its turn has come; the caller gets an api_answer.
    caf::reacts_to<api_call>,
    // Open this stream as soon as the server serves.
    caf::reacts_to<open_stream>,
    // From the server probe.
    caf::reacts_to<server_unavailable>, caf::reacts_to<server_available>,
    // Internal. The api's thread says a call is over.
    caf::reacts_to<call_finished>,
    // Internal. The api's thread says what became of a stream.
    caf::reacts_to<stream_health_observed>,
    // Internal. A pause is over.
    caf::reacts_to<timer_fired>,
    // Start nothing new and cancel what waits; answered when nothing is under
    // way any more.
    caf::replies_to<drain>::with<drained>>;

/// Writes events on jobs: correlates them, never blocks anybody.
using event_recorder_actor = reporting_actor::extend<
    // Record an event on a job.
    caf::reacts_to<record_event>,
    // A write has ended.
    caf::reacts_to<api_response>,
    // Internal. Time to write the events that were held back.
    caf::reacts_to<timer_fired>>;

/// Carries out the orders for the children of one replica type of one job:
/// decides when and how often, never whether.
using replica_group_actor = reporting_actor::extend<
    // Carry these out: begun in this order, as many at a time as the window
    // allows.
    caf::reacts_to<execute_orders>,
    // Drop the creations that have not been sent.
    caf::reacts_to<cancel_pending_creations>,
    // A call has ended.
    caf::reacts_to<api_response>>;

/// Whoever gave orders.
using order_owner_actor = caf::typed_actor<
    // Carried out.
    caf::reacts_to<order_done>,
    // Not carried out, and why.
    caf::reacts_to<order_failed>,
    // These had not been sent, and will not be.
    caf::reacts_to<orders_cancelled>>;

/// Looks after one job: remembers what was asked and seen, lets `plan` decide,
/// hands each order to the replica group concerned.
using job_supervisor_actor = reporting_actor::extend<
    // The job as its owner wants it now.
    caf::reacts_to<job_seen>,
    // A child as it is now.
    caf::reacts_to<child_seen>,
    // A child is no more (or no longer ours).
    caf::reacts_to<child_deleted>,
    // Children that this list did not confirm are no more.
    caf::reacts_to<list_complete>,
    // From the replica groups.
    caf::reacts_to<order_done>, caf::reacts_to<order_failed>,
    caf::reacts_to<orders_cancelled>,
    // A call of our own (status, job, recovery, gang inquiry) has ended.
    caf::reacts_to<api_response>,
    // Internal. Run one pass.
    caf::reacts_to<atom::reconcile>,
    // Internal. The time the last pass asked for has come.
    caf::reacts_to<timer_fired>>;

/// Knows which supervisor looks after which job, and which job a child is of.
using directory_actor = reporting_actor::extend<
    // From the watchers.
    caf::reacts_to<job_seen>, caf::reacts_to<job_deleted>,
    caf::reacts_to<child_seen>, caf::reacts_to<child_deleted>,
    caf::reacts_to<list_complete>,
    // Internal. Time to start a supervisor again that died.
    caf::reacts_to<timer_fired>,
    // One job from the inside; a null report if there is no such job.
    caf::replies_to<get_job_report>::with<report_ptr>>;

/// Whoever waits for the first complete picture.
using sync_listener_actor = caf::typed_actor<
    // This watcher has told everything that exists.
    caf::reacts_to<watcher_synced>>;

/// Lists and watches one subject and tells the directory.
using watcher_actor = reporting_actor::extend<
    // Begin.
    caf::reacts_to<atom::start>,
    // A page of the list.
    caf::reacts_to<api_response>,
    // The stream.
    caf::reacts_to<stream_opened>, caf::reacts_to<stream_accepted>,
    caf::reacts_to<events_arrived>, caf::reacts_to<stream_ended>,
    // Internal. The pause before the next list or watch is over.
    caf::reacts_to<timer_fired>>;

/// The root: starts everything, restarts what dies, ends it cleanly.
using root_actor = reporting_actor::extend<
    // Start everything.
    caf::reacts_to<atom::start>,
    // From the watchers.
    caf::reacts_to<watcher_synced>,
    // Internal. Time to start again what died.
    caf::reacts_to<timer_fired>,
    // For the admin endpoint.
    caf::replies_to<get_job_report>::with<report_ptr>,
    // End; answered when calls under way are over.
    caf::replies_to<drain>::with<drained>>;

class metrics;

/// What actors need from outside themselves: whom to send calls and events to,
/// time, chance, counters and sizes.
struct actor_context {
  std::vector<gateway_actor> gateways;
  event_recorder_actor recorder;
  std::function<k8s::time_point()> clock; ///< Wall-clock time.
  std::function<double()> jitter;         ///< Uniform in [0, 1).
  std::shared_ptr<metrics> counters;
  std::shared_ptr<const tuning> sizes;

  const gateway_actor& gateway_for(const std::string& key) const {
    return gateways[std::hash<std::string>{}(key) % gateways.size()];
  }
};

using context_ptr = std::shared_ptr<const actor_context>;

} // namespace troupe::actors
