#pragma once

#include "tests/actors/single_actor_fixture.hpp"

#include <string>
#include <vector>

// The Workload "w" of the TFJob "job", which is gone, and answers of the server
// about both.

namespace troupe::fixtures::release {

inline actors::release_workload workload(const std::string& name = "w") {
  return {"ns",
          name,
          name + "-uid",
          {"kubeflow.org/v1", "TFJob", "job", "job-uid", true}};
}

inline json workload_json(const std::string& uid = "w-uid") {
  return {{"metadata",
           {{"name", "w"},
            {"namespace", "ns"},
            {"uid", uid},
            {"resourceVersion", "5"},
            {"finalizers", {"kueue.x-k8s.io/resource-in-use"}}}}};
}

inline std::string workloads(const json& one) {
  return json{{"items", json::array({one})}}.dump();
}

inline std::string pod_text(int index, const char* phase,
                            const json& more = json::object(),
                            const char* owner_uid = "job-uid") {
  auto meta = worker_meta(index, owner_uid);
  meta.update(more);
  auto pod = json::parse(object_text("job-worker-" + std::to_string(index),
                                     "pod-" + std::to_string(index), 5, meta));
  pod["status"]["phase"] = phase;
  return pod.dump();
}

} // namespace troupe::fixtures::release
