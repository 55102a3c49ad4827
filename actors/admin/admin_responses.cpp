#include "actors/admin/admin_responses.hpp"

#include "k8s/json.hpp"

namespace troupe::actors {

using nlohmann::json;

namespace {

json to_json(const job_row& r, k8s::time_point now) {
  using seconds = std::chrono::seconds;
  json out{{"kind", r.job->kind->names.type.kind},
           {"namespace", r.job->ns},
           {"name", r.job->name},
           {"uid", r.job->uid},
           {"created", k8s::to_rfc3339(r.created)},
           {"ageSeconds",
            std::chrono::duration_cast<seconds>(now - r.created).count()},
           {"state", r.state},
           {"summary", r.summary},
           {"finished", r.finished},
           {"replicas", r.replicas},
           {"running", r.running},
           {"succeeded", r.succeeded},
           {"failed", r.failed}};
  if (r.attempt > 0) {
    out["attempt"] = r.attempt;
    out["restartReason"] = r.restart_reason;
  }
  if (r.percent)
    out["percent"] = *r.percent;
  return out;
}

void collect_watcher_reports(const json& tree, json& found) {
  if (k8s::text_at(tree, {"actor"}) == "watcher")
    found.push_back(tree);
  for (const auto& child : k8s::array_at(tree, {"children"}))
    collect_watcher_reports(child, found);
}

} // namespace

k8s::http::response make_admin_response(int status, std::string content_type,
                                        std::string body) {
  k8s::http::response r;
  r.status = status;
  r.content_type = std::move(content_type);
  r.body = std::move(body);
  r.headers = {{"Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; "
                "connect-src 'self'; img-src 'self'; base-uri 'none'; "
                "form-action 'none'; frame-ancestors 'none'"},
               {"Cross-Origin-Resource-Policy", "same-origin"},
               {"X-Content-Type-Options", "nosniff"},
               {"Referrer-Policy", "no-referrer"},
               {"Cache-Control", "no-store"}};
  return r;
}

k8s::http::response make_json_response(int status, const json& body) {
  return make_admin_response(status, "application/json",
                             k8s::to_indented_text(body) + "\n");
}

k8s::http::response make_error_response(int status, const std::string& why) {
  return make_json_response(status, {{"error", why}});
}

k8s::http::response
make_method_not_allowed_response(const std::string& allowed) {
  auto r = make_error_response(405, "the methods of this path are " + allowed);
  r.headers["Allow"] = allowed;
  return r;
}

k8s::http::response make_stream_head() {
  auto head = make_admin_response(200, "text/event-stream", ": open\n\n");
  head.headers["X-Accel-Buffering"] = "no"; // For proxies that buffer.
  return head;
}

std::string format_stream_event(const char* name, const json& data) {
  // Minified JSON has no line breaks.
  return std::string{"event: "} + name + "\ndata: " + k8s::to_text(data)
         + "\n\n";
}

std::optional<k8s::http::response>
cross_site_rejection(const k8s::http::request& q) {
  const auto& site = q.header("sec-fetch-site");
  bool link = q.header("sec-fetch-mode") == "navigate" && q.method == "GET"
              && q.header("sec-fetch-dest") == "document";
  if (site.empty() || site == "same-origin" || site == "none" || link)
    return std::nullopt;
  return make_error_response(403,
                             "a page of another site may not use this server");
}

json to_json(const job_changes& changes, k8s::time_point now) {
  auto rows = json::array();
  for (const auto& r : changes.rows)
    rows.push_back(to_json(r, now));
  json out{{"at", k8s::to_rfc3339(now)},
           {"revision", changes.revision},
           {"jobs", std::move(rows)}};
  if (!changes.complete)
    out["removed"] = changes.removed;
  return out;
}

json watcher_reports_in(const json& tree) {
  auto found = json::array();
  collect_watcher_reports(tree, found);
  return {{"at", k8s::text_at(tree, {"at"})}, {"watchers", std::move(found)}};
}

} // namespace troupe::actors
