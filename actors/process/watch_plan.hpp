#pragma once

#include "actors/api/watcher.hpp"

#include <vector>

namespace troupe::actors {

/// What the operator watches: one entry for each watcher, numbered in order.
/// Pure.
///
/// In each namespace: pods and services, each divided by the kinds of their
/// jobs among `options.child_watchers` watchers; the auxiliary objects that
/// jobs of `kinds` may have; and the jobs of each kind. Kinds whose pods have
/// other labels, or of whose pods more is kept, have watchers of their own.
///
/// `serves_webhooks`: jobs that have to be converted can be listed only when
/// the API server can call our webhook, and a Service forwards its calls only
/// to replicas that are ready. So the operator gets ready without them.
std::vector<watcher_config>
make_watch_plan(const std::vector<const core::framework*>& kinds,
                const actor_options& options, bool serves_webhooks);

} // namespace troupe::actors
