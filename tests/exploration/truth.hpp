#pragma once

#include "tests/exploration/world.hpp"

namespace troupe::exploration {

// What a world's history and its saved status say, for invariants.

/// Only the first is kept.
void violate(world& w, const std::string& what);

int attempt_of(const pod& p); ///< 0 if it says none.
int attempt_of(const core::job_status& s);
/// Of pods in this slot.
int attempt_of(const world& w, const core::job_status& s, std::size_t slot);
int attempt_of(const world& w, const core::job_status& s, const pod& p);

bool has_failed(const world& w, int slot, int number);
/// Of the slots, those of whose pods of the status's attempts it is noted.
unsigned slots_of(const world& w, const core::job_status& s,
                  const history::slots_by_attempt& noted);
int sum_of_restarts(const core::job_status& s);
bool has_record(const core::job_status& s, const std::string& uid);
bool has_reason_to_succeed(const world& w, const core::job_status& s);
/// Whether a failure fails the job.
bool is_budget_used_up(const world& w);

/// A launcher's must follow all others of its attempt.
void note_creation(world& w, const pod& created);

} // namespace troupe::exploration
