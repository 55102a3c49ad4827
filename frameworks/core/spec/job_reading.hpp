#pragma once

#include "frameworks/core/model/job.hpp"
#include "frameworks/core/spec/written_policies.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace troupe::core {

/// Reads a job from a spec, unchecked, with defaults applied. It has no fields
/// that only an object has (such as the UID).
job read_job(const framework& kind, std::string ns, std::string name,
             const nlohmann::json& spec,
             const policy_annotations& annotations = {});

/// Reads a job from the object that the watcher saw (spec_and_status), and
/// applies defaults. A spec that breaks the rules gives a job with a
/// `validation_error`. ec::invalid: the spec is no JSON object at all, or the
/// job has begun and the spec has more values than are read (limits.hpp).
k8s::result<job> decode_job(const framework& kind, const k8s::object& seen);

/// Whether the object says the same as the one from which the job was decoded:
/// its annotations can change while its generation does not.
bool is_decoded_from(const job& known, const k8s::object& seen);

/// Whose job an object is that a watch of the version of one row has shown, if
/// the versions of its kind have one definition.
enum class birth : std::uint8_t {
  of_this_row,
  of_other_row,
  unknown, ///< It does not say, or its spec cannot be read.
};
birth birth_of(const framework& f, const k8s::object& job);

} // namespace troupe::core
