#include "tests/exploration/queue/workloads.hpp"

#include "k8s/codec/codec.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace troupe::exploration {

using nlohmann::json;

namespace {

constexpr const char* finalizer = "kueue.x-k8s.io/resource-in-use";

bool holds(const json& object, const char* type) {
  for (const auto& c : object["status"]["conditions"])
    if (c["type"] == type)
      return c["status"] == "True";
  return false;
}

bool waits_for_requeue(const json& object) {
  for (const auto& c : object["status"]["conditions"])
    if (c["type"] == "Requeued")
      return c["status"] == "False";
  return false;
}

void normalise(json& object) {
  for (const char* made : {"uid", "resourceVersion", "generation",
                           "creationTimestamp", "deletionTimestamp"})
    object["metadata"].erase(made);
  auto& status = object["status"];
  if (!status.is_object())
    status = json::object();
  status.erase("accumulatedPastExecutionTimeSeconds");
  auto& all = status["conditions"];
  if (!all.is_array())
    all = json::array();
  for (auto& c : all)
    c = {{"type", c["type"]}, {"status", c["status"]}, {"reason", c["reason"]}};
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a["type"] < b["type"]; });
}

void set(json& object, const char* type, bool is_true, const char* reason) {
  json wanted{{"type", type},
              {"status", is_true ? "True" : "False"},
              {"reason", reason}};
  auto& all = object["status"]["conditions"];
  for (auto& c : all)
    if (c["type"] == type) {
      c = std::move(wanted);
      return;
    }
  all.push_back(std::move(wanted));
}

void reserve(json& object) {
  auto grants = json::array();
  for (const auto& one : object["spec"]["podSets"])
    grants.push_back({{"name", one["name"]},
                      {"count", one["count"]},
                      {"flavors", {{"cpu", "f"}}}});
  object["status"]["admission"] = {{"clusterQueue", "cq"},
                                   {"podSetAssignments", std::move(grants)}};
  set(object, "QuotaReserved", true, "QuotaReserved");
  if (holds(object, "Evicted"))
    set(object, "Evicted", false, "QuotaReserved");
}

void change(json& object, workload_change what) {
  switch (what) {
  case workload_change::reserve:
    reserve(object);
    object["status"]["admissionChecks"] =
        json::array({{{"name", "check"}, {"state", "Pending"}}});
    return;
  case workload_change::reserve_and_admit:
    reserve(object);
    [[fallthrough]];
  case workload_change::admit:
    object["status"].erase("admissionChecks");
    return set(object, "Admitted", true, "Admitted");
  case workload_change::preempt:
    return set(object, "Evicted", true, "Preempted");
  case workload_change::time_out:
    return set(object, "Evicted", true, "PodsReadyTimeout");
  case workload_change::evict_inactive:
    return set(object, "Evicted", true, "Deactivated");
  case workload_change::requeue:
    return set(object, "Requeued", true, "BackoffFinished");
  case workload_change::deactivate:
  case workload_change::activate:
    object["spec"]["active"] = what == workload_change::activate;
    return;
  }
}

json json_of(const workload_body& b) {
  return json::parse(R"({"metadata":{)" + b.metadata + "}," + b.rest + "}");
}

std::string without_braces(const json& object) {
  auto text = object.dump();
  return text.substr(1, text.size() - 2);
}

} // namespace

const workload_body* read_workload_body(json object) {
  normalise(object);
  static std::unordered_map<std::string, std::unique_ptr<workload_body>> known;
  auto& body = known[object.dump()];
  if (body)
    return body.get();
  body = std::make_unique<workload_body>();
  body->number = static_cast<int>(known.size());
  body->active = object["spec"].value("active", true);
  const auto finalizers = object["metadata"].value("finalizers", json::array());
  body->guarded = std::find(finalizers.begin(), finalizers.end(), finalizer)
                  != finalizers.end();
  body->reserved = holds(object, "QuotaReserved");
  body->admitted = holds(object, "Admitted");
  body->evicted = holds(object, "Evicted");
  body->finished = holds(object, "Finished");
  body->backs_off = waits_for_requeue(object);
  body->metadata = without_braces(object["metadata"]);
  object.erase("metadata");
  body->rest = without_braces(object);
  return body.get();
}

const workload_body* with(const workload_body& before, workload_change what) {
  static std::map<std::pair<int, workload_change>, const workload_body*> known;
  auto& after = known[{before.number, what}];
  if (!after) {
    auto object = json_of(before);
    change(object, what);
    after = read_workload_body(std::move(object));
  }
  return after;
}

std::string text_of(const setting& s, const workload& w) {
  auto time = "\"" + k8s::to_rfc3339(time_of_creation()) + "\"";
  return R"({"metadata":{)" + w.body->metadata + R"(,"uid":")"
         + uid_of_pod(s.workload_place(), w.number) + R"(","resourceVersion":")"
         + std::to_string(w.version) + R"(","creationTimestamp":)" + time
         + (w.deleting ? R"(,"deletionTimestamp":)" + time : "") + "},"
         + w.body->rest + "}";
}

k8s::object_ptr object_of(const setting& s, const workload& w) {
  using key = std::tuple<int, int, std::uint64_t, bool>;
  static std::map<key, k8s::object_ptr> known;
  auto& o = known[{w.body->number, w.number, w.version, w.deleting}];
  if (!o) {
    auto decoded = k8s::decode_object(text_of(s, w), k8s::object_detail::full);
    if (!decoded)
      throw std::runtime_error(decoded.error().message);
    o = *decoded;
  }
  return o;
}

} // namespace troupe::exploration
