#include "frameworks/di/tasks/tasks_request.hpp"

#include "frameworks/di/requests/request_json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::frameworks::di {

namespace {

constexpr std::string_view path_prefix = "/v2alpha1/job/";

using value_type = request_value::type;

/// The two parts of /v2alpha1/job/{id}/{page}.
struct task_path {
  std::string id;
  std::string page;
};

/// An id has no slash, or one: pods know their job as namespace/name.
std::optional<task_path> split_task_path(const std::string& path) {
  if (path.rfind(path_prefix, 0) != 0)
    return std::nullopt;
  auto rest = path.substr(path_prefix.size());
  auto end = rest.rfind('/');
  if (end == std::string::npos || end == 0)
    return std::nullopt;
  task_path result{rest.substr(0, end), rest.substr(end + 1)};
  if (std::count(result.id.begin(), result.id.end(), '/') > 1)
    return std::nullopt;
  return result;
}

std::optional<task_verb> task_verb_of(const std::string& method,
                                      const std::string& page) {
  if (page == "profilings" && method == "POST")
    return task_verb::report;
  if (page != "replicas")
    return std::nullopt;
  if (method == "GET")
    return task_verb::list;
  if (method == "POST")
    return task_verb::add;
  if (method == "DELETE")
    return task_verb::remove;
  return std::nullopt;
}

/// namespace.name or namespace/name. A name with dots is known by the latter.
bool read_job_id(const std::string& id, task_request& out) {
  auto separator = id.find('/');
  if (separator == std::string::npos)
    separator =
        std::count(id.begin(), id.end(), '.') == 1 ? id.find('.') : id.npos;
  if (separator == id.npos)
    return false;
  out.ns = id.substr(0, separator);
  out.job = id.substr(separator + 1);
  return !out.ns.empty() && !out.job.empty();
}

/// What is wrong with the member `replicas`, or "".
std::string find_replicas_error(const request_value& body) {
  for (const auto& [key, value] : body.members)
    if (k8s::equal_ignoring_case(key, "replicas")
        && value.is != value_type::null && !to_int64(value))
      return std::string{"replicas: must be a whole number, not "}
             + to_string(value.is)
             + (value.text.empty() ? "" : " " + value.text);
  return {};
}

/// What is wrong with a body, or "".
std::string find_body_error(const std::string& body, task_verb verb) {
  if (verb == task_verb::list)
    return {};
  auto value = read_request_json(body);
  if (!value)
    return value.error().message;
  if (value->is != value_type::object && value->is != value_type::null)
    return std::string{"the body must be an object, not "}
           + to_string(value->is);
  return verb == task_verb::report ? "" : find_replicas_error(*value);
}

} // namespace

bool is_task_path(const std::string& path) {
  auto parts = split_task_path(path);
  return parts && (parts->page == "replicas" || parts->page == "profilings");
}

std::optional<std::variant<task_request_ptr, core::job_response>>
decode_task_request(const http_request& q, const std::string& source) {
  auto path = split_task_path(q.path);
  auto verb = path ? task_verb_of(q.method, path->page) : std::nullopt;
  if (!verb)
    return std::nullopt;
  task_request request;
  request.source = source;
  request.verb = *verb;
  if (!read_job_id(path->id, request))
    return core::job_response{400, "job id " + path->id
                                       + " must be in namespace.name format"};
  if (auto wrong = find_body_error(q.body, *verb); !wrong.empty())
    return core::job_response{400, wrong};
  return std::make_shared<const task_request>(std::move(request));
}

core::job_response job_not_found_response(const task_request& q) {
  bool lookup = q.verb == task_verb::list || q.verb == task_verb::add;
  return {lookup ? 404 : 400,
          "DIJob.diengine.opendilab.org \"" + q.job + "\" not found"};
}

const char* success_message(task_verb v) {
  switch (v) {
  case task_verb::list:
    return "successfully get replicas";
  case task_verb::add:
    return "successfully add replicas";
  case task_verb::remove:
    return "successfully delete replicas";
  case task_verb::report:
    return "successfully report profilings";
  }
  return "";
}

} // namespace troupe::frameworks::di
