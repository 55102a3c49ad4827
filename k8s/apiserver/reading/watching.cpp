#include "k8s/apiserver/reading/watching.hpp"

#include "k8s/apiserver/base/media_types.hpp"
#include "k8s/apiserver/reading/list_options.hpp"
#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/apiserver/tables/table_response.hpp"
#include "k8s/general/seconds.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

/// Bytes that a client has not taken, above which the next events wait.
constexpr std::size_t most_backlog = 1u << 20;

watch_request make_watch_request(server_state& state, const request_info& info,
                                 selector chosen) {
  watch_request out;
  out.type = info.type;
  out.ns = info.ns;
  out.chosen = std::move(chosen);
  out.bookmarks = is_query_flag_set(*info.request, "allowWatchBookmarks");
  if (auto s =
          std::strtoll(info.query_param("timeoutSeconds").c_str(), nullptr, 10))
    out.end = state.now() + to_bounded_seconds(s);
  if (info.type->custom)
    out.view = [type = info.type](const stored_object_ptr& s) {
      auto served = convert_custom_to_served_version(*type, s);
      return served ? *served : nullptr;
    };
  auto form = requested_object_form(*info.request);
  if (form == object_form::table) {
    auto first = std::make_shared<bool>(true);
    out.render = [&state, type = info.type,
                  include = info.query_param("includeObject"),
                  first](const stored_object_ptr& s) {
      json meta{{"resourceVersion", std::to_string(s->resource_version())}};
      return to_text(make_table(*type, {s}, meta, state.now(), include,
                                std::exchange(*first, false)));
    };
  } else if (form == object_form::metadata) {
    out.render = [](const stored_object_ptr& s) {
      return encode_partial_object_metadata(*s);
    };
  } else if (info.type->from_storage) {
    out.render = [type = info.type](const stored_object_ptr& s) {
      return to_text(convert_builtin_to_served_version(*type, s->value()));
    };
  }
  return out;
}

/// Returns why an object cannot be shown, if there is one.
std::optional<status_error>
send_initial_events(server_state& state, const request_info& info,
                    watch_broadcaster::watcher& watcher) {
  auto now = state.objects.resource_version();
  std::vector<change_ptr> all;
  served_version_reader reader{
      *info.type, [&](const auto& key, const auto& s) {
        all.push_back(std::make_shared<const change>(
            change{change::kind::added, info.type->bucket, key, nullptr, s,
                   s->resource_version()}));
        return true;
      }};
  state.objects.for_each(info.type->bucket, info.ns, {}, std::ref(reader));
  if (reader.error())
    return reader.error();
  // Changes are sent once, by their version.
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a->resource_version < b->resource_version;
  });
  bool is_marked = is_query_flag_set(*info.request, "sendInitialEvents")
                   && watcher.request.bookmarks;
  state.watches.send_earlier_changes(
      watcher, all, is_marked ? bookmark_line(watcher.request, now, true) : "");
  return std::nullopt;
}

void end_watch_with_error(const status_error& why,
                          const http::response_writer_ptr& writer) {
  auto status = why.to_response().body;
  status.pop_back();
  writer->write(watch_event_line("ERROR", status));
  writer->finish();
}

} // namespace

void start_watch(server_state& state, const request_info& info,
                 const http::response_writer_ptr& writer) {
  if (auto error = check_list_parameters(info))
    return writer->reply(error->to_response());
  auto chosen = parse_selectors_and_path_name(info);
  if (!chosen)
    return writer->reply(chosen.error().to_response());
  auto from = parse_watch_start_version(info, state.objects.resource_version());
  if (!from)
    return writer->reply(from.error().to_response());
  http::response head;
  if (const auto& text = info.type->deprecation_warning; !text.empty())
    add_warning_header(head, {text});
  writer->start(head);
  auto version = *from;
  std::optional<std::vector<change_ptr>> missed;
  if (version) {
    missed = state.objects.changes_after(info.type->bucket, *version);
    if (!missed)
      return end_watch_with_error(
          expired("too old resource version: " + std::to_string(*version) + " ("
                  + std::to_string(state.objects.resource_version()) + ")"),
          writer);
  }
  auto wanted = make_watch_request(state, info, std::move(*chosen));
  wanted.resource_version = version.value_or(0);
  auto watcher = state.watches.add_watcher(
      std::move(wanted),
      {[writer](const std::string& lines) { writer->write(lines); },
       [writer] { writer->finish(); },
       [writer] { return writer->backlog() < most_backlog; }});
  writer->on_drained(
      [&state, weak = std::weak_ptr<watch_broadcaster::watcher>(watcher)] {
        if (auto w = weak.lock())
          state.watches.send_queued_changes(*w);
      });
  writer->on_disconnect(
      [&state, weak = std::weak_ptr<watch_broadcaster::watcher>(watcher)] {
        if (auto gone = weak.lock())
          state.watches.remove_watcher(gone);
      });
  if (!version) {
    if (auto failed = send_initial_events(state, info, *watcher)) {
      state.watches.remove_watcher(watcher);
      end_watch_with_error(*failed, writer);
    }
    return;
  }
  state.watches.send_earlier_changes(*watcher, *missed, {});
}

} // namespace troupe::k8s::apiserver
