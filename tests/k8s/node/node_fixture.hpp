#pragma once

#include "k8s/apiserver/control_plane.hpp"
#include "k8s/json.hpp"
#include "k8s/node/base/node.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <string>

namespace troupe::k8s::node {

using fixtures::scratch_directory;

/// A control plane with a node, and calls to its API.
class node_fixture {
public:
  using wrapper = std::function<std::shared_ptr<api>(std::shared_ptr<api>)>;

  /// Fast back-off; `change` may set further options, `wrap` wrap the
  /// API that the node uses.
  explicit node_fixture(
      const std::function<void(node_options&)>& change = [](node_options&) {},
      const wrapper& wrap = [](std::shared_ptr<api> a) { return a; });
  ~node_fixture();

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
            const std::function<bool(const json&)>& condition);
  json wait_for_phase(const std::string& pod, const std::string& phase);
  /// All of a container's log, from its beginning to now.
  std::string log(const std::string& pod, const std::string& container = "",
                  const log_options& options = {});
  /// Waits until the log contains `text`.
  std::string wait_for_log(const std::string& pod, const std::string& text);
  /// Waits for an event with this reason whose message has `part` in it.
  void wait_for_event(const std::string& reason, const std::string& part);

  /// What the containers of a pod use now, by name; empty if none runs.
  std::map<std::string, resource_usage> measure_usage(const std::string& pod);

  const std::string& directory() const { return directory_.path(); }
  node& running_node() { return *node_; }

private:
  result<std::string> call(request r);

  scratch_directory directory_;
  std::unique_ptr<apiserver::control_plane> plane_;
  std::shared_ptr<api> api_;
  std::shared_ptr<node> node_;
};

/// Whether `is_so` becomes true within a minute.
bool eventually(const std::function<bool()>& condition);

/// Whether a process is there and not a zombie.
bool is_running(int pid);

/// The state of the i-th container, of either list.
json container(const json& pod, std::size_t i = 0,
               const char* list = "containerStatuses");

} // namespace troupe::k8s::node
