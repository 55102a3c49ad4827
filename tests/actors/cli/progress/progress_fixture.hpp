#pragma once

#include "actors/cli/progress/progress.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace troupe::cli::progress_objects {

using nlohmann::json;
using lines = std::vector<std::string>;

inline const auto noon = *k8s::from_rfc3339("2026-01-31T12:00:00Z");

inline json pod(const char* type, int index, const char* phase,
                const char* uid = "u") {
  auto slot = std::string(type) + "-" + std::to_string(index);
  return {
      {"metadata",
       {{"name", "mnist-" + slot},
        {"uid", uid + slot},
        {"labels",
         {{"training.kubeflow.org/replica-type", type},
          {"training.kubeflow.org/replica-index", std::to_string(index)}}}}},
      {"spec", {{"containers", {{{"name", "tensorflow"}}}}}},
      {"status", {{"phase", phase}}}};
}

inline json with_state(json p, json state, int restarts = 0) {
  p["status"]["containerStatuses"] = {{{"name", "sidecar"}},
                                      {{"name", "tensorflow"},
                                       {"restartCount", restarts},
                                       {"state", std::move(state)}}};
  return p;
}

inline json terminated(int code, const char* reason, const char* message = "") {
  return {{"terminated",
           {{"exitCode", code},
            {"reason", reason},
            {"message", message},
            {"startedAt", "2026-01-31T11:59:00Z"},
            {"finishedAt", "2026-01-31T11:59:42Z"}}}};
}

inline json job(lines conditions) {
  json all = json::array();
  for (const auto& c : conditions)
    all.push_back({{"type", c},
                   {"status", "True"},
                   {"reason", "TFJob" + c},
                   {"message", "it is " + c},
                   {"lastTransitionTime", "2026-01-31T11:59:50Z"}});
  return {
      {"status", {{"conditions", all}, {"startTime", "2026-01-31T11:58:00Z"}}}};
}

inline progress fresh() {
  return {"TFJob", "default", "mnist"};
}

inline bool contains(const lines& all, const std::string& part) {
  for (const auto& l : all)
    if (l.find(part) != std::string::npos)
      return true;
  return false;
}

inline void check(const lines& got, const lines& want) {
  BOOST_TEST(got == want, boost::test_tools::per_element());
}

inline void check(const run_events& got, const lines& want) {
  lines texts;
  for (const auto& e : got)
    texts.push_back(e.text);
  check(texts, want);
}

} // namespace troupe::cli::progress_objects
