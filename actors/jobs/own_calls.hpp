#pragma once

#include "frameworks/core/model/children.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace troupe::actors {

/// The calls that a supervisor makes itself, beside those of its groups: what
/// each that is in flight is for. A value.
class own_calls {
public:
  enum class purpose : std::uint8_t {
    write_status,
    read_job,
    delete_job,
    read_group_events,
    read_queue,
    list_children,
    read_for_request,
  };
  struct call {
    purpose what = purpose::write_status;
    core::child_kind listed = core::child_kind::pod; ///< Of list_children.
    std::uint64_t number = 0;                        ///< Of read_for_request.
  };

  /// The tag of a call that is sent now.
  std::uint64_t record_sent(const call& c);

  /// The call that was answered; nullopt: it was forgotten.
  std::optional<call> take_answered(std::uint64_t tag);

  /// Everything is read again: what earlier reads of the job and its children
  /// will show is not wanted.
  void forget_reads_of_job_and_children();

private:
  std::map<std::uint64_t, call> in_flight_; ///< By tag.
  std::uint64_t next_tag_ = 1;
};

} // namespace troupe::actors
