#pragma once

#include "actors/admin/job_table.hpp"
#include "k8s/http/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace troupe::actors {

// The responses of the admin endpoint. Pure.

/// A response whose headers restrict browsers: no other site may show or embed
/// it, and it loads only our own files.
k8s::http::response make_admin_response(int status, std::string content_type,
                                        std::string body);
k8s::http::response make_json_response(int status, const nlohmann::json& body);
/// {"error": why}
k8s::http::response make_error_response(int status, const std::string& why);

/// 405; `allowed` is the value of Allow.
k8s::http::response
make_method_not_allowed_response(const std::string& allowed);

/// The head of a response that is a stream of server-sent events, and one event
/// of it.
k8s::http::response make_stream_head();
std::string format_stream_event(const char* name, const nlohmann::json& data);
/// A comment, so that both sides notice a dead connection.
inline constexpr char stream_heartbeat[] = ": alive\n\n";

/// The response to a request that a page of another site sent, as the browser
/// says (Sec-Fetch-Site); nullopt for any other request. A link from such a
/// page to ours may be followed.
std::optional<k8s::http::response>
cross_site_rejection(const k8s::http::request& q);

/// The rows of a list of jobs, with the fields that a stream needs for changes.
nlohmann::json to_json(const job_changes& changes, k8s::time_point now);

/// The reports of all watchers in a tree of actors: {"at": the tree's time,
/// "watchers": [...]}.
nlohmann::json watcher_reports_in(const nlohmann::json& tree);

} // namespace troupe::actors
