#include "actors/admin/admin_paths.hpp"

#include "k8s/text.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace troupe::actors {

namespace {

struct admin_path {
  admin_subject subject;
  const char* path; ///< Parts in capitals stand for any text.
  const char* methods;
  const char* summary;
};

constexpr const char* read_only = "GET, HEAD";

constexpr admin_path admin_path_rows[] = {
    {admin_subject::index, "/admin/v1", read_only, "this list"},
    {admin_subject::job_list, "/admin/v1/jobs", read_only,
     "all jobs: kind, state, age, replicas"},
    {admin_subject::job, "/admin/v1/jobs/NAMESPACE/KIND/NAME", read_only,
     "all that is known of one job"},
    {admin_subject::explanation,
     "/admin/v1/jobs/NAMESPACE/KIND/NAME/explanation", read_only,
     "the same as sentences, as text"},
    {admin_subject::pod_log, "/admin/v1/jobs/NAMESPACE/KIND/NAME/pods/POD/log",
     "GET",
     "the last ?lines=500 lines of the log of a pod of that job, and what "
     "comes, "
     "as server-sent events; &container=NAME, &previous=true for the run "
     "before"},
    {admin_subject::actors, "/admin/v1/actors", read_only,
     "the tree of actors"},
    {admin_subject::watchers, "/admin/v1/watchers", read_only,
     "the lists and watches of the API server"},
    {admin_subject::settings, "/admin/v1/settings", read_only,
     "the settings, and where each comes from"},
    {admin_subject::cluster, "/admin/v1/cluster", read_only,
     "the API server of the jobs"},
    {admin_subject::log_level, "/admin/v1/log-level", "GET, HEAD, PUT",
     "the log levels of components; PUT {\"component\": \"watcher\", "
     "\"level\": \"debug\"} changes one, without a component all"},
    {admin_subject::stream, "/admin/v1/stream", "GET",
     "changes of the list of jobs after ?since=REVISION, or of one job with "
     "?job=NAMESPACE/KIND/NAME, as server-sent events"},
};

bool is_placeholder(const std::string& part) {
  return part[0] >= 'A' && part[0] <= 'Z';
}

void set_placeholder_value(admin_target& target, const std::string& placeholder,
                           const std::string& text) {
  (placeholder == "NAMESPACE" ? target.ns
   : placeholder == "KIND"    ? target.kind
   : placeholder == "POD"     ? target.pod
                              : target.name) = text;
}

std::optional<admin_target> match_path(const admin_path& row,
                                       const std::vector<std::string>& parts) {
  auto wanted = k8s::split_without_empty_parts(row.path, '/');
  if (wanted.size() != parts.size())
    return std::nullopt;
  admin_target target{row.subject};
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (is_placeholder(wanted[i]))
      set_placeholder_value(target, wanted[i], parts[i]);
    else if (wanted[i] != parts[i])
      return std::nullopt;
  return target;
}

} // namespace

std::optional<admin_target> parse_admin_path(const std::string& path) {
  auto parts = k8s::split_without_empty_parts(path, '/');
  for (const auto& row : admin_path_rows)
    if (auto target = match_path(row, parts))
      return target;
  return std::nullopt;
}

nlohmann::json admin_path_index() {
  auto paths = nlohmann::json::array();
  for (const auto& row : admin_path_rows)
    paths.push_back({{"path", row.path},
                     {"methods", row.methods},
                     {"summary", row.summary}});
  return {{"paths", std::move(paths)}};
}

const char* allowed_methods_of(admin_subject subject) {
  for (const auto& row : admin_path_rows)
    if (row.subject == subject)
      return row.methods;
  return "";
}

} // namespace troupe::actors
