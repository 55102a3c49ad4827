#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

namespace troupe::core {

// What a job waits for because of calls to the API server; nullopt: not for
// that.

/// The call that has failed most often in a row, and is tried again later.
std::optional<waiting_reason> waiting_for_failed_call(const waiting_inputs& in);
/// Of those about children of this kind.
std::optional<waiting_reason> waiting_for_failed_call(const waiting_inputs& in,
                                                      child_kind kind);

/// The oldest call without an answer.
std::optional<waiting_reason>
waiting_for_call_in_flight(const waiting_inputs& in);

std::optional<waiting_reason>
waiting_for_failed_status_write(const waiting_inputs& in);

/// The answer to a write of the status that is in flight.
std::optional<waiting_reason>
waiting_for_status_write(const waiting_inputs& in);

/// "the creation of pod worker-3", "the deletion of pod job-worker-2".
std::string describe_expectation(const expectations::row& expected,
                                 const observed_children& seen);

/// Who can do something about a call that the API server refused, or that did
/// not reach it.
next_move who_resolves(const k8s::failure& why);

} // namespace troupe::core
