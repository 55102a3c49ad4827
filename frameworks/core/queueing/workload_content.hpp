#pragma once

#include "frameworks/core/model/job.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace troupe::core {

// What the Workload of a job says: its name and what it asks of Kueue.

/// As Kueue's own integration names it, so that both would make the same
/// object: "tfjob-NAME-8d638".
std::string workload_name(const job& j);

/// The name of a further Workload of a job that has grown.
std::string workload_slice_name(const job& j);

/// Whether the job may get more pods while it runs.
bool is_elastic(const job& j);

/// Whether the Workload of a job has this annotation of the job, too.
bool is_copied_annotation(const std::string& key);

/// Whether an admission was written into this template.
bool has_pod_set_label(const nlohmann::json& written);

/// A hash of all that a job asks for. The server changes what it stores of a
/// Workload, so its templates cannot be compared with those of the job.
std::string hash_of_asked_content(const job& j);

/// A hash of what the pods of a job request, and nothing else: an admission
/// changes none of it, so it tells whether a job still is what was admitted.
std::string hash_of_requests(const job& j);

/// An object that gives jobs their priority.
struct priority_class_ref {
  std::string group;
  std::string kind; ///< WorkloadPriorityClass or PriorityClass; "": none.
  std::string name;
};

struct workload_priority {
  priority_class_ref of;
  std::int64_t value = 0;
};

/// The one that a job names. `object`: the job as the server has it.
priority_class_ref priority_class_of(const nlohmann::json& object,
                                     const job& j);

/// The templates of a job as the server has it, by the label of their type.
std::vector<std::pair<std::string, nlohmann::json*>>
pod_templates_of(nlohmann::json& object, const job& j);

/// The spec of its Workload.
nlohmann::json make_workload_spec(nlohmann::json object, const job& j,
                                  const workload_priority& priority);

/// Labels, annotations, finalizer and owner of its Workload.
nlohmann::json make_workload_metadata(const nlohmann::json& object,
                                      const job& j, const std::string& hash);

} // namespace troupe::core
