#include "k8s/apiserver/tables/job_table_cells.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/resources/job_strategy.hpp"
#include "k8s/text.hpp"

namespace troupe::k8s::apiserver {

namespace {

std::string job_status_cell(const json& job) {
  for (auto type : {"Complete", "Failed"})
    if (has_true_job_condition(job, type))
      return type;
  if (is_terminating(job))
    return "Terminating";
  for (auto type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
    if (has_true_job_condition(job, type))
      return type;
  return "Running";
}

std::string job_completions_cell(const json& job) {
  auto succeeded = std::to_string(number_at(job, {"status", "succeeded"}));
  if (auto wanted = int64_at(job, {"spec", "completions"}))
    return succeeded + "/" + std::to_string(*wanted);
  auto parallelism = number_at(job, {"spec", "parallelism"});
  return succeeded + "/1"
         + (parallelism > 1 ? " of " + std::to_string(parallelism) : "");
}

std::string job_duration_cell(const json& job, time_point now) {
  auto start = from_rfc3339(text_at(job, {"status", "startTime"}));
  if (!start)
    return {};
  auto end = from_rfc3339(text_at(job, {"status", "completionTime"}));
  return human_duration(std::chrono::duration_cast<std::chrono::seconds>(
      end.value_or(now) - *start));
}

std::string container_members(const json& job, const char* key) {
  std::vector<std::string> out;
  for (const auto& c :
       array_at(job, {"spec", "template", "spec", "containers"}))
    out.push_back(text_at(c, {key}));
  return join(out, ",");
}

std::string job_selector_cell(const json& job) {
  std::vector<std::string> out;
  for (const auto& [key, value] :
       value_at(job, {"spec", "selector", "matchLabels"}).items())
    if (value.is_string())
      out.push_back(key + "=" + value.get<std::string>());
  return out.empty() ? "<none>" : join(out, ",");
}

} // namespace

std::string job_table_cell(const std::string& column, const json& job,
                           time_point now) {
  if (column == "!job_status")
    return job_status_cell(job);
  if (column == "!job_completions")
    return job_completions_cell(job);
  if (column == "!job_duration")
    return job_duration_cell(job, now);
  if (column == "!job_selector")
    return job_selector_cell(job);
  return container_members(job, column == "!job_images" ? "image" : "name");
}

} // namespace troupe::k8s::apiserver
