#include "tests/exploration/pods.hpp"

#include "frameworks/core/model/labels.hpp"
#include "k8s/codec/codec.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <unordered_map>

namespace troupe::exploration {

using nlohmann::json;

namespace {

std::string quoted(const std::string& s) {
  return "\"" + s + "\"";
}

std::string time_text(k8s::time_point t) {
  return quoted(k8s::to_rfc3339(t));
}

pod_body decode_pod_body(const setting& s, const json& whole) {
  const auto& meta = whole.at("metadata");
  const auto& labels = meta.at("labels");
  const auto& keys = s.row().names.labels;
  pod_body b;
  const auto index = labels.find(keys.replica_index); // A launcher has none.
  b.slot = s.number_of_place(
      whole.at("kind") == "Service" ? core::child_kind::service
                                    : core::child_kind::pod,
      {labels.at(keys.replica_type).get<std::string>(),
       index == labels.end() ? 0 : std::stoi(index->get<std::string>())});
  constexpr const char* attempt = "training.kubeflow.org/restart-attempt";
  if (labels.contains(attempt))
    b.attempt = std::stoi(labels.at(attempt).get<std::string>());
  b.metadata = meta.dump();
  b.metadata = b.metadata.substr(1, b.metadata.size() - 2);
  return b;
}

/// What a node's controller writes.
std::string conditions_text(const pod& p, bool with_ready = false) {
  std::string list;
  if (p.silent_since != k8s::time_point{})
    list = R"({"type":"Ready","status":"False","reason":"NodeNotReady",)"
           R"("lastTransitionTime":)"
           + time_text(p.silent_since) + "}";
  if (p.evicted)
    list += std::string{list.empty() ? "" : ","}
            + R"({"type":"DisruptionTarget","status":"True",)"
              R"("reason":"DeletionByTaintManager"})";
  if (with_ready)
    list += std::string{list.empty() ? "" : ","}
            + R"({"type":"ContainersReady","status":"True"})";
  return list.empty() ? "" : R"(,"conditions":[)" + list + "]";
}

std::string status_text(const setting& s, const pod& p) {
  if (p.phase == k8s::pod_phase::pending)
    return R"({"phase":"Pending")" + conditions_text(p) + "}";
  std::string state =
      R"({"running":{"startedAt":)" + time_text(time_of_creation()) + "}}";
  if (p.has_ended())
    state = R"({"terminated":{"exitCode":)" + std::to_string(p.exit_code)
            + R"(,"reason":"Error","startedAt":)"
            + time_text(time_of_creation()) + R"(,"finishedAt":)"
            + time_text(time_of_creation() + std::chrono::hours{1}) + "}}";
  return R"({"phase":")" + std::string{k8s::to_string(p.phase)}
         + R"(","startTime":)" + time_text(time_of_creation())
         + R"(,"containerStatuses":[{"name":")" + s.row().pods.container
         + R"(","restartCount":0,"state":)" + state + "}]"
         + conditions_text(p, s.is_queued() && !p.has_ended()) + "}";
}

} // namespace

const pod_body* read_pod_body(const setting& s, const std::string& text) {
  // One setting at a time is explored in a process.
  static std::unordered_map<std::string, std::unique_ptr<pod_body>> known;
  auto& body = known[s.name + text];
  if (!body)
    body = std::make_unique<pod_body>(decode_pod_body(s, json::parse(text)));
  return body.get();
}

std::string text_of(const setting& s, const pod& p) {
  auto leaves_by = p.leaves_by == k8s::time_point{}
                       ? time_of_start() + std::chrono::hours{9}
                       : p.leaves_by;
  auto deleted =
      p.deleting ? R"(,"deletionTimestamp":)" + time_text(leaves_by) : "";
  const auto& name = s.places().names[static_cast<std::size_t>(p.slot())];
  return R"({"apiVersion":"v1","kind":")"
         + std::string{s.is_service(p.slot()) ? "Service" : "Pod"}
         + R"(","metadata":{)" + p.body->metadata + R"(,"uid":")"
         + uid_of_pod(p.slot(), p.number) + R"(","resourceVersion":")"
         + std::to_string(p.version) + R"(","creationTimestamp":)"
         + time_text(time_of_creation()) + deleted + R"(},"spec":{"nodeName":")"
         + name_of_node(name, p.spare) + R"("},"status":)" + status_text(s, p)
         + "}";
}

k8s::object_ptr object_of(const setting& s, const pod& p) {
  using key = std::array<std::uint64_t, 6>;
  struct hash {
    std::size_t operator()(const key& k) const {
      std::size_t n = 0;
      for (auto part : k)
        n = (n ^ (n >> 29U) ^ part) * 0x9E3779B97F4A7C15;
      return n;
    }
  };
  auto ticks = [](k8s::time_point t) {
    return static_cast<std::uint64_t>(t.time_since_epoch().count());
  };
  static std::unordered_map<key, k8s::object_ptr, hash> known;
  auto& o = known[{reinterpret_cast<std::uintptr_t>(p.body),
                   static_cast<std::uint64_t>(p.number), p.version,
                   (static_cast<std::uint64_t>(p.exit_code) << 8U)
                       + static_cast<std::uint64_t>(p.phase) * 8
                       + (p.deleting ? 1U : 0U) + (p.spare ? 2U : 0U)
                       + (p.evicted ? 4U : 0U),
                   ticks(p.silent_since), ticks(p.leaves_by)}];
  if (!o) {
    auto decoded = k8s::decode_object(
        text_of(s, p), s.is_service(p.slot()) ? core::reconcile_detail_of(
                           core::child_kind::service)
                                              : k8s::object_detail::pod);
    if (!decoded)
      throw std::runtime_error(decoded.error().message);
    o = *decoded;
  }
  return o;
}

std::string name_of(const setting& s, const pod& p) {
  return (s.is_service(p.slot()) ? "service " : "")
         + core::to_string(s.slot_at(p.slot())) + "#"
         + std::to_string(p.number);
}

} // namespace troupe::exploration
