#pragma once

#include "tests/fixtures/stage.hpp"

namespace troupe::fixtures {

inline json replica(int count, const char* container) {
  return {
      {"replicas", count},
      {"template",
       {{"spec", {{"containers", {{{"name", container}, {"image", "i"}}}}}}}}};
}

inline json job_of(const char* kind, json spec, const char* name = "job") {
  return {{"apiVersion", "kubeflow.org/v1"},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "ns"}}},
          {"spec", std::move(spec)}};
}

inline std::shared_ptr<actors::tuning> scheduled_by(core::gang how) {
  auto sizes = std::make_shared<actors::tuning>();
  sizes->cluster.scheduling = how;
  sizes->cluster.gang_scheduler = "volcano";
  return sizes;
}

/// A cluster with the operator at work, and words to tell a story with.
struct story {
  std::shared_ptr<fake_api> api = std::make_shared<fake_api>();
  stage on;

  explicit story(core::gang how = core::gang::none)
      : on(api, scheduled_by(how)) {
    on.begin();
    on.settle();
  }

  void make(const char* plural, json job) {
    api->create(plural, std::move(job));
    on.settle();
  }

  void change(const char* plural, const std::string& name,
              const std::function<void(json&)>& how) {
    api->change(plural, "ns/" + name, how);
    on.settle();
  }

  void set_pod(const std::string& name, const char* phase, int exit_code = 0) {
    change("pods", name, [&](json& p) {
      json state;
      if (std::string{phase} == "Running")
        state["running"] = json::object();
      else
        state["terminated"] = {{"exitCode", exit_code}};
      auto box = p["spec"]["containers"][0]["name"];
      p["status"] = {
          {"phase", phase},
          {"containerStatuses",
           {{{"name", box}, {"restartCount", 0}, {"state", state}}}}};
    });
  }

  void all_pods(const char* phase) {
    std::vector<std::string> names;
    for (const auto& [key, p] : api->all("pods"))
      names.push_back(p["metadata"]["name"]);
    for (const auto& n : names)
      set_pod(n, phase);
  }

  std::size_t count(const std::string& plural) {
    return api->all(plural).size();
  }

  const json& get(const std::string& plural, const std::string& name) {
    const auto* found = api->find(plural, "ns/" + name);
    if (!found)
      throw std::runtime_error("there is no " + plural + " " + name);
    return *found;
  }

  /// How often it was told.
  std::size_t events(const std::string& reason) {
    on.advance(std::chrono::seconds{1}); // Events go when the work is done.
    std::size_t n = 0;
    for (const auto& [key, e] : api->all("events"))
      if (e["reason"] == reason)
        n += e.value("count", std::size_t{1});
    return n;
  }

  int writes() {
    int n = 0;
    for (const auto& [what, times] : api->calls)
      if (what.rfind("list", 0) != 0 && what.rfind("watch", 0) != 0
          && what.find("events") == std::string::npos)
        n += times;
    return n;
  }
};

} // namespace troupe::fixtures
