#pragma once

#include "frameworks/core/model/job.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe::core {

/// A job of this spec, with defaults applied, without what only an object has
/// (the UID for one), unchecked.
job read_job(const framework& kind, std::string ns, std::string name,
             const nlohmann::json& spec);

/// Reads and defaults a job from what the watcher saw (spec_and_status). A spec
/// that breaks the rules gives a job with a `validation_error`; only what is no
/// JSON object at all is ec::invalid, and one with more values than are read
/// (limits.hpp) if the job has begun.
k8s::result<job> decode_job(const framework& kind, const k8s::object& seen);

} // namespace troupe::core
