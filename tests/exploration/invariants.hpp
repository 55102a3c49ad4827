#pragma once

#include "tests/exploration/world.hpp"

namespace troupe::exploration {

// What must hold, whatever happens. Each check sets world::violation. The
// truth comes from the world's history; nothing is asked of the code under
// test. (tests/simulation has the same rules for random jobs, there over JSON;
// these are over values, because they are checked a hundred thousand times a
// second.)

/// What the operator has decided in its latest pass, before any of it is sent.
void check_decisions(world& w);
/// A pod that was just created.
void check_creation(world& w, const pod& created);
/// A status that is about to be stored.
void check_status(world& w, const core::job_status& next);
/// Nothing that is certain is left to happen.
void check_end(world& w);

/// Of the pods of a type, by its label.
int saved_attempt(const world& w, const std::string& type);

// The history.

/// By itself, or while it terminates.
void note_end_of_pod(world& w, const pod& p);
/// By hand, or with its node.
void note_removal(world& w, const pod& p);

} // namespace troupe::exploration
