#include "k8s/apiserver/pods/pod_log.hpp"

#include "k8s/general/seconds.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

/// Bytes that a client has not taken, above which the log waits.
constexpr std::size_t most_log_backlog = 4u << 20;

/// The container a log request means, or why that is unclear.
status_or<std::string> choose_log_container(const request_info& info,
                                            const json& pod) {
  auto asked = info.query_param("container");
  std::vector<std::string> names;
  for (auto list : {"containers", "initContainers"})
    if (auto* l = find_value(pod, {"spec", list}); l && l->is_array())
      for (const auto& i : *l)
        names.push_back(text_at(i, {"name"}));
  if (asked.empty()) {
    auto* own = find_value(pod, {"spec", "containers"});
    if (own && own->size() == 1)
      return names.front();
    std::string all;
    for (const auto& n : names)
      all += (all.empty() ? "" : " ") + n;
    return bad_request("a container name must be specified for pod " + info.name
                       + ", choose one of: [" + all + "]");
  }
  if (std::find(names.begin(), names.end(), asked) == names.end())
    return bad_request("container " + asked + " is not valid for pod "
                       + info.name);
  return asked;
}

status_or<log_options> parse_log_options(server_state& state,
                                         const request_info& info) {
  log_options out;
  field_errors errors;
  std::optional<std::int64_t> since;
  struct {
    const char* key;
    std::optional<std::int64_t>& value;
    int least;
  } numbers[] = {{"tailLines", out.tail_lines, 0},
                 {"limitBytes", out.limit_bytes, 1},
                 {"sinceSeconds", since, 1}};
  for (auto& n : numbers) {
    auto text = info.query_param(n.key);
    if (text.empty())
      continue;
    std::int64_t value = 0;
    auto end = text.data() + text.size();
    auto [read, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || read != end)
      return bad_request(std::string(n.key) + ": \"" + text
                         + "\" is not a number");
    if (value < n.least)
      errors.push_back(invalid_value(n.key, value,
                                     "must be greater than or equal to "
                                         + std::to_string(n.least)));
    n.value = value;
  }
  auto time = info.query_param("sinceTime");
  auto at = from_rfc3339(time);
  if (!time.empty() && !at)
    return bad_request("sinceTime: \"" + time + "\" is not a time");
  if (since && at)
    errors.push_back(forbidden_value(
        "", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  if (!errors.empty())
    return invalid("", "PodLogOptions", "", errors);
  if (since)
    out.since = to_bounded_seconds(*since);
  else if (at)
    // Rather a line too many than a line of that second too few.
    out.since = std::chrono::ceil<std::chrono::seconds>(state.now() - *at);
  out.follow = is_query_flag_set(*info.request, "follow");
  out.previous = is_query_flag_set(*info.request, "previous");
  out.timestamps = is_query_flag_set(*info.request, "timestamps");
  return out;
}

} // namespace

void stream_pod_log(server_state& state, const request_info& info,
                    const http::response_writer_ptr& writer) {
  auto options = parse_log_options(state, info);
  if (!options)
    return writer->reply(options.error().to_response());
  auto s = state.objects.find("pods", info.storage_key());
  if (!s)
    return writer->reply(info.not_found_error().to_response());
  auto container = choose_log_container(info, s->value());
  if (!container)
    return writer->reply(container.error().to_response());
  const auto& name = *container;
  if (!state.pod_logs)
    return writer->reply(bad_request("container \"" + name + "\" in pod \""
                                     + info.name
                                     + "\" has no log: no node keeps logs")
                             .to_response());
  // Started by whatever comes first; the source calls one at a time.
  auto started = std::make_shared<bool>(false);
  auto begin = [writer, started] {
    http::response head;
    head.content_type = "text/plain";
    if (!std::exchange(*started, true))
      writer->start(std::move(head));
  };
  auto cancel = state.pod_logs->stream_log(
      info.ns, info.name, name, *options,
      {[writer, begin](std::string piece) {
         begin();
         writer->write(std::move(piece));
         return true;
       },
       [writer, begin, started](result<nothing> how) {
         if (!how && !*started)
           return writer->reply(bad_request(how.error().message).to_response());
         begin();
         writer->finish();
       },
       [writer] { return writer->backlog() < most_log_backlog; }});
  writer->on_disconnect(std::move(cancel));
}

} // namespace troupe::k8s::apiserver
