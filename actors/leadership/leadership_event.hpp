#pragma once

#include "k8s/calls.hpp"

#include <string>

namespace troupe::actors {

/// The request that creates the Event that client-go writes on a Lease:
/// "IDENTITY became leader" or, if it does not lead, "IDENTITY stopped
/// leading". `lease`: the whole Lease, as the server has sent it.
k8s::request leadership_event_request(const std::string& lease,
                                      const std::string& identity, bool leads,
                                      k8s::time_point now);

} // namespace troupe::actors
