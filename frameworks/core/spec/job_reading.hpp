#pragma once

#include "frameworks/core/model/job.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe::core {

/// Reads a job from a spec, unchecked, with defaults applied. It has no fields
/// that only an object has (such as the UID).
job read_job(const framework& kind, std::string ns, std::string name,
             const nlohmann::json& spec);

/// Reads a job from the object that the watcher saw (spec_and_status), and
/// applies defaults. A spec that breaks the rules gives a job with a
/// `validation_error`. ec::invalid: the spec is no JSON object at all, or the
/// job has begun and the spec has more values than are read (limits.hpp).
k8s::result<job> decode_job(const framework& kind, const k8s::object& seen);

} // namespace troupe::core
