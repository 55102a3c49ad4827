#include "k8s/apiserver/list_options.hpp"

#include "k8s/apiserver/continue_token.hpp"

#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

status_or<std::uint64_t> parse_unsigned_query_value(const std::string& text,
                                                    const char* what) {
  std::uint64_t n = 0;
  auto end = text.data() + text.size();
  auto [stop, e] = std::from_chars(text.data(), end, n);
  if (!text.empty() && (e != std::errc{} || stop != end))
    return invalid("meta.k8s.io", "ListOptions", "",
                   {invalid_value(what, text, "must be a number")});
  return n;
}

} // namespace

status_or<selector> parse_selectors_and_path_name(const request_info& info) {
  selector out;
  auto labels = parse_label_selector(info.param("labelSelector"));
  if (auto* error = error_in(labels))
    return *error;
  auto where =
      info.type->name.api_version() + ", Resource=" + info.type->name.plural;
  if (info.type->name.group.empty())
    where = "/" + where;
  auto fields = parse_field_selector(info.param("fieldSelector"),
                                     info.type->selectable_fields, where);
  if (auto* error = error_in(fields))
    return *error;
  out.labels = std::get<0>(std::move(labels));
  out.fields = std::get<0>(std::move(fields));
  // A watch or list of "one object" by its path.
  if (!info.name.empty())
    out.fields.push_back(
        {"metadata.name", requirement::operation::in, {info.name}});
  return out;
}

status_or<list_options> parse_list_options(server_state& state,
                                           const request_info& info) {
  list_options out;
  auto chosen = parse_selectors_and_path_name(info);
  if (auto* error = error_in(chosen))
    return *error;
  out.chosen = std::get<selector>(std::move(chosen));
  auto limit = parse_unsigned_query_value(info.param("limit"), "limit");
  auto version = parse_unsigned_query_value(info.param("resourceVersion"),
                                            "resourceVersion");
  if (auto* error = error_in(limit))
    return *error;
  if (auto* error = error_in(version))
    return *error;
  out.limit = std::get<0>(limit);
  if (info.param("resourceVersionMatch") == "Exact")
    out.resource_version = std::get<0>(version);
  if (std::get<0>(version) > state.objects.resource_version()) {
    status_error r{
        504, "Timeout",
        "Too large resource version: " + info.param("resourceVersion")
            + ", current: " + std::to_string(state.objects.resource_version())};
    r.details = {
        {"retryAfterSeconds", 1},
        {"causes", json::array({{{"reason", "ResourceVersionTooLarge"},
                                 {"message", "Too large resource version"}}})}};
    return r;
  }
  if (auto token = info.param("continue"); !token.empty()) {
    auto m = decode_continue_token(token);
    if (!m)
      return bad_request("continue key is not valid");
    out.resource_version = m->resource_version;
    out.after_key = m->key;
  }
  return out;
}

status_or<std::optional<std::uint64_t>>
parse_watch_start(const request_info& info) {
  auto text = info.param("resourceVersion");
  auto n = parse_unsigned_query_value(text, "resourceVersion");
  if (auto* error = error_in(n))
    return *error;
  if (text.empty() || text == "0"
      || is_query_flag_set(*info.request, "sendInitialEvents"))
    return std::optional<std::uint64_t>{};
  return std::optional<std::uint64_t>{std::get<0>(n)};
}

} // namespace troupe::k8s::apiserver
