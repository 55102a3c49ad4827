#pragma once

#include "frameworks/di/requests/replica_request.hpp"
#include "tests/simulation/di/dijob_objects.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::simulation {

/// A GPU learner is asked for with so many GPUs at most.
inline constexpr int most_gpus = 6;

/// Which replicas of a DIJob the operator was asked for, which it has made and
/// deleted, and what its responses tell of that: each must follow from the
/// other. What a request has led to that was not answered, as its process ended
/// or its job was deleted, is bounded by what it asked for.
class replica_ledger {
public:
  using request_ptr = frameworks::di::replica_request_ptr;
  using violation_sink = std::function<void(std::string)>;

  explicit replica_ledger(violation_sink report)
      : report_(std::move(report)) {}

  // -- requests ---------------------------------------------------------------
  /// Returns its number.
  std::size_t record_request(request_ptr what, int process);
  /// `job`: the UID of the latest job.
  void record_response(std::size_t number, const core::job_response& r,
                       const std::string& job);

  // -- the operator's writes, before they take effect -------------------------
  void check_creation(int process, const json& pod);
  void check_removal(int process, const json& pod);
  /// A deletion was refused, or its answer was lost.
  void record_failed_removal(const std::string& pod);

  // -- what became of the pods ------------------------------------------------
  void record_pod(const json& pod, int maker);
  /// Somebody else than the operator has changed it, or it is terminating.
  void record_interference(const std::string& uid);
  void record_end(const std::string& uid);

  /// When nothing happens any more; `present` is the process that runs.
  void check_end_state(const std::string& job, int present) const;

private:
  struct request_record {
    request_ptr what;
    int process = 0;
    int sent = 0; ///< When, by `clock_`.
    std::optional<core::job_response> response;
    bool interrupted = false; ///< It may have been done in part.
  };

  struct pod_record {
    std::string name;
    std::string uid;
    std::string job; ///< Its UID.
    std::string role;
    std::string aggregator; ///< Of a ddp learner: its name.
    int gpus = 0;           ///< Of a ddp learner.
    int all_gpus = 0;       ///< Of its logic learner.
    int maker = 0;          ///< The process that has made it.
    int told = 0;           ///< When a response told of it; 0: never.
    int removal_told = 0;
    bool gone = false;
    bool interfered = false;
    bool removal_failed = false;
    bool removed = false;      ///< By the operator, or that may be.
    std::set<int> surplus_for; ///< Processes that have deleted one too many.
  };

  static bool may_be_under_way(const request_record& q);
  int most_pods_asked(const request_record& q, const std::string& role) const;
  bool asks_to_replace(const request_record& q, const pod_record& pod) const;
  bool may_be_replaced(int process, const pod_record& pod) const;
  bool may_be_surplus(int process, const pod_record& pod) const;

  // Responses.
  void check_success(const request_record& q, const json& data,
                     const std::string& job);
  void check_additions(const request_record& q, const json& data);
  void check_removals(const request_record& q, const json& data,
                      const std::string& job);
  void check_replacements(const request_record& q, const json& data);
  void check_list(const request_record& q, const json& data,
                  const std::string& job) const;
  void tell_pods_made(const request_record& q, const json& urls);
  void tell_pods_removed(const json& urls);
  void check_logic_learner(const request_record& q,
                           const pod_record& aggregator) const;

  pod_record* find_pod_by_name(const std::string& name);
  const pod_record* find_pod_by_name(const std::string& name) const;
  std::string role_of_name(const std::string& name) const;

  violation_sink report_;
  std::vector<request_record> requests_;
  std::map<std::string, pod_record> pods_;  ///< By UID.
  std::map<std::string, std::string> uids_; ///< Of the latest pod, by name.
  int clock_ = 0;                           ///< Counts requests and responses.
};

} // namespace troupe::simulation
