#pragma once

#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

/// Looks once at each candidate: deletes objects whose owners are gone, and
/// continues deletions in the foreground and of namespaces. Returns how many
/// objects it touched.
std::size_t collect_garbage(server_state& state);

} // namespace troupe::k8s::apiserver
