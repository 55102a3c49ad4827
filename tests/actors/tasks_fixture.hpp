#pragma once

#include "tests/actors/cluster_fixture.hpp"
#include "tests/frameworks/di/tasks/tasks_fixture.hpp"

namespace troupe::fixtures {

/// A cluster with a DIJob of tasks, "ns/cp": a learner and two collectors.
struct tasks_fixture : cluster_fixture {
  static json manifest(const json& spec = tasks_spec()) {
    auto job = manifest_of("DIJob", spec, "cp");
    job["apiVersion"] = "diengine.opendilab.org/v2alpha1";
    return job;
  }

  void make_job(const json& spec = tasks_spec()) {
    make("dijobs", manifest(spec));
  }

  json status() { return get("dijobs", "cp").value("status", json::object()); }
  std::string phase() { return status().value("phase", ""); }

  std::vector<std::string> names(const std::string& plural) {
    std::vector<std::string> result;
    for (const auto& [key, o] : api->all(plural))
      result.push_back(o["metadata"]["name"]);
    return result;
  }

  void set_ready(const std::string& pod) {
    change("pods", pod, [](json& p) {
      json container{{"name", "di-container"},
                     {"restartCount", 0},
                     {"state", {{"running", json::object()}}}};
      p["status"] = {
          {"phase", "Running"},
          {"containerStatuses", {container}},
          {"conditions", {{{"type", "ContainersReady"}, {"status", "True"}}}}};
    });
  }

  /// `reason` is why its node did not run it, "" if it did.
  void fail(const std::string& pod, int exit_code, const std::string& reason) {
    change("pods", pod, [&](json& p) {
      json container{{"name", "di-container"},
                     {"restartCount", 0},
                     {"state", {{"terminated", {{"exitCode", exit_code}}}}}};
      p["status"] = {{"phase", "Failed"}, {"containerStatuses", {container}}};
      if (!reason.empty())
        p["status"]["reason"] = reason;
    });
  }

  /// All pods that have not ended.
  void all_ready() {
    for (const auto& pod : names("pods"))
      if (auto phase = get("pods", pod).value("/status/phase"_json_pointer, "");
          phase != "Failed" && phase != "Succeeded")
        set_ready(pod);
    op.advance(std::chrono::seconds{1});
  }

  std::size_t events_with(const std::string& message) {
    op.advance(std::chrono::seconds{1}); // Events go last.
    std::size_t n = 0;
    for (const auto& [key, e] : api->all("events"))
      n += e["message"] == message && e["source"]["component"] == "di-operator";
    return n;
  }

  json report() { return op.request_report("DIJob", "cp"); }
  std::string summary() { return report().value("summary", ""); }
  std::string waits_for() {
    return k8s::text_at(report(), {"waitingFor", "text"});
  }
};

} // namespace troupe::fixtures
