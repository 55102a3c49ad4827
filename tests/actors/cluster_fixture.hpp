#pragma once

#include "tests/fixtures/manifests.hpp"
#include "tests/fixtures/operator_fixture.hpp"

#include <algorithm>

namespace troupe::fixtures {

inline json mpi_job(int workers) {
  return manifest_of("MPIJob", {{"mpiReplicaSpecs",
                                 {{"Launcher", replica_spec(1, "mpi")},
                                  {"Worker", replica_spec(workers, "mpi")}}}});
}

/// What an MPIJob has beside pods.
inline const std::vector<std::string> mpi_resources{
    "configmaps", "serviceaccounts", "roles", "rolebindings"};

inline std::shared_ptr<actors::actor_options> scheduled_by(core::gang how) {
  auto options = std::make_shared<actors::actor_options>(default_options());
  options->cluster.scheduling = how;
  options->cluster.gang_scheduler = "volcano";
  return options;
}

/// A fake API server with a running operator, and what users and kubelets do.
struct cluster_fixture {
  std::shared_ptr<fake_api> api = std::make_shared<fake_api>();
  operator_fixture op;

  explicit cluster_fixture(core::gang how = core::gang::none)
      : op(api, scheduled_by(how)) {
    op.start();
    op.run_until_idle();
  }

  void make(const char* plural, json job) {
    api->create(plural, std::move(job));
    op.run_until_idle();
  }

  /// A new operator process; calls that wait are lost.
  void restart() {
    op.stop();
    api->drop_pending(0);
    op.start();
    op.run_until_idle();
  }

  /// Runs until idle, and fails every call that is `such`; returns how many.
  int run_failing(const std::function<bool(const k8s::request&)>& such,
                  const k8s::failure& why) {
    for (int failed = 0;;) {
      op.run_messages();
      const auto& waiting = api->pending();
      auto i = std::find_if(
          waiting.begin(), waiting.end(),
          [&](const fake_api::pending_call& c) { return such(c.request); });
      if (i != waiting.end()) {
        ++failed;
        api->fail_call(static_cast<std::size_t>(i - waiting.begin()), why);
      } else if (!waiting.empty()) {
        api->answer(0);
      } else if (!api->streams_behind().empty()) {
        api->deliver_all();
      } else {
        return failed;
      }
    }
  }

  int run_failing(k8s::verb what, const std::string& plural,
                  const k8s::failure& why) {
    return run_failing(
        [&](const k8s::request& r) {
          return r.method == what && r.resource == plural;
        },
        why);
  }

  void change(const char* plural, const std::string& name,
              const std::function<void(json&)>& how) {
    api->change(plural, "ns/" + name, how);
    op.run_until_idle();
  }

  void set_pod(const std::string& name, const char* phase, int exit_code = 0) {
    change("pods", name, [&](json& p) {
      json state;
      if (std::string{phase} == "Running")
        state["running"] = json::object();
      else
        state["terminated"] = {{"exitCode", exit_code}};
      auto container = p["spec"]["containers"][0]["name"];
      p["status"] = {
          {"phase", phase},
          {"containerStatuses",
           {{{"name", container}, {"restartCount", 0}, {"state", state}}}}};
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
      throw std::runtime_error("not found: " + plural + " " + name);
    return *found;
  }

  /// The status of a job's condition, "" if it is absent.
  std::string condition(const std::string& plural, const std::string& type,
                        const std::string& name = "job") {
    for (const auto& c :
         get(plural, name)
             .value("/status/conditions"_json_pointer, json::array()))
      if (c["type"] == type)
        return c["status"];
    return "";
  }

  /// The report of every actor of that name that the root has started.
  std::vector<json> reports(const std::string& actor) {
    std::vector<json> result;
    auto tree = op.request_report();
    for (const auto& child : (*tree)["children"])
      if (child["actor"] == actor)
        result.push_back(child);
    return result;
  }

  std::string host_file() {
    return get("configmaps", "job-config")["data"]["hostfile"];
  }

  /// How often this event was recorded.
  std::size_t events(const std::string& reason) {
    op.advance(std::chrono::seconds{1}); // Events go last.
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
