#include "k8s/apiserver/paging.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/tables.hpp"

#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* too_old_page =
    "The provided continue parameter is too old to display a consistent list "
    "result. You can start a new list without the continue parameter.";

outcome<selector> chosen_by(const call& c) {
  selector out;
  auto labels = parse_labels(c.param("labelSelector"));
  if (auto* no = error_in(labels))
    return *no;
  auto where = c.type->name.api_version() + ", Resource=" + c.type->name.plural;
  if (c.type->name.group.empty())
    where = "/" + where;
  auto fields = parse_fields(c.param("fieldSelector"), c.type->fields, where);
  if (auto* no = error_in(fields))
    return *no;
  out.labels = std::get<0>(std::move(labels));
  out.fields = std::get<0>(std::move(fields));
  // A watch or list of "one object" by its path.
  if (!c.name.empty())
    out.fields.push_back({"metadata.name", requirement::op::in, {c.name}});
  return out;
}

/// What a list request asks for.
struct list_request {
  selector chosen;
  std::uint64_t version = 0; ///< 0: as things are now.
  std::string after;
  std::size_t limit = 0; ///< 0: all.
};

outcome<std::uint64_t> number(const std::string& text, const char* what) {
  std::uint64_t n = 0;
  auto end = text.data() + text.size();
  auto [stop, e] = std::from_chars(text.data(), end, n);
  if (!text.empty() && (e != std::errc{} || stop != end))
    return invalid("meta.k8s.io", "ListOptions", "",
                   {wrong_value(what, text, "must be a number")});
  return n;
}

outcome<list_request> list_request_of(server_state& w, const call& c) {
  list_request out;
  auto chosen = chosen_by(c);
  if (auto* no = error_in(chosen))
    return *no;
  out.chosen = std::get<selector>(std::move(chosen));
  auto limit = number(c.param("limit"), "limit");
  auto version = number(c.param("resourceVersion"), "resourceVersion");
  if (auto* no = error_in(limit))
    return *no;
  if (auto* no = error_in(version))
    return *no;
  out.limit = std::get<0>(limit);
  if (c.param("resourceVersionMatch") == "Exact")
    out.version = std::get<0>(version);
  if (std::get<0>(version) > w.objects.version()) {
    status_error r{504, "Timeout",
                   "Too large resource version: " + c.param("resourceVersion")
                       + ", current: " + std::to_string(w.objects.version())};
    r.details = {
        {"retryAfterSeconds", 1},
        {"causes", json::array({{{"reason", "ResourceVersionTooLarge"},
                                 {"message", "Too large resource version"}}})}};
    return r;
  }
  if (auto token = c.param("continue"); !token.empty()) {
    auto m = from_token(token);
    if (!m)
      return bad_request("continue key is not valid");
    out.version = m->version;
    out.after = m->key;
  }
  return out;
}

std::string text_for(server_state& w, const call& c, const stored& s) {
  (void)w;
  return needs_conversion(*c.type) ? to_text(as_served(*c.type, s.value))
                                   : s.text;
}

/// The items of one page, and what is needed to ask for the next.
struct page {
  std::vector<stored_ptr> items;
  std::uint64_t version = 0;
  std::string token;
  std::size_t remaining = 0;
};

outcome<page> collect(server_state& w, const call& c,
                      const list_request& wanted) {
  page out;
  out.version = wanted.version ? wanted.version : w.objects.version();
  std::string last;
  auto take = [&](const std::string& key, const stored_ptr& s) {
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
  if (out.version >= w.objects.version())
    w.objects.scan(c.type->bucket, c.ns, wanted.after, take);
  else if (!w.objects.scan_at(out.version, c.type->bucket, c.ns, wanted.after,
                              take))
    return expired(too_old_page);
  if (out.remaining > 0)
    out.token = to_token({out.version, last});
  return out;
}

http::response list(server_state& w, const call& c) {
  auto wanted = list_request_of(w, c);
  if (auto* no = error_in(wanted))
    return no->to_response();
  auto& want = std::get<list_request>(wanted);
  auto found = collect(w, c, want);
  if (auto* no = error_in(found))
    return no->to_response();
  auto& p = std::get<page>(found);
  json meta{{"resourceVersion", std::to_string(p.version)}};
  if (!p.token.empty()) {
    meta["continue"] = p.token;
    if (want.chosen.empty())
      meta["remainingItemCount"] = p.remaining;
  }
  http::response r;
  if (wants_table(*c.from)) {
    r.body = to_text(table_of(*c.type, p.items, meta, w.now(), *c.from, true));
    return r;
  }
  json head{{"kind", c.type->name.kind + "List"},
            {"apiVersion", c.type->name.api_version()},
            {"metadata", meta}};
  auto partial = wants_metadata(*c.from);
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
    r.body += partial ? to_text(metadata_of(s->value)) : text_for(w, c, *s);
  }
  r.body += "]}\n";
  return r;
}

