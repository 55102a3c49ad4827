#pragma once

#include "actors/messages.hpp"
#include "frameworks/core/status.hpp"
#include "k8s/api.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// A call that writes a status, or the annotation in place of status.restarts.
struct status_write {
  k8s::request request;
  priority when = priority::normal;
  const char* description = ""; ///< "write status".
};

/// What there is to do about a status now.
struct status_step {
  std::optional<status_write> write;
  std::vector<core::job_event> events;    ///< To be recorded now.
  std::optional<k8s::time_point> next_at; ///< When to ask again; nullopt: after
                                          ///< the next pass.
};

/// What became of a write.
struct status_written {
  bool must_read_job = false; ///< Nobody knows what the server holds now.
  std::uint64_t version = 0;  ///< Of the job after the write; 0: not known.
  std::vector<core::job_event> events; ///< To be recorded now.
  bool became_succeeded = false;
  bool became_failed = false;
  bool drops_restarts = false; ///< The answer lacks restarts that were written.
};

/// Knows what the API server holds of one job's status, and says what to write
/// over it: at most one write is in flight, with the version it is based on;
/// events that tell of a status are released after it has been saved. Where
/// the definition of the kind has no status.restarts (upstream's has not), the
/// server drops them silently; then they go into an annotation of the job.
///
/// A value: whoever owns it sends the calls and records the events.
class status_writer {
public:
  const core::job_status& saved() const { return saved_; }
  bool writing() const { return writing_.has_value(); }

  /// The server holds this now. Returns whether somebody else changed it.
  bool server_holds(core::job_status status);

  /// To be recorded once the status decided now is saved.
  void record_after_saving(std::vector<core::job_event> events);

  /// `wanted` is the status as decided, `version` the job's; at least
  /// `interval` lies between two writes that change no condition.
  status_step next(const core::job_status& wanted, const job_reference& job,
                   std::uint64_t version, k8s::time_point now,
                   std::chrono::milliseconds interval);

  /// The write has ended with `answer`. `jitter` in [0, 1).
  status_written written(const k8s::result<std::string>& answer,
                         const core::job_status& wanted,
                         const job_reference& job, k8s::time_point now,
                         double jitter);

  nlohmann::json report() const;

private:
  status_write write_status(const core::job_status& wanted,
                            const job_reference& job, std::uint64_t version,
                            k8s::time_point now);
  status_write write_restarts(const core::job_status& wanted,
                              const job_reference& job);
  status_written handle_success(const std::string& answer,
                                core::job_status attempt,
                                std::vector<core::job_event> events,
                                bool wrote_annotation);

  core::job_status saved_;
  std::optional<core::job_status> writing_;
  bool writing_restarts_ = false;      ///< Into the annotation, nothing else.
  bool looks_for_restarts_ = false;    ///< In the answer to come.
  std::optional<bool> drops_restarts_; ///< Whether the server does.
  bool in_memory_only_ = false;        ///< It refuses the annotation, too.
  std::vector<core::job_event> waiting_events_;
  std::vector<core::job_event> writing_events_;
  k8s::time_point last_write_{};
  std::optional<k8s::time_point> held_until_; ///< After a failure.
  int failures_ = 0;
  std::string last_failure_;
  bool stale_ = false; ///< The job's version is too old; wait for the read.
};

} // namespace troupe::actors
