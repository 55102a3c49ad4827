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
  b.slot = s.number_of_slot(
      {labels.at(keys.replica_type).get<std::string>(),
       std::stoi(labels.at(keys.replica_index).get<std::string>())});
  constexpr const char* attempt = "training.kubeflow.org/restart-attempt";
  if (labels.contains(attempt))
    b.attempt = std::stoi(labels.at(attempt).get<std::string>());
  b.metadata = meta.dump();
  b.metadata = b.metadata.substr(1, b.metadata.size() - 2);
  return b;
}

std::string status_text(const setting& s, const pod& p) {
  if (p.phase == k8s::pod_phase::pending)
    return R"({"phase":"Pending"})";
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
         + R"(","restartCount":0,"state":)" + state + "}]}";
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
  auto deleted = p.deleting
                     ? R"(,"deletionTimestamp":)"
                           + time_text(time_of_start() + std::chrono::hours{9})
                     : "";
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{)" + p.body->metadata
         + R"(,"uid":")" + uid_of_pod(p.slot(), p.number)
         + R"(","resourceVersion":")" + std::to_string(p.version)
         + R"(","creationTimestamp":)" + time_text(time_of_creation()) + deleted
         + R"(},"spec":{"nodeName":"node"},"status":)" + status_text(s, p)
         + "}";
}

k8s::object_ptr object_of(const setting& s, const pod& p) {
  struct hash {
    std::size_t operator()(const std::array<std::uint64_t, 4>& k) const {
      return ((k[0] * 0x9E3779B97F4A7C15 ^ k[1]) * 0xC2B2AE3D27D4EB4F ^ k[2])
                 * 0x165667B19E3779F9
             ^ k[3];
    }
  };
  static std::unordered_map<std::array<std::uint64_t, 4>, k8s::object_ptr, hash>
      known;
  std::array<std::uint64_t, 4> key{
      reinterpret_cast<std::uintptr_t>(p.body),
      static_cast<std::uint64_t>(p.number), p.version,
      (static_cast<std::uint64_t>(p.exit_code) << 8U)
          + static_cast<std::uint64_t>(p.phase) * 2 + (p.deleting ? 1 : 0)};
  auto& o = known[key];
  if (!o) {
    auto decoded = k8s::decode_object(text_of(s, p), k8s::object_detail::pod);
    if (!decoded)
      throw std::runtime_error(decoded.error().message);
    o = *decoded;
  }
  return o;
}

std::string name_of(const setting& s, const pod& p) {
  auto at = s.slots()[static_cast<std::size_t>(p.slot())];
  return core::to_string(at) + "#" + std::to_string(p.number);
}

} // namespace troupe::exploration
