#pragma once

#include "k8s/api.hpp"
#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::k8s {

/// Records the calls that are sent and the watches that are opened; the test
/// answers.
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
  std::unique_ptr<watch_session> watch(request r, std::chrono::milliseconds,
                                       watch_sink sink) override {
    watches.push_back({std::move(r), std::move(sink)});
    return std::make_unique<session>(open_watches);
  }

  /// The paths of the calls so far, below the namespace "n"; forgets them.
  std::string take_paths() {
    std::string out;
    for (const auto& c : std::exchange(calls, {}))
      out += (out.empty() ? "" : " ")
             + c.sent.path.substr(std::string{"/api/v1/namespaces/n/"}.size());
    return out;
  }

  struct opened_watch {
    request sent;
    watch_sink sink;
  };

  std::vector<call> calls;
  std::vector<opened_watch> watches; ///< Those that have ended, too.
  int open_watches = 0;              ///< Sessions that have not been destroyed.

private:
  struct session : watch_session {
    explicit session(int& open)
        : open_{open} {
      ++open_;
    }
    ~session() override { --open_; }
    int& open_;
  };
};

inline json pod_named(const std::string& name) {
  return {{"metadata",
           {{"name", name}, {"namespace", "n"}, {"uid", "uid-" + name}}},
          {"spec", json::object()}};
}

} // namespace troupe::k8s
