#pragma once

#include "actors/base/messages.hpp"
#include "actors/jobs/copied_ptr.hpp"
#include "frameworks/core/model/kept_parts.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/waiting/waiting_reason.hpp"
#include "k8s/api.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::exploration {
struct state_reader;
} // namespace troupe::exploration

namespace troupe::actors {

/// A call that writes a status, or annotations in place of fields that the
/// server drops.
struct status_write {
  /// Makes the request when it is sent: thousands may be waiting for that.
  std::function<k8s::result<k8s::request>()> make_request;
  call_priority priority = call_priority::normal;
  const char* description = ""; ///< "write status".
};

/// What there is to do about a status now.
struct status_step {
  std::optional<status_write> write;
  std::vector<core::job_event> events; ///< To be recorded now.
  /// When to call begin_write_if_due() again; nullopt: after the next
  /// reconcile.
  std::optional<k8s::time_point> next_at;
};

/// What follows from the status that is on the server now.
struct server_status_change {
  /// Another client has written it, and no write of ours is in flight (the end
  /// of such a write reports it).
  bool foreign = false;
  /// By a write of ours whose response was lost.
  bool became_succeeded = false;
  bool became_failed = false; ///< Likewise.
};

/// What became of a write.
struct status_write_outcome {
  bool must_read_job = false; ///< It is unknown what the server has stored.
  std::uint64_t version = 0;  ///< Of the job after the write; 0: not known.
  std::vector<core::job_event> events; ///< To be recorded now.
  bool became_succeeded = false;
  bool became_failed = false;
  /// Another client wrote while the write was in flight: `saved` is theirs.
  bool foreign_status = false;
  core::kept_parts drops;  ///< The answer lacks them, though they were written.
  bool had_to_put = false; ///< Written by PUT: a PATCH was forbidden.
};

/// Compares the desired status of one job with the saved one and produces the
/// next write. At most one write is in flight, with the version it is based on;
/// events about a status are released after it has been saved. If the kind's
/// CRD lacks fields (upstream's lacks restarts and attempts), the server drops
/// them silently; then they are written to annotations of the job, before the
/// status, and the saved status has of them what the annotations have. If they
/// are refused, they are tried again with back-off: a new attempt waits until
/// they are not, while the rest of the status is written; what is not about one
/// is kept in memory meanwhile. An ended job gives up after some tries. The
/// event of a restart waits until its attempt is saved.
///
/// A write is a patch of nothing except the status, so that the owners of
/// labels, annotations and finalizers stay as they are. If only `update` is
/// permitted, it is a PUT, after which server-side apply no longer knows them.
///
/// A value: its owner sends the calls and emits the events.
class status_writer {
public:
  const core::shared_status& saved_status() const { return saved_; }

  /// The status that is on the server now.
  server_status_change record_server_status(core::job_status status);

  /// To be recorded once the status decided now is saved.
  void queue_events_until_status_saved(std::vector<core::job_event> events);

  /// Begins to write the desired status, if that is due. At least
  /// `min_interval` lies between two writes that change no condition.
  status_step
  begin_write_if_due(const core::shared_status& wanted,
                     const std::shared_ptr<const job_reference>& job,
                     std::uint64_t job_resource_version, k8s::time_point now,
                     std::chrono::milliseconds min_interval);

  /// The write has ended with `answer`. `jitter` in [0, 1).
  status_write_outcome on_write_ended(const k8s::result<std::string>& answer,
                                      const core::job_status& wanted,
                                      const job_reference& job,
                                      k8s::time_point now, double jitter);

  /// How the writes get on, for the reason why the job waits.
  core::status_write_state write_state() const;

  nlohmann::json report() const;

private:
  friend struct exploration::state_reader;
  /// A write that has been sent.
  struct attempt {
    core::shared_status status;
    std::vector<core::job_event> events; ///< To be released with it.
    bool had_succeeded = false;          ///< Before it.
    bool had_failed = false;             ///< Before it.
    core::kept_parts annotated;          ///< Only these, into annotations.
    core::kept_parts looked_for;         ///< In the answer.
    bool by_patch = false;               ///< Of the status; else a PUT.
    bool foreign_status_seen = false;    ///< While the write is in flight.

    bool writes_succeeded_condition() const;
    bool writes_failed_condition() const;
  };

  attempt make_write_attempt(core::shared_status status) const;
  /// The same, with the progress that is saved if the server keeps none.
  core::shared_status
  without_dropped_progress(const core::shared_status& wanted) const;

  /// Those that a write of `written` may release: all, unless `wanted` has an
  /// attempt that is saved by another one.
  std::vector<core::job_event>
  take_events_of_write(const core::job_status& written,
                       const core::job_status& wanted,
                       const job_reference& job);
  void queue_events_again(std::vector<core::job_event> events);

  status_write
  begin_status_write(const core::shared_status& status,
                     const core::job_status& wanted,
                     const std::shared_ptr<const job_reference>& job,
                     std::uint64_t version, k8s::time_point now);
  status_write
  begin_annotation_write(const core::job_status& wanted,
                         const std::shared_ptr<const job_reference>& job,
                         std::uint64_t version);
  status_write_outcome on_write_succeeded(const std::string& answer,
                                          attempt wrote,
                                          const job_reference& job);
  status_write_outcome
  on_annotations_refused(const attempt& wrote, const core::job_status& wanted,
                         const job_reference& job, const k8s::failure& why,
                         k8s::time_point now, double jitter);
  bool does_attempt_wait() const;
  bool must_try_annotations_again(const core::job_status& wanted) const;
  bool are_annotations_held(k8s::time_point now) const;
  core::shared_status
  without_refused_parts(const core::job_status& wanted) const;
  /// Those of the type that are saved.
  core::replica_status counts_before(const std::string& type) const;
  /// Learns from the answer which parts the server keeps. Returns those of
  /// which it is new that it does not.
  core::kept_parts learn_dropped_parts(const k8s::object& answer,
                                       const attempt& wrote,
                                       const job_reference& job);

  core::shared_status saved_;
  copied_ptr<attempt> writing_; ///< Null most of the time.
  /// The last write, if it is unknown whether the server has stored it.
  copied_ptr<attempt> unconfirmed_;
  core::kept_parts drops_; ///< The server does.
  core::kept_parts keeps_; ///< The server does; else it is not known.
  /// It refused the annotations of these, too, the last time.
  core::kept_parts in_memory_only_;
  /// Annotations were refused so often in a row.
  struct refusal {
    int times = 0;
    k8s::time_point at{}; ///< The last time.
    k8s::time_point until{};
    bool attempt_waits = false; ///< Else they are kept in memory meanwhile.
    core::shared_value<k8s::failure> why; ///< The last time.
  };
  std::optional<refusal> annotations_refused_;
  std::vector<core::job_event> waiting_events_;
  k8s::time_point last_write_{};
  std::optional<k8s::time_point> held_until_; ///< After a failure.
  std::optional<k8s::time_point> patch_forbidden_at_;
  int patch_refusals_ = 0; ///< In a row.
  int failures_ = 0;
  core::shared_value<k8s::failure> last_failure_; ///< Of other writes.
  bool stale_ = false; ///< The job's version is too old; wait for the read.
};

} // namespace troupe::actors
