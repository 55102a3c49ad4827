#pragma once

#include "k8s/api.hpp"
#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::node {

/// Records the calls that are sent; the test answers them.
class recording_api : public api {
public:
  struct call {
    request sent;
    std::function<void(result<std::string>)> answer;

    json body() const { return json::parse(sent.body); }
  };

  void send(request r, std::chrono::milliseconds,
            std::function<void(result<std::string>)> done) override {
    calls.push_back({std::move(r), std::move(done)});
  }
  std::unique_ptr<watch_session> watch(request, std::chrono::milliseconds,
                                       watch_sink) override {
    return nullptr;
  }

  /// The paths of the calls so far, below the namespace "n"; forgets them.
  std::string take_paths() {
    std::string out;
    for (const auto& c : std::exchange(calls, {}))
      out += (out.empty() ? "" : " ")
             + c.sent.path.substr(std::string{"/api/v1/namespaces/n/"}.size());
    return out;
  }

  std::vector<call> calls;
};

inline json pod_named(const std::string& name) {
  return {{"metadata",
           {{"name", name}, {"namespace", "n"}, {"uid", "uid-" + name}}},
          {"spec", json::object()}};
}

} // namespace troupe::k8s::node
