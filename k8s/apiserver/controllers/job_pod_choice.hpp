#pragma once

#include "k8s/apiserver/controllers/job_values.hpp"

#include <set>
#include <vector>

namespace troupe::k8s::apiserver {

/// Takes from the active pods those that a Job does not want: of an Indexed
/// Job pods whose index is done, beyond the last one, or another pod's; then as
/// many as there are more than `wanted`: those that wait before those that run,
/// the youngest first.
std::vector<const job_pod*>
take_superfluous_pods(const job_spec& spec, const std::set<int>& done_indexes,
                      std::int64_t wanted, std::vector<const job_pod*>& active);

/// The indexes of `count` new pods, the lowest first; of a Job without indexes
/// as many times -1.
std::vector<int> choose_new_indexes(const job_spec& spec,
                                    const std::vector<job_pod>& pods,
                                    const std::set<int>& done_indexes,
                                    std::int64_t count);

} // namespace troupe::k8s::apiserver
