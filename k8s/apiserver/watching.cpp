#include "k8s/apiserver/watching.hpp"

#include "k8s/apiserver/list_options.hpp"
#include "k8s/apiserver/table_response.hpp"
#include "k8s/apiserver/version_conversion.hpp"

namespace troupe::k8s::apiserver {

namespace {

watch_request make_watch_request(server_state& state, const request_info& info,
                                 selector chosen) {
  watch_request out;
  out.type = info.type;
  out.ns = info.ns;
  out.chosen = std::move(chosen);
  out.bookmarks = is_query_flag_set(*info.request, "allowWatchBookmarks");
  if (auto s = std::strtoll(info.param("timeoutSeconds").c_str(), nullptr, 10))
    out.end = state.now() + std::chrono::seconds{s};
  if (info.type->custom)
    out.view = [type = info.type](const stored_object_ptr& s) {
      auto served = in_served_version(*type, s);
      return error_in(served) ? nullptr : std::get<stored_object_ptr>(served);
    };
  if (accepts_table(*info.request)) {
    auto first = std::make_shared<bool>(true);
    out.render = [&state, type = info.type,
                  include = info.param("includeObject"),
                  first](const stored_object& s) {
      json meta{{"resourceVersion", std::to_string(s.resource_version)}};
      return to_text(make_table(*type, {std::make_shared<stored_object>(s)},
                                meta, state.now(), include,
                                std::exchange(*first, false)));
    };
  } else if (accepts_metadata(*info.request)) {
    out.render = [](const stored_object& s) {
      return to_text(partial_object_metadata(s.value));
    };
  } else if (info.type->from_storage) {
    out.render = [type = info.type](const stored_object& s) {
      return to_text(convert_to_served_version(*type, s.value));
    };
  }
  return out;
}

/// Returns why an object cannot be shown, if there is one.
std::optional<status_error>
send_initial_events(server_state& state, const request_info& info,
                    watch_broadcaster::watcher& watcher) {
  auto now = state.objects.resource_version();
  std::string lines;
  std::optional<status_error> failed;
  state.objects.for_each(
      info.type->bucket, info.ns, {}, [&](const auto&, const auto& o) {
        auto served = in_served_version(*info.type, o);
        if (auto* error = error_in(served)) {
          failed = *error;
          return false;
        }
        const auto& s = std::get<stored_object_ptr>(served);
        if (watcher.request.chosen.matches(s->value))
          lines += watch_event_line("ADDED", watcher.request.render
                                                 ? watcher.request.render(*s)
                                                 : s->text);
        return true;
      });
  if (failed)
    return failed;
  watcher.request.resource_version = now;
  if (is_query_flag_set(*info.request, "sendInitialEvents")
      && watcher.request.bookmarks)
    lines += bookmark_line(*info.type, now, true);
  if (!lines.empty())
    watcher.callbacks.lines(lines);
  return std::nullopt;
}

void end_with_error(const status_error& why,
                    const http::response_writer_ptr& x) {
  auto status = why.to_response().body;
  status.pop_back();
  x->write(watch_event_line("ERROR", status));
  x->finish();
}

} // namespace

void start_watch(server_state& state, const request_info& info,
                 const http::response_writer_ptr& x) {
  auto chosen = parse_selectors_and_path_name(info);
  if (auto* error = error_in(chosen))
    return x->reply(error->to_response());
  auto from = parse_watch_start(info);
  if (auto* error = error_in(from))
    return x->reply(error->to_response());
  x->start({});
  auto version = std::get<0>(from);
  std::optional<std::vector<change_ptr>> missed;
  if (version) {
    missed = state.objects.changes_after(info.type->bucket, *version);
    if (!missed)
      return end_with_error(
          expired("too old resource version: " + std::to_string(*version) + " ("
                  + std::to_string(state.objects.resource_version()) + ")"),
          x);
  }
  auto wanted =
      make_watch_request(state, info, std::get<selector>(std::move(chosen)));
  wanted.resource_version = version.value_or(0);
  auto who = state.watches.add_watcher(
      std::move(wanted), {[x](const std::string& lines) { x->write(lines); },
                          [x] { x->finish(); }});
  x->on_disconnect(
      [&state, weak = std::weak_ptr<watch_broadcaster::watcher>(who)] {
        if (auto gone = weak.lock())
          state.watches.remove_watcher(gone);
      });
  if (!version) {
    if (auto failed = send_initial_events(state, info, *who)) {
      state.watches.remove_watcher(who);
      end_with_error(*failed, x);
    }
    return;
  }
  for (const auto& m : *missed)
    state.watches.send_change(*who, *m);
}

} // namespace troupe::k8s::apiserver
