#include "k8s/apiserver/continue_token.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/table_response.hpp"

#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* too_old_page =
    "The provided continue parameter is too old to display a consistent list "
    "result. You can start a new list without the continue parameter.";

status_or<selector> chosen_by(const request_info& info) {
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

/// What a list request asks for.
struct list_request {
  selector chosen;
  std::uint64_t resource_version = 0; ///< 0: as things are now.
  std::string after;
  std::size_t limit = 0; ///< 0: all.
};

status_or<std::uint64_t> number(const std::string& text, const char* what) {
  std::uint64_t n = 0;
  auto end = text.data() + text.size();
  auto [stop, e] = std::from_chars(text.data(), end, n);
  if (!text.empty() && (e != std::errc{} || stop != end))
    return invalid("meta.k8s.io", "ListOptions", "",
                   {invalid_value(what, text, "must be a number")});
  return n;
}

status_or<list_request> list_request_of(server_state& state,
                                        const request_info& info) {
  list_request out;
  auto chosen = chosen_by(info);
  if (auto* error = error_in(chosen))
    return *error;
  out.chosen = std::get<selector>(std::move(chosen));
  auto limit = number(info.param("limit"), "limit");
  auto version = number(info.param("resourceVersion"), "resourceVersion");
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
    out.after = m->key;
  }
  return out;
}

std::string encode_as_served(const request_info& info, const stored_object& s) {
  return needs_conversion(*info.type)
             ? to_text(convert_to_served_version(*info.type, s.value))
             : s.text;
}

/// The items of one page, and what is needed to ask for the next.
struct page {
  std::vector<stored_object_ptr> items;
  std::uint64_t resource_version = 0;
  std::string token;
  std::size_t remaining = 0;
};

status_or<page> collect(server_state& state, const request_info& info,
                        const list_request& wanted) {
  page out;
  out.resource_version = wanted.resource_version
                             ? wanted.resource_version
                             : state.objects.resource_version();
  std::string last;
  auto take = [&](const std::string& key, const stored_object_ptr& s) {
    if (!wanted.chosen.matches(s->value))
      return true;
    if (wanted.limit && out.items.size() == wanted.limit) {
      ++out.remaining;
      return true;
    }
    out.items.push_back(s);
    last = key;
    return true;
  };
  if (out.resource_version >= state.objects.resource_version())
    state.objects.for_each(info.type->bucket, info.ns, wanted.after, take);
  else if (!state.objects.for_each_at(out.resource_version, info.type->bucket,
                                      info.ns, wanted.after, take))
    return expired(too_old_page);
  if (out.remaining > 0)
    out.token = encode_continue_token({out.resource_version, last});
  return out;
}

http::response list(server_state& state, const request_info& info) {
  auto wanted = list_request_of(state, info);
  if (auto* error = error_in(wanted))
    return error->to_response();
  auto& want = std::get<list_request>(wanted);
  auto found = collect(state, info, want);
  if (auto* error = error_in(found))
    return error->to_response();
  auto& p = std::get<page>(found);
  json meta{{"resourceVersion", std::to_string(p.resource_version)}};
  if (!p.token.empty()) {
    meta["continue"] = p.token;
    if (want.chosen.empty())
      meta["remainingItemCount"] = p.remaining;
  }
  http::response r;
  if (wants_table(*info.request)) {
    r.body = to_text(make_table(*info.type, p.items, meta, state.now(),
                                *info.request, true));
    return r;
  }
  json head{{"kind", info.type->name.kind + "List"},
            {"apiVersion", info.type->name.api_version()},
            {"metadata", meta}};
  auto partial = wants_metadata(*info.request);
  if (partial)
    head = {{"kind", "PartialObjectMetadataList"},
            {"apiVersion", "meta.k8s.io/v1"},
            {"metadata", meta}};
  append_text(r.body, head);
  r.body.pop_back();
  r.body += ",\"items\":[";
  for (const auto& s : p.items) {
    if (r.body.back() != '[')
      r.body += ',';
    r.body += partial ? to_text(partial_object_metadata(s->value))
                      : encode_as_served(info, *s);
  }
  r.body += "]}\n";
  return r;
}

/// The resourceVersion a watch starts from; nullopt: with what is there now.
status_or<std::optional<std::uint64_t>> start_of(const request_info& info) {
  auto text = info.param("resourceVersion");
  auto n = number(text, "resourceVersion");
  if (auto* error = error_in(n))
    return *error;
  if (text.empty() || text == "0"
      || is_query_flag_set(*info.request, "sendInitialEvents"))
    return std::optional<std::uint64_t>{};
  return std::optional<std::uint64_t>{std::get<0>(n)};
}