/// The resourceVersion a watch starts from; nullopt: with what is there now.
outcome<std::optional<std::uint64_t>> start_of(const call& c) {
  auto text = c.param("resourceVersion");
  auto n = number(text, "resourceVersion");
  if (auto* no = error_in(n))
    return *no;
  if (text.empty() || text == "0" || is_on(*c.from, "sendInitialEvents"))
    return std::optional<std::uint64_t>{};
  return std::optional<std::uint64_t>{std::get<0>(n)};
}

watch_request watch_request_for(server_state& w, const call& c,
                                selector chosen) {
  watch_request out;
  out.type = c.type;
  out.ns = c.ns;
  out.chosen = std::move(chosen);
  out.bookmarks = is_on(*c.from, "allowWatchBookmarks");
  if (auto s = std::strtoll(c.param("timeoutSeconds").c_str(), nullptr, 10))
    out.end = w.now() + std::chrono::seconds{s};
  if (wants_table(*c.from)) {
    auto first = std::make_shared<bool>(true);
    out.render = [&w, type = c.type, from = *c.from, first](const stored& s) {
      json meta{{"resourceVersion", std::to_string(s.version)}};
      return to_text(table_of(*type, {std::make_shared<stored>(s)}, meta,
                              w.now(), from, std::exchange(*first, false)));
    };
  } else if (wants_metadata(*c.from)) {
    out.render = [](const stored& s) { return to_text(metadata_of(s.value)); };
  } else if (needs_conversion(*c.type)) {
    out.render = [type = c.type](const stored& s) {
      return to_text(as_served(*type, s.value));
    };
  }
  return out;
}

void send_present(server_state& w, const call& c, watch_hub::watcher& watcher) {
  auto now = w.objects.version();
  std::string lines;
  w.objects.scan(c.type->bucket, c.ns, {}, [&](const auto&, const auto& s) {
    if (watcher.request.chosen.matches(s->value))
      lines += event_line("ADDED", watcher.request.render
                                       ? watcher.request.render(*s)
                                       : s->text);
    return true;
  });
  watcher.request.version = now;
  if (is_on(*c.from, "sendInitialEvents") && watcher.request.bookmarks)
    lines += bookmark_line(*c.type, now, true);
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

std::string render(server_state& w, const call& c, const stored& s) {
  if (wants_table(*c.from)) {
    json meta{{"resourceVersion", std::to_string(s.version)}};
    return to_text(table_of(*c.type, {std::make_shared<stored>(s)}, meta,
                            w.now(), *c.from, true));
  }
  if (wants_metadata(*c.from))
    return to_text(metadata_of(s.value));
  return text_for(w, c, s);
}

http::response read(server_state& w, const call& c) {
  if (c.name.empty())
    return list(w, c);
  auto s = w.objects.find(c.type->bucket, c.key());
  if (!s)
    return c.missing().to_response();
  if (!c.sub.empty() && !(c.sub == "status" && c.type->has_status))
    return no_such_path().to_response();
  http::response r;
  r.body = render(w, c, *s);
  return r;
}

void watch(server_state& w, const call& c, const http::exchange_ptr& x) {
  auto chosen = chosen_by(c);
  if (auto* no = error_in(chosen))
    return x->reply(no->to_response());
  auto from = start_of(c);
  if (auto* no = error_in(from))
    return x->reply(no->to_response());
  x->start({});
  auto version = std::get<0>(from);
  std::optional<std::vector<change_ptr>> missed;
  if (version) {
    missed = w.objects.changes_after(c.type->bucket, *version);
    if (!missed)
      return end_with(
          expired("too old resource version: " + std::to_string(*version) + " ("
                  + std::to_string(w.objects.version()) + ")"),
          x);
  }
  auto wanted = watch_request_for(w, c, std::get<selector>(std::move(chosen)));
  wanted.version = version.value_or(0);
  auto who = w.hub.open(std::move(wanted),
                        {[x](const std::string& lines) { x->write(lines); },
                         [x] { x->finish(); }});
  x->on_disconnect([&w, weak = std::weak_ptr<watch_hub::watcher>(who)] {
    if (auto gone = weak.lock())
      w.hub.close(gone);
  });
  if (!version)
    return send_present(w, c, *who);
  for (const auto& m : *missed)
    w.hub.send(*who, *m);
}

} // namespace troupe::k8s::apiserver
