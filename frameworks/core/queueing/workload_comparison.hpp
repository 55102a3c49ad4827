#pragma once

#include "frameworks/core/model/job.hpp"
#include "frameworks/core/workload/workload_state.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::core {

// How a job differs from its Workload.

/// The count of that name; `otherwise` if there is none.
std::int32_t count_of(const std::vector<pod_set_count>& counts,
                      const std::string& name, std::int32_t otherwise);

/// What the job asks for, by type.
std::vector<pod_set_count> counts_of(const job& j);

/// Whether its pods request something else than was admitted, which is not
/// known of every Workload.
bool requests_other_resources(const job& j, const workload_state& w);

/// Whether the job names another WorkloadPriorityClass than its Workload. While
/// quota is reserved, Kueue accepts no other change of the class.
bool names_other_class(const job& j, const workload_state& w);

/// What a job asks for that has become smaller: what its pods need, and what it
/// has given back. `done`: how many replicas that it still has need no pod.
std::vector<pod_set_count>
counts_to_shrink_to(const job& j, const workload_state& w,
                    const std::vector<pod_set_count>& done);

/// How the size of a job compares with what it was granted.
enum class job_size : std::uint8_t { as_granted, smaller, larger, other };

/// Of a job to which an admission was written. `done`: how many replicas that
/// it still has need no pod.
job_size compare_size(const job& j, const workload_state& w,
                      const std::vector<pod_set_count>& done);

/// Whether more of its replicas need a pod than it has quota for, as when a
/// restart makes pods again whose quota was given back.
bool needs_what_was_returned(const job& j, const workload_state& w,
                             const std::vector<pod_set_count>& done);

/// Of a job that is held, which has its full size.
bool asks_for_other_size(const job& j, const workload_state& w);

/// Whether a job that is held asks for something else than its Workload. Of one
/// that Kueue has made only queue and size are known.
bool asks_for_other_content(const job& j, const workload_state& w);

/// Whether its templates have what an admission writes into them: one of them.
bool carries_admission(const job& j);

/// Whether it is missing in one that was granted pods, as when a client has
/// replaced it.
bool lacks_admission(const job& j, const workload_state& w);

/// Whether a hold would take it out: as of a job that a person has suspended
/// while it ran.
bool has_admission_to_take_out(const job& j, const workload_state& w);

/// Whether Kueue is to be told something new of its pods.
bool is_report_due(const workload_state& w, const pods_report& pods);

} // namespace troupe::core
