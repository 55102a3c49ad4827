#pragma once

#include "frameworks/core/pass/job_request.hpp"
#include "frameworks/di/requests/replica_request.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace troupe::frameworks::di {

enum class task_verb : std::uint8_t {
  list,   ///< Where the job's pods are reached.
  add,    ///< More replicas.
  remove, ///< Fewer replicas.
  report, ///< Profilings.
};

/// One request to di-server about a job of tasks: /v2alpha1/job/{job}/... No
/// request changes anything: as in DI-orchestrator v1.1.3, replicas are changed
/// by `spec.tasks` only, and profilings are not kept.
struct task_request : core::job_request {
  bool may_change_replicas() const override { return false; }

  task_verb verb = task_verb::list;
  std::string job; ///< Its name.
};

using task_request_ptr = std::shared_ptr<const task_request>;

/// Decodes a request. Gives the response instead if no job has to be asked, and
/// nullopt if di-server has no such page for jobs of tasks. `source` as in
/// job_request.
std::optional<std::variant<task_request_ptr, core::job_response>>
decode_task_request(const http_request& q, const std::string& source);

/// Whether the path is one of v2alpha1, for any method.
bool is_task_path(const std::string& path);

/// The response if there is no such job.
core::job_response job_not_found_response(const task_request& q);

/// The message of a success.
const char* success_message(task_verb v);

} // namespace troupe::frameworks::di
