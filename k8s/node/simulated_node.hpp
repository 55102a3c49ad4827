#pragma once

#include "k8s/node/base/node.hpp"
#include "k8s/node/base/node_client.hpp"
#include "k8s/node/pods/pod_binder.hpp"
#include "k8s/node/pods/pod_status_manager.hpp"
#include "k8s/node/simulation.hpp"
#include "k8s/watch/reflector.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <map>
#include <memory>
#include <string>
#include <thread>

namespace troupe::k8s::node {

/// A node whose pods run nothing: they become Running, and end as the
/// simulation says, with restarts as a kubelet's. Their logs are empty. For
/// trying manifests with more pods than the machine can run.
class simulated_node : public node {
public:
  simulated_node(std::shared_ptr<api> client, node_options options,
                 simulation rules);
  ~simulated_node() override { stop(); }

  void start();
  void stop() override;
  isolation_report isolation() const override { return {}; }
  result<unique_descriptor> listen_in_pod_network(std::uint16_t) override {
    return failure{ec::invalid, "simulated pods run nothing"};
  }
  std::function<void()> stream_log(const std::string& ns,
                                   const std::string& pod,
                                   const std::string& container,
                                   const log_options& options,
                                   log_sink to) override;
  /// Reports no usage: nothing runs.
  void measure_usage(std::function<void(node_usage)> done) override {
    done({});
  }

private:
  struct simulated_pod {
    json names; ///< Name, namespace and UID, as in a pod.
    std::string restart_policy;
    pod_runtime_status status;
    int crashes = 0; ///< Ends in a row.
    boost::asio::steady_timer timer;
  };

  void bind_start_or_end_pod(const json& pod);
  void forget_pod_and_bind_rejected(const std::string& uid);
  void add_and_start_pod(const json& pod);
  void start_containers_and_schedule_end(const std::string& uid);
  void end_containers_and_restart_or_finish(const std::string& uid,
                                            int exit_code);
  void restart_after_back_off(const std::string& uid);
  void finish_pod_and_bind_rejected(const std::string& uid, int exit_code);
  std::string next_pod_address();
  /// Calls `f` after `wait`, unless the pod has been forgotten by then.
  /// Replaces an earlier call that waits.
  template <class F>
  void run_after_replacing_earlier(simulated_pod& p,
                                   std::chrono::milliseconds wait, F f);

  const node_options options_;
  const simulation rules_;
  // Answers may come after this has ended.
  std::shared_ptr<boost::asio::io_context> io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
      work_;
  node_client client_;
  pod_status_manager statuses_;
  std::size_t active_ = 0; ///< Pods that have not finished.
  pod_binder binder_;
  std::map<std::string, simulated_pod> pods_; ///< By UID.
  std::map<std::string, int> failures_;       ///< By namespace/name.
  unsigned last_address_ = 0;
  std::shared_ptr<reflector> reflector_;
  std::thread thread_;
};

/// Starts a simulated node; never fails.
std::shared_ptr<node> start_simulated_node(std::shared_ptr<api> client,
                                           node_options options,
                                           simulation rules);

} // namespace troupe::k8s::node
