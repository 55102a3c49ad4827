#pragma once

#include "k8s/api.hpp"

#include <optional>

namespace troupe::k8s {

// Every REST path and body shape, as functions (no I/O). Arguments are
// percent-encoded here and nowhere else.

/// Names one object.
struct object_ref {
  resource type;
  std::string ns; ///< "" for cluster-scoped ones.
  std::string name;
};

/// Names the objects of a list or a watch.
struct selection {
  resource type;
  std::string ns; ///< "" means all namespaces.
  std::string label_selector;
  std::string field_selector;
};

request get(const object_ref& o);
/// `continue_token` is "" for the first page; `limit` 0 means no paging.
request list(const selection& s, int limit, const std::string& continue_token);
/// Lists the one object of that name, or none. A role that grants `list` and
/// not `get` allows it.
request list_by_name(const object_ref& o);
/// Resumes after `resource_version`, asks for bookmarks, and asks the server to
/// end the stream cleanly after `server_limit`.
request watch(const selection& s, std::uint64_t resource_version,
              std::chrono::seconds server_limit);
request create(const resource& type, const std::string& ns, std::string body);
request update(const object_ref& o, std::string body);
request update_status(const object_ref& o, std::string body);
/// A JSON patch (an array of operations) of /status. A PUT there would also
/// take away the field ownership of all metadata that it leaves out.
request patch_status(const object_ref& o, std::string operations);
/// The same of the object itself.
request json_patch(const object_ref& o, std::string operations);
request merge_patch(const object_ref& o, std::string body);
/// As merge_patch, except that lists like ownerReferences are merged by their
/// keys.
request strategic_patch(const object_ref& o, std::string body);
/// Deletes, with propagationPolicy Background, only if the object still has
/// `uid` ("" means any). `grace` is in seconds; nullopt means the object's own.
request remove(const object_ref& o, const std::string& uid,
               std::optional<int> grace = std::nullopt);

/// The same request with an Accept header that asks for no more than `keep`
/// needs, in the format that is cheapest for both sides: pods and
/// object_detail::metadata in protobuf, the latter as metadata only. A server
/// that has neither answers as it would without the header; the codec reads all
/// formats. For lists, watches and calls that are answered with one object; not
/// for removals, whose answers differ.
request with_accept_header(object_detail keep, request r);

/// The log of a container's latest run, or of the run before (`previous`); with
/// `follow` also what it writes later.
struct log_selection {
  object_ref pod;
  std::string container;
  /// How many of the lines written so far; nullopt: all.
  std::optional<int> last_lines = 0;
  bool follow = false;
  bool previous = false;
  bool timestamps = false; ///< Each line begins with its time.
  /// Only lines from this second on.
  std::optional<time_point> since = std::nullopt;
};
/// A watch whose bytes are the log.
request read_log(const log_selection& s);

/// Asks whether the server is ready to serve; everybody may ask.
request get_readyz();

inline constexpr char protobuf_media_type[] =
    "application/vnd.kubernetes.protobuf";

/// The built-in resources that this program uses. (Inline, so that they are
/// initialized before any constant that is made from them.)
namespace resources {
inline const resource pods{"", "v1", "pods", "Pod"};
inline const resource services{"", "v1", "services", "Service"};
inline const resource nodes{"", "v1", "nodes", "Node"};
inline const resource events{"", "v1", "events", "Event"};
inline const resource leases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline const resource secrets{"", "v1", "secrets", "Secret"};
inline const resource custom_resource_definitions{"apiextensions.k8s.io", "v1",
                                                  "customresourcedefinitions",
                                                  "CustomResourceDefinition"};
inline const resource validating_webhook_configurations{
    "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration"};
inline const resource mutating_webhook_configurations{
    "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
    "MutatingWebhookConfiguration"};
} // namespace resources

} // namespace troupe::k8s
