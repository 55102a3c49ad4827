#pragma once

#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/observed/child_claims.hpp"

#include <vector>

namespace troupe::core {

// What an object says of a child, beside what is already known of it.

/// What the object says of itself. `owned`: the job is its controller.
child_view make_child_view(child_kind kind, const k8s::object& o,
                           const child_claims& claims, bool owned,
                           const job& of);

/// Whether a watch of this kind shows an object with these labels. A selector
/// of fields shows all that this program makes.
bool is_selected_by_watch(child_kind kind, const k8s::object_meta& meta);

/// Whether the object says more than is known. A watch of metadata only may
/// have delivered this version before, or its texts were not kept.
bool brings_news(const child_view& known, const k8s::object& o);

/// Adds to `after` what the object does not say, or not any more.
void keep_history(child_kind kind, child_view& after, const child_view& before);

/// Compares everything except what only bookkeeping reads.
bool same_for_reconcile(const child_view& a, const child_view& b);

/// The events that follow from the object. `before`: nullptr if it was not
/// known; `after`: what is known now.
std::vector<job_event> events_of_change(child_kind kind, const k8s::object& o,
                                        const job& of, const child_view* before,
                                        const child_view& after);

} // namespace troupe::core
