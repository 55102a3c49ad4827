#pragma once

#include "tests/k8s/apiserver/server_fixture.hpp"

namespace troupe::k8s::apiserver {

inline const std::string batch_jobs = "/apis/batch/v1/namespaces/default/jobs";

/// A Job of one pod that is not restarted in place; `spec` is merged into its
/// spec.
inline json batch_job(const std::string& name, json spec = json::object()) {
  auto out = json::parse(R"({"apiVersion":"batch/v1","kind":"Job","spec":{
    "template":{"spec":{"restartPolicy":"Never",
                        "containers":[{"name":"main","image":"busybox"}]}}}})");
  out["metadata"]["name"] = name;
  out["spec"].merge_patch(spec);
  return out;
}

/// An API server that runs Jobs, with the test in the place of the node.
struct job_fixture : server_fixture {
  using server_fixture::server_fixture;

  /// Until there is nothing to do before the time goes on.
  void settle() {
    for (int i = 0; i < 200; ++i) {
      auto next = core.run_jobs();
      if (core.collect_garbage() == 0 && !(next && *next <= now))
        return;
    }
    BOOST_ERROR("the controller does not come to rest");
  }

  void pass(std::chrono::milliseconds time) {
    now += time;
    settle();
  }

  /// The pods of a Job that have not ended, or all of them.
  std::vector<json> pods_of(const std::string& job, bool with_ended = false) {
    std::vector<json> out;
    auto all = get(pods + "?labelSelector=job-name=" + job);
    for (const auto& pod : all["/items"]) {
      const auto& phase = text_at(pod, {"status", "phase"});
      if (with_ended || (phase != "Succeeded" && phase != "Failed"))
        out.push_back(pod);
    }
    return out;
  }

  void set_pod_status(const json& pod, json status) {
    auto path = pods + "/" + text_at(pod, {"metadata", "name"}) + "/status";
    auto done = call("PATCH", path, {{"status", std::move(status)}},
                     "application/merge-patch+json");
    BOOST_TEST(done.status == 200, done.message());
  }

  /// Lets all pods of the Job that run end with this code.
  void end_pods(const std::string& job, int code) {
    for (const auto& pod : pods_of(job))
      set_pod_status(
          pod,
          {{"phase", code == 0 ? "Succeeded" : "Failed"},
           {"containerStatuses",
            {{{"name", "main"},
              {"state",
               {{"terminated",
                 {{"exitCode", code}, {"finishedAt", to_rfc3339(now)}}}}}}}}});
    settle();
  }

  json status_of(const std::string& job) {
    return get(batch_jobs + "/" + job)["/status"];
  }

  /// "SuccessCriteriaMet Complete", and "-" before those that are False.
  std::string conditions_of(const std::string& job) {
    std::string out;
    auto status = status_of(job);
    for (const auto& c : array_at(status, {"conditions"}))
      out += (out.empty() ? "" : " ")
             + std::string(text_at(c, {"status"}) == "True" ? "" : "-")
             + text_at(c, {"type"});
    return out;
  }

  /// The reasons of the events about the Job, in their order.
  std::vector<std::string> events_of(const std::string& job) {
    std::vector<std::string> out;
    auto all = get("/api/v1/namespaces/default/events?fieldSelector="
                   "involvedObject.kind=Job,involvedObject.name="
                   + job);
    for (const auto& e : all["/items"])
      out.push_back(text_at(e, {"reason"}));
    std::sort(out.begin(), out.end());
    return out;
  }
};

} // namespace troupe::k8s::apiserver
