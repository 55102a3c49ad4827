#pragma once

#include "k8s/http/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace troupe::actors {

/// What a request to the admin endpoint asks for.
enum class admin_subject : std::uint8_t {
  index,       ///< /admin/v1
  job_list,    ///< /admin/v1/jobs
  job,         ///< /admin/v1/jobs/NAMESPACE/KIND/NAME
  explanation, ///< /admin/v1/jobs/NAMESPACE/KIND/NAME/explanation
  pod_log,     ///< /admin/v1/jobs/NAMESPACE/KIND/NAME/pods/POD/log
  actors,      ///< /admin/v1/actors
  watchers,    ///< /admin/v1/watchers
  settings,    ///< /admin/v1/settings
  cluster,     ///< /admin/v1/cluster
  log_level,   ///< /admin/v1/log-level
  stream,      ///< /admin/v1/stream
};

struct admin_target {
  admin_subject subject;
  // The job, if the path names one.
  std::string ns = {};
  std::string kind = {};
  std::string name = {};
  std::string pod = {}; ///< A pod of the job.
};

/// Nullopt: nothing is served at this path.
std::optional<admin_target> parse_admin_path(const std::string& path);

/// The response at /admin/v1: all paths, and what each is for.
nlohmann::json admin_path_index();

/// The methods that the subject takes: "GET, HEAD".
const char* allowed_methods_of(admin_subject subject);

} // namespace troupe::actors
