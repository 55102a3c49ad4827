#pragma once

#include "actors/protocols.hpp"
#include "frameworks/core/status.hpp"

#include <optional>
#include <vector>

namespace troupe::actors {

class job_supervisor_state;

/// Keeps what the API server holds of one job's status, and writes over it: at
/// most one write under way, with the version it is based on, events told only
/// after what they tell of has been saved. Where the definition of the kind has
/// no status.restarts (upstream's has not), the server drops them without a
/// word; then they go into an annotation of the job. A part of the supervisor.
class status_writer {
public:
  explicit status_writer(job_supervisor_state& owner)
      : owner_(owner) {}

  const core::job_status& saved() const { return saved_; }
  bool writing() const { return writing_.has_value(); }

  /// The server holds this now. Returns whether somebody else changed it.
  bool server_holds(core::job_status status);

  /// To be told once the status decided now is saved.
  void tell_after_saving(std::vector<core::job_event> events);

  /// Writes if it is time to; else says when it will be.
  std::optional<k8s::time_point> settle();

  /// The write has ended. Returns false if the job must be read again.
  bool written(const k8s::result<std::string>& r);

  nlohmann::json report() const;

private:
  void write();
  void write_restarts();
  /// Restarts that nobody can be made to keep are known as long as we live.
  bool keep_in_memory(const k8s::failure& why);
  void count_outcome(const core::job_status& before) const;

  job_supervisor_state& owner_;
  core::job_status saved_;
  std::optional<core::job_status> writing_;
  bool writing_restarts_ = false;      ///< Into the annotation, nothing else.
  bool looks_for_restarts_ = false;    ///< In the answer to come.
  std::optional<bool> drops_restarts_; ///< Whether the server does.
  bool in_memory_only_ = false;        ///< And refuses the annotation.
  std::vector<core::job_event> waiting_events_;
  std::vector<core::job_event> writing_events_;
  k8s::time_point last_write_{};
  std::optional<k8s::time_point> held_until_; ///< After a failure.
  int failures_ = 0;
  std::string last_failure_;
  bool stale_ = false; ///< Our version is too old; wait for the read.
};

} // namespace troupe::actors
