#include "k8s/apiserver/base/status_error.hpp"

namespace troupe::k8s::apiserver {

namespace {

std::string plural_dot_group(const std::string& group,
                             const std::string& plural) {
  return group.empty() ? plural : plural + "." + group;
}

json make_details(const std::string& group, const std::string& kind,
                  const std::string& name) {
  json out{{"kind", kind}};
  if (!name.empty())
    out["name"] = name;
  if (!group.empty())
    out["group"] = group;
  return out;
}

} // namespace

field_error required_value(std::string field, const std::string& why) {
  return {std::move(field), "FieldValueRequired",
          why.empty() ? "Required value" : "Required value: " + why};
}

field_error invalid_value(std::string field, const json& value,
                          const std::string& why) {
  return {std::move(field), "FieldValueInvalid",
          "Invalid value: " + to_text(value) + ": " + why};
}

field_error forbidden_value(std::string field, const std::string& why) {
  return {std::move(field), "FieldValueForbidden", "Forbidden: " + why};
}

field_error duplicate_value(std::string field, const json& value) {
  return {std::move(field), "FieldValueDuplicate",
          "Duplicate value: " + to_text(value)};
}

field_error unsupported_value(std::string field, const json& value,
                              const std::vector<std::string>& known) {
  std::string list;
  for (const auto& k : known)
    list += (list.empty() ? "" : ", ") + to_quoted(k);
  return {std::move(field), "FieldValueNotSupported",
          "Unsupported value: " + to_text(value)
              + ": supported values: " + list};
}

http::response status_error::to_response() const {
  json status{
      {"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
      {"status", "Failure"}, {"message", message}, {"reason", reason},
      {"code", code}};
  if (!details.is_null())
    status["details"] = details;
  if (!continue_token.empty())
    status["metadata"]["continue"] = continue_token;
  http::response r;
  r.status = code;
  if (auto seconds = number_at(details, {"retryAfterSeconds"}))
    r.headers["Retry-After"] = std::to_string(seconds);
  r.body = to_text(status) + "\n";
  add_warning_header(r, warnings);
  return r;
}

void add_warning_header(http::response& r,
                        const std::vector<std::string>& warnings) {
  auto& header = r.headers["Warning"];
  auto value = header;
  for (const auto& text : warnings)
    value += (value.empty() ? "299 - " : ", 299 - ") + to_quoted(text);
  if (value.empty())
    r.headers.erase("Warning");
  else
    header = value;
}

status_error not_found(const std::string& group, const std::string& plural,
                       const std::string& name) {
  return {404, "NotFound",
          plural_dot_group(group, plural) + " \"" + name + "\" not found",
          make_details(group, plural, name)};
}

status_error path_not_found() {
  return {404, "NotFound", "the server could not find the requested resource",
          json::object()};
}

status_error already_exists(const std::string& group, const std::string& plural,
                            const std::string& name) {
  return {409, "AlreadyExists",
          plural_dot_group(group, plural) + " \"" + name + "\" already exists",
          make_details(group, plural, name)};
}

status_error conflict(const std::string& group, const std::string& plural,
                      const std::string& name, const std::string& why) {
  return {409, "Conflict",
          "Operation cannot be fulfilled on " + plural_dot_group(group, plural)
              + " \"" + name + "\": " + why,
          make_details(group, plural, name)};
}

status_error invalid(const std::string& group, const std::string& kind,
                     const std::string& name, const field_errors& c) {
  json list = json::array();
  std::string all;
  for (const auto& x : c) {
    list.push_back(
        {{"reason", x.reason}, {"message", x.message}, {"field", x.field}});
    all += (all.empty() ? "" : ", ") + x.field + ": " + x.message;
  }
  if (c.size() > 1)
    all = "[" + all + "]";
  auto details = make_details(group, kind, name);
  details["causes"] = std::move(list);
  return {422, "Invalid",
          plural_dot_group(group, kind) + " \"" + name
              + "\" is invalid: " + all,
          std::move(details)};
}

status_error bad_request(std::string why) {
  return {400, "BadRequest", std::move(why)};
}

status_error forbidden(const std::string& group, const std::string& plural,
                       const std::string& name, const std::string& why) {
  return {403, "Forbidden",
          plural_dot_group(group, plural) + " \"" + name
              + "\" is forbidden: " + why,
          make_details(group, plural, name)};
}

status_error expired(std::string why) {
  return {410, "Expired", std::move(why)};
}

status_error unsupported_media_type(std::string why) {
  return {415, "UnsupportedMediaType", std::move(why)};
}

status_error method_not_allowed() {
  return {405, "MethodNotAllowed",
          "the server does not allow this method on the requested resource",
          json::object()};
}

json deleted_status(const std::string& group, const std::string& plural,
                    const std::string& name, const std::string& uid) {
  auto details = make_details(group, plural, name);
  details["uid"] = uid;
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", json::object()},
          {"status", "Success"},
          {"details", std::move(details)}};
}

json created_status() {
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", json::object()},
          {"status", "Success"},
          {"code", 201}};
}

} // namespace troupe::k8s::apiserver
