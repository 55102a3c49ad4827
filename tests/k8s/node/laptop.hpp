#pragma once

#include "k8s/apiserver/control_plane.hpp"
#include "k8s/json.hpp"
#include "k8s/node/node.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace troupe::k8s::node {

/// A directory of its own under the system's, gone with it.
class scratch_directory {
public:
  scratch_directory();
  ~scratch_directory();
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// A control plane with a node, as on a laptop, and a user of few words.
class laptop {
public:
  using wrapper = std::function<std::shared_ptr<api>(std::shared_ptr<api>)>;

  /// Fast back-off; `change` may set further options, `wrap` stand between the
  /// node and its API server.
  explicit laptop(
      const std::function<void(node_options&)>& change = [](node_options&) {},
      const wrapper& wrap = [](std::shared_ptr<api> a) { return a; });
  ~laptop();

  /// A pod with one container "main" that runs a bash script.
  static json pod(const std::string& name, const std::string& script);
  void create(const json& object);
  void patch(const std::string& kind, const std::string& name,
             const json& merge);
  void remove(const std::string& pod, int grace);
  /// The pod now; null if there is none.
  json get(const std::string& pod);
  /// Waits until the pod is as described; fails the test after a minute.
  json wait(const std::string& pod,
            const std::function<bool(const json&)>& is_so);
  json wait_for_phase(const std::string& pod, const std::string& phase);
  /// All of a container's log, from its beginning to now.
  std::string log(const std::string& pod, const std::string& container = "",
                  const log_options& options = {});
  /// Waits until the log contains `text`.
  std::string wait_for_log(const std::string& pod, const std::string& text);
  /// Waits for an event with this reason whose message has `part` in it.
  void wait_for_event(const std::string& reason, const std::string& part);

  const std::string& directory() const { return directory_.path(); }
  node& runner() { return *node_; }

private:
  result<std::string> call(request r);

  scratch_directory directory_;
  std::unique_ptr<apiserver::control_plane> plane_;
  std::shared_ptr<api> api_;
  std::shared_ptr<node> node_;
};

/// Whether `is_so` becomes true within a minute.
bool eventually(const std::function<bool()>& is_so);

/// Whether a process is there and no zombie.
bool lives(int pid);

/// The state of the i-th container, of either list.
json container(const json& pod, std::size_t i = 0,
               const char* list = "containerStatuses");

} // namespace troupe::k8s::node
