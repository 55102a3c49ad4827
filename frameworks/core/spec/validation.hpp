#pragma once

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/spec/written_policies.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::core {

/// Checks a job as its owner wrote it, before defaults: whether it can be run.
/// `spec` is JSON text. Empty means fine. This does not include the limits of
/// limits.hpp.
std::vector<field_error> validate_spec_without_limits(const framework& f,
                                                      const std::string& name,
                                                      std::string_view spec);

/// What a user writes of a job that has a name already.
struct written_job {
  std::string_view spec = {}; ///< JSON text; "": there is no job.
  policy_annotations annotations = {};
};

/// The same, with the rules that apply only when a user writes the job, and
/// with the limits, except those that the old job exceeds in exactly the same
/// way. (The scale subresource bypasses these.)
std::vector<field_error> validate_write(const framework& f,
                                        const std::string& name,
                                        const written_job& job,
                                        const written_job& old,
                                        const std::string& ns = {});

/// The error of a spec that has more values than the limit; nullopt also if the
/// old one, "" at creation, had as many or nearly as many.
std::optional<field_error> find_new_density_error(std::string_view spec,
                                                  std::string_view old_spec);

/// The error of a job whose children have services and whose name is no
/// DNS-1035 label.
std::optional<field_error> find_job_name_label_error(const std::string& name);

/// The error of a job whose child has a name that is too long for a service.
/// (Pods may have longer names.) nullopt, too, if the name of the job alone is
/// too long, which is an error of its own.
std::optional<field_error>
find_child_name_length_error(const std::string& job, const std::string& child);

/// What the user who writes the job should know, although it is valid.
std::vector<std::string> find_spec_warnings(const framework& f,
                                            std::string_view spec);

/// All errors in one line, as the API server reports them; only the first ones
/// if the line would be long, because the job's status keeps it.
std::string to_string(const std::vector<field_error>& errors);

/// The text without its end if it is longer than a message should be.
std::string shorten_message(std::string text);

} // namespace troupe::core
