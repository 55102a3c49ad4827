#pragma once

#include "frameworks/core/pass.hpp"

namespace troupe::core {

// What a job has beside its pods and services: by name, made and kept as the
// framework (and gang scheduling) want it, removed when nobody wants it.

/// Creates what is missing, corrects what differs, removes what is not wanted;
/// says in the pass what pods still have to wait for.
void arrange_belongings(pass& p, const observed& seen);

/// The same for a job that is suspended: makes and corrects nothing.
void rest_belongings(pass& p, const observed& seen);

/// Removes the pod groups of a job that is over; its other belongings stay
/// until the job itself goes.
void disband_gang(pass& p, const observed& seen);

/// The kinds of belongings that jobs of this kind may have; what a watcher is
/// needed for.
std::vector<child> kinds_of_belongings(const framework& f,
                                       const surroundings& world);

} // namespace troupe::core
