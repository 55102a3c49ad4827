#pragma once

#include "k8s/node/base/hosts_file.hpp"
#include "k8s/node/base/node.hpp"
#include "k8s/node/base/node_client.hpp"
#include "k8s/node/base/node_directory.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"
#include "k8s/node/pods/gpus.hpp"
#include "k8s/node/pods/pod_address_allocator.hpp"
#include "k8s/node/pods/pod_run.hpp"
#include "k8s/node/pods/pod_status_manager.hpp"
#include "k8s/node/volumes/config_source_reader.hpp"

#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// The pods of this node and their runs: from the moment that the API server
/// shows a pod here until its processes have ended and, if it was deleted, its
/// object is removed.
class pod_workers {
public:
  struct callbacks {
    std::function<void()> on_pods_changed; ///< With names, addresses.
    std::function<void()> on_pod_finished; ///< There is room for another one.
  };

  pod_workers(boost::asio::io_context& io, node_client& client,
              config_source_reader& sources, const node_directory& directory,
              const node_options& options, callbacks c,
              std::shared_ptr<cluster_namespaces> namespaces = nullptr);
  ~pod_workers() { removals_.join(); }

  /// Adds a new pod of this node, which start_unstarted_pods starts. If it
  /// cannot be prepared, its status becomes Failed instead.
  void add_pod_or_mark_failed(const json& pod);
  void start_unstarted_pods();
  /// For a changed pod that was added: ends it if its deletion has begun.
  void terminate_pod_if_deleting(const json& pod);
  /// For a pod whose object is gone: kills its processes without grace.
  void kill_pod(const std::string& uid);
  void update_volumes(const std::string& ns, const config_source_name& name,
                      const config_source_content& content);

  /// Ends all pods; `stopped` is called when nothing runs any more. The
  /// resulting statuses are not written to the API server.
  void stop_all(std::chrono::seconds grace, std::function<void()> stopped);
  /// Kills all that still runs, and forgets it.
  void kill_and_forget_all() { workers_.clear(); }

  bool contains(const std::string& uid) const {
    return workers_.count(uid) > 0;
  }
  std::size_t count_active_pods() const;
  const gpu_allocator& gpus() const { return gpus_; }
  std::set<std::string> namespaces_with_pods() const;
  std::vector<named_pod> non_terminal_named_pods() const;
  /// All runs, in an arbitrary order.
  std::vector<const pod_run*> all_pod_runs() const;
  /// The run of the pod of this name that is not being deleted, otherwise of
  /// one that is; null if there is none.
  pod_run* find_pod_run(const std::string& ns, const std::string& name) const;

private:
  struct worker {
    std::shared_ptr<pod_run> run;
    bool started = false;
    bool is_deleting = false;
  };

  json with_volumes_of_node(
      const json& pod,
      const std::map<std::string, std::string>& inherited) const;
  result<std::shared_ptr<pod_run>> make_pod_run(const json& as_written);
  /// The pod with directories in the place of its claims; sends an event about
  /// each directory once.
  json with_claim_directories_and_events(const json& pod);
  result<pod_sandbox> allocate_sandbox(const json& pod);
  void write_status_release_gpus_at_end(const std::string& uid,
                                        const pod_runtime_status& status);
  void release_terminated_pod(const std::string& uid);
  void remove_sandbox_files_in_background(const pod_sandbox& of);
  /// Gives back all except its GPUs, which the caller releases.
  void release_sandbox_except_gpus(const pod_sandbox& sandbox,
                                   const std::string& exec_context_link);
  result<nothing> allocate_gpus_if_enough_exist(const json& pod,
                                                pod_sandbox& sandbox);
  void report_if_stopped();

  boost::asio::io_context& io_;
  node_client& client_;
  config_source_reader& sources_;
  const node_directory& directory_;
  const node_options& options_;
  callbacks callbacks_;
  pod_status_manager statuses_;
  std::shared_ptr<cluster_namespaces> namespaces_; ///< Null if pods have none.
  pod_address_allocator addresses_;
  gpu_allocator gpus_;
  std::map<std::string, worker> workers_; ///< By UID.
  /// UIDs of pods whose status becomes Failed, so that they never start.
  std::set<std::string> marked_failed_;
  std::set<std::string> told_claims_; ///< Directories with an event.
  bool stopping_ = false;
  std::function<void()> stopped_;
  boost::asio::thread_pool removals_{4}; ///< Of files: some disks are slow.
};

} // namespace troupe::k8s::node
