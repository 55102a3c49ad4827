#pragma once

#include "frameworks/core/pass/job_request.hpp"
#include "tests/simulation/admission_webhook.hpp"
#include "tests/simulation/invariants.hpp"
#include "tests/simulation/simulated_api_server.hpp"
#include "tests/simulation/simulated_nodes.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

/// Sends the operator a request for the job; `done` gets the response. If the
/// operator is stopped before, it may get none.
using request_sender =
    std::function<void(core::job_request_ptr what,
                       std::function<void(const core::job_response&)> done)>;

/// Sends the operator a report of the pod with this UID; `taken` gets the time
/// when it was taken, if it was.
using report_sender = std::function<void(
    std::string pod_uid, std::function<void(k8s::time_point)> taken)>;

/// What is around the operator: users, kubelets, a garbage collector, webhooks,
/// and watches that break; driven by one seed. Here is what all jobs have;
/// what users do to one sort of jobs, and how its pods run, is in a class of
/// its own.
class simulated_cluster {
public:
  simulated_cluster(std::uint64_t seed, const core::framework& row,
                    std::shared_ptr<simulated_api_server> api);
  virtual ~simulated_cluster() = default;

  simulated_cluster(const simulated_cluster&) = delete;
  simulated_cluster& operator=(const simulated_cluster&) = delete;

  /// Makes the job; the API's clock must be set.
  void begin(request_sender send, report_sender report);
  /// Does one thing that could happen now, or nothing.
  void step();
  /// From now on nothing fails and no user acts; pods still run and end.
  virtual void stop_faults();
  /// Kubelets and the garbage collector do all that is left to do.
  /// Returns whether anything happened.
  bool finish_pending_work();
  /// Nothing is left to do: asks the operator for what is known then. Returns
  /// whether it has asked.
  virtual bool ask_at_end() { return false; }

  virtual invariant_checker& invariants() = 0;
  /// What the operator is told.
  virtual core::gang gang() const { return core::gang::none; }
  /// What the operator is told.
  virtual core::queueing_options queueing() const { return {}; }
  /// What the API server answers without doing it, because somebody who has to
  /// agree is away.
  virtual std::optional<k8s::failure> refusal_of(const k8s::request&) {
    return std::nullopt;
  }
  /// Whether the job has to say why it has not begun.
  virtual bool waits_for_a_reason() const { return false; }
  /// What the operator is told; 0: no node is lost in this life.
  std::chrono::seconds lost_node_period() const {
    return std::chrono::seconds{loses_nodes_ ? 40 : 0};
  }
  /// Whether pods are told where to report how far they are.
  virtual bool takes_reports() const { return false; }
  /// Pods of lost nodes that the operator should have removed.
  std::vector<std::string> lost_pods_left() const;
  /// Whether the job's pods wait for something that will never happen.
  virtual bool waits_for_ever() const { return false; }

  std::string job_key() const { return "ns/job"; }
  const std::string& plural() const { return row_.names.type.plural; }
  admission_webhook& webhook() { return webhook_; }
  std::mt19937_64& random() { return random_; }
  bool chance(int percent) {
    return static_cast<int>(random_() % 100) < percent;
  }

protected:
  using key_list = std::vector<std::string>;

  // -- what differs -----------------------------------------------------------
  virtual json random_spec() = 0;
  /// What a new job has beside its spec, and what depends on both.
  virtual void add_to_new_job(json&) {}
  virtual void user_step() = 0;
  /// Other controllers and pods of the job; `dice` is from 86 to 99.
  virtual void controller_step(int) {}
  /// Whether a kubelet has still to do something about the pod.
  virtual bool has_work_for_kubelet(const json& pod) const;
  // A kubelet changes a pod that is not terminating.
  virtual void change_pending_pod(const std::string& key);
  virtual void change_running_pod(const std::string& key) = 0;
  virtual void change_other_pod(const std::string& key);
  /// Of what the garbage collector leaves alone.
  virtual bool is_living_owner(const std::string& uid) const;
  /// What keeps the job from having all its children goes away.
  virtual void remove_obstacles() {}

  // -- for all kinds ----------------------------------------------------------
  const core::framework& row() const { return row_; }
  simulated_api_server& api() { return *api_; }
  const simulated_api_server& api() const { return *api_; }
  bool faults_stopped() const { return faults_stopped_; }
  const json* job() const { return api_->find(plural(), job_key()); }
  void send_request(core::job_request_ptr what,
                    std::function<void(const core::job_response&)> done) {
    send_request_(std::move(what), std::move(done));
  }

  void send_report(std::string pod_uid,
                   std::function<void(k8s::time_point)> taken) {
    send_report_(std::move(pod_uid), std::move(taken));
  }

  // Kubelets.
  void set_phase(const std::string& key, const char* phase, int exit_code);
  void disrupt(const std::string& key);
  void restart_in_place(const std::string& key);
  json container_end(int exit_code);

  // Users.
  void edit_job(const std::function<void(json& spec)>& how);
  void make_job();
  void delete_child();
  void delete_job();
  void orphan_child();
  void relabel_child();
  void disturb_watches();
  void install_or_uninstall_webhook();
  std::string random_child(const std::string& kind);
  key_list child_kinds() const;

private:
  bool pod_step();
  std::string node_for_pod();
  void lose_last_node();
  bool is_removal_at_once(const k8s::request& r, const std::string& plural,
                          const json& body) const;
  void check_removal_at_once(const k8s::request& r, const std::string& key,
                             const json& body);
  bool collect_garbage();

  std::mt19937_64 random_;
  const core::framework& row_;
  std::shared_ptr<simulated_api_server> api_;
  admission_webhook webhook_;
  bool loses_nodes_;
  bool last_node_lost_ = false;
  simulated_nodes nodes_;
  request_sender send_request_;
  report_sender send_report_;
  bool faults_stopped_ = false;
};

} // namespace troupe::simulation
