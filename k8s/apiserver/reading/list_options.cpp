#include "k8s/apiserver/reading/list_options.hpp"

#include "k8s/apiserver/reading/continue_token.hpp"

#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

template <class Number>
status_or<Number> parse_number_param_or_zero(const request_info& info,
                                             const char* name) {
  Number n = 0;
  auto text = info.query_param(name);
  auto end = text.data() + text.size();
  auto [stop, e] = std::from_chars(text.data(), end, n);
  if (!text.empty() && (e != std::errc{} || stop != end))
    return bad_request(std::string(name) + ": \"" + text
                       + "\" is not a number");
  return n;
}

constexpr const char* match_field = "resourceVersionMatch";

void check_resource_version_match_of_list(const request_info& info,
                                          const std::string& match,
                                          field_errors& out) {
  auto version = info.query_param("resourceVersion");
  if (version.empty())
    out.push_back(forbidden_value(match_field,
                                  "resourceVersionMatch is forbidden unless "
                                  "resourceVersion is provided"));
  if (!info.query_param("continue").empty())
    out.push_back(forbidden_value(
        match_field,
        "resourceVersionMatch is forbidden when continue is provided"));
  if (match != "Exact" && match != "NotOlderThan")
    out.push_back(
        unsupported_value(match_field, match, {"Exact", "NotOlderThan", ""}));
  if (match == "Exact" && version == "0")
    out.push_back(forbidden_value(match_field,
                                  "resourceVersionMatch \"exact\" is forbidden "
                                  "for resourceVersion \"0\""));
}

void check_resource_version_match_of_watch(const request_info& info,
                                           const std::string& match,
                                           field_errors& out) {
  bool begins_with_events = !info.query_param("sendInitialEvents").empty();
  if (begins_with_events && match != "NotOlderThan")
    out.push_back(forbidden_value(match_field,
                                  "sendInitialEvents requires setting "
                                  "resourceVersionMatch to NotOlderThan"));
  if (match.empty())
    return;
  if (!begins_with_events)
    out.push_back(forbidden_value(match_field,
                                  "resourceVersionMatch is forbidden for watch "
                                  "unless sendInitialEvents is provided"));
  if (match != "NotOlderThan")
    out.push_back(unsupported_value(match_field, match, {"NotOlderThan"}));
  if (!info.query_param("continue").empty())
    out.push_back(forbidden_value(
        match_field,
        "resourceVersionMatch is forbidden when continue is provided"));
}

bool is_key_in_namespace(const std::string& key, const std::string& ns) {
  return ns.empty() || key.compare(0, ns.size() + 1, ns + "/") == 0;
}

} // namespace

status_or<selector> parse_selectors_and_path_name(const request_info& info) {
  selector out;
  auto labels = parse_label_selector(info.query_param("labelSelector"));
  if (!labels)
    return labels.error();
  auto where =
      info.type->name.api_version() + ", Resource=" + info.type->name.plural;
  if (info.type->name.group.empty())
    where = "/" + where;
  auto fields = parse_field_selector(info.query_param("fieldSelector"),
                                     info.type->selectable_fields, where);
  if (!fields)
    return fields.error();
  out.labels = std::move(*labels);
  out.fields = std::move(*fields);
  // Events are stored as those of the core.
  for (auto& r : out.fields)
    if (r.key.compare(0, 10, "regarding.") == 0)
      r.key = "involvedObject." + r.key.substr(10);
    else if (r.key == "reportingController")
      r.key = "reportingComponent";
  // A watch or list of "one object" by its path.
  if (!info.name.empty())
    out.fields.push_back(
        {"metadata.name", requirement::operation::in, {info.name}});
  return out;
}

std::optional<status_error> check_list_parameters(const request_info& info) {
  for (auto name : {"limit", "timeoutSeconds"})
    if (auto n = parse_number_param_or_zero<std::int64_t>(info, name); !n)
      return n.error();
  field_errors wrong;
  auto match = info.query_param(match_field);
  if (is_query_flag_set(*info.request, "watch")) {
    check_resource_version_match_of_watch(info, match, wrong);
  } else {
    if (!match.empty())
      check_resource_version_match_of_list(info, match, wrong);
    if (!info.query_param("sendInitialEvents").empty())
      wrong.push_back(forbidden_value(
          "sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (wrong.empty())
    return std::nullopt;
  return invalid("meta.k8s.io", "ListOptions", "", wrong);
}

std::optional<status_error>
check_version_not_too_large(const server_state& state,
                            const request_info& info) {
  auto version =
      parse_number_param_or_zero<std::uint64_t>(info, "resourceVersion");
  if (!version)
    return version.error();
  auto current = state.objects.resource_version();
  if (*version <= current)
    return std::nullopt;
  status_error r{504, "Timeout",
                 "Timeout: Too large resource version: "
                     + info.query_param("resourceVersion")
                     + ", current: " + std::to_string(current)};
  r.details = {
      {"retryAfterSeconds", 1},
      {"causes", json::array({{{"reason", "ResourceVersionTooLarge"},
                               {"message", "Too large resource version"}}})}};
  return r;
}

status_or<list_options> parse_list_options(server_state& state,
                                           const request_info& info) {
  list_options out;
  if (auto error = check_list_parameters(info))
    return *error;
  auto chosen = parse_selectors_and_path_name(info);
  if (!chosen)
    return chosen.error();
  if (auto error = check_version_not_too_large(state, info))
    return *error;
  out.chosen = std::move(*chosen);
  auto limit = *parse_number_param_or_zero<std::int64_t>(info, "limit");
  out.limit = limit > 0 ? static_cast<std::size_t>(limit) : 0;
  auto version = info.query_param("resourceVersion");
  if (info.query_param(match_field) == "Exact")
    out.resource_version =
        *parse_number_param_or_zero<std::uint64_t>(info, "resourceVersion");
  if (auto token = info.query_param("continue"); !token.empty()) {
    if (!version.empty() && version != "0")
      return bad_request(
          "specifying resource version is not allowed when using continue");
    auto m = decode_continue_token(token);
    if (!m || !is_key_in_namespace(m->key, info.ns))
      return bad_request("continue key is not valid");
    out.resource_version = m->resource_version;
    out.after_key = m->key;
    out.remaining = m->remaining;
  }
  return out;
}

status_or<std::optional<std::uint64_t>>
parse_watch_start_version(const request_info& info, std::uint64_t current) {
  auto text = info.query_param("resourceVersion");
  auto n = parse_number_param_or_zero<std::uint64_t>(info, "resourceVersion");
  if (!n)
    return n.error();
  auto initial = info.query_param("sendInitialEvents");
  bool is_wanted = is_query_flag_set(*info.request, "sendInitialEvents");
  if (is_wanted || (initial.empty() && (text.empty() || text == "0")))
    return std::optional<std::uint64_t>{};
  // Without the events of what there is, it begins now.
  if (*n == 0)
    return std::optional<std::uint64_t>{current};
  return std::optional<std::uint64_t>{*n};
}

} // namespace troupe::k8s::apiserver