watch_request watch_request_for(server_state& state, const request_info& info,
                                selector chosen) {
  watch_request out;
  out.type = info.type;
  out.ns = info.ns;
  out.chosen = std::move(chosen);
  out.bookmarks = is_query_flag_set(*info.request, "allowWatchBookmarks");
  if (auto s = std::strtoll(info.param("timeoutSeconds").c_str(), nullptr, 10))
    out.end = state.now() + std::chrono::seconds{s};
  if (wants_table(*info.request)) {
    auto first = std::make_shared<bool>(true);
    out.render = [&state, type = info.type, from = *info.request,
                  first](const stored_object& s) {
      json meta{{"resourceVersion", std::to_string(s.resource_version)}};
      return to_text(make_table(*type, {std::make_shared<stored_object>(s)},
                                meta, state.now(), from,
                                std::exchange(*first, false)));
    };
  } else if (wants_metadata(*info.request)) {
    out.render = [](const stored_object& s) {
      return to_text(partial_object_metadata(s.value));
    };
  } else if (needs_conversion(*info.type)) {
    out.render = [type = info.type](const stored_object& s) {
      return to_text(convert_to_served_version(*type, s.value));
    };
  }
  return out;
}

void send_present(server_state& state, const request_info& info,
                  watch_broadcaster::watcher& watcher) {
  auto now = state.objects.resource_version();
  std::string lines;
  state.objects.for_each(
      info.type->bucket, info.ns, {}, [&](const auto&, const auto& s) {
        if (watcher.request.chosen.matches(s->value))
          lines += event_line("ADDED", watcher.request.render
                                           ? watcher.request.render(*s)
                                           : s->text);
        return true;
      });
  watcher.request.resource_version = now;
  if (is_query_flag_set(*info.request, "sendInitialEvents")
      && watcher.request.bookmarks)
    lines += bookmark_line(*info.type, now, true);
  if (!lines.empty())
    watcher.callbacks.lines(lines);
}

void end_with(const status_error& why, const http::exchange_ptr& x) {
  auto status = why.to_response().body;
  status.pop_back();
  x->write(event_line("ERROR", status));
  x->finish();
}

} // namespace

std::string encode_object(server_state& state, const request_info& info,
                          const stored_object& s) {
  if (wants_table(*info.request)) {
    json meta{{"resourceVersion", std::to_string(s.resource_version)}};
    return to_text(make_table(*info.type, {std::make_shared<stored_object>(s)},
                              meta, state.now(), *info.request, true));
  }
  if (wants_metadata(*info.request))
    return to_text(partial_object_metadata(s.value));
  return encode_as_served(info, s);
}

http::response read(server_state& state, const request_info& info) {
  if (info.name.empty())
    return list(state, info);
  auto s = state.objects.find(info.type->bucket, info.storage_key());
  if (!s)
    return info.not_found_error().to_response();
  if (!info.subresource.empty()
      && !(info.subresource == "status" && info.type->has_status))
    return path_not_found().to_response();
  http::response r;
  r.body = encode_object(state, info, *s);
  return r;
}

void watch(server_state& state, const request_info& info,
           const http::exchange_ptr& x) {
  auto chosen = chosen_by(info);
  if (auto* error = error_in(chosen))
    return x->reply(error->to_response());
  auto from = start_of(info);
  if (auto* error = error_in(from))
    return x->reply(error->to_response());
  x->start({});
  auto version = std::get<0>(from);
  std::optional<std::vector<change_ptr>> missed;
  if (version) {
    missed = state.objects.changes_after(info.type->bucket, *version);
    if (!missed)
      return end_with(
          expired("too old resource version: " + std::to_string(*version) + " ("
                  + std::to_string(state.objects.resource_version()) + ")"),
          x);
  }
  auto wanted =
      watch_request_for(state, info, std::get<selector>(std::move(chosen)));
  wanted.resource_version = version.value_or(0);
  auto who = state.watches.add_watcher(
      std::move(wanted), {[x](const std::string& lines) { x->write(lines); },
                          [x] { x->finish(); }});
  x->on_disconnect(
      [&state, weak = std::weak_ptr<watch_broadcaster::watcher>(who)] {
        if (auto gone = weak.lock())
          state.watches.remove_watcher(gone);
      });
  if (!version)
    return send_present(state, info, *who);
  for (const auto& m : *missed)
    state.watches.send_change(*who, *m);
}

} // namespace troupe::k8s::apiserver
