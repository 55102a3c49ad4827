#pragma once

#include "frameworks/core/model/framework.hpp"
#include "tests/simulation/json_access.hpp"
#include "tests/simulation/simulated_api_server.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::simulation {

/// The name of the gang scheduler, if there is one.
inline constexpr const char* gang_scheduler = "gang-scheduler";

/// Checks every write of the operator before it takes effect, and the end
/// state. A write must follow from what the process that sent it may know, also
/// if it takes effect after that process has ended. Here is what holds for all
/// jobs; the rules of one sort of jobs are in a class of their own.
class invariant_checker {
public:
  invariant_checker(const core::framework& row,
                    std::shared_ptr<simulated_api_server> api,
                    std::string job_key);
  virtual ~invariant_checker() = default;

  // -- what happened ----------------------------------------------------------
  /// Something was made, changed or removed, by anybody; `type` as a watch
  /// has it.
  void object_changed(const std::string& type, const std::string& plural,
                      const json& object);
  /// It was the job's before.
  virtual void child_orphaned(const json& object) = 0;
  /// It knows only what is there now.
  virtual void operator_started() = 0;
  /// The API server did not do what the operator asked for.
  virtual void call_failed(const k8s::request&) {}
  /// From now on no call fails.
  void faults_stopped() { faults_stopped_at_ = now(); }
  void operator_writes(const k8s::request& r, const std::string& plural,
                       const std::string& key, const json& body);

  /// The operator removes a pod without a grace period. `was_lost`: its node
  /// was lost at some time.
  void pod_removed_at_once(const k8s::request& r, const json& pod,
                           const json& body, bool was_lost);
  /// When nothing happens any more: it should be gone.
  void lost_pod_left(const std::string& key) {
    report_violation(key + " of a lost node is left");
  }

  /// When nothing happens any more: what the operator says of a job that waits.
  void wait_without_reason(const std::string& report) {
    report_violation("does not say why it waits: " + report);
  }

  // -- what is wrong ----------------------------------------------------------
  /// All that were found so far.
  const std::vector<std::string>& violations() const { return violations_; }
  /// To be called when nothing happens any more.
  virtual void check_end_state() = 0;
  /// How many calls of the operator were writes, without events.
  int writes() const { return writes_; }

protected:
  virtual void record_change(const std::string& type, const std::string& plural,
                             const json& object) = 0;
  virtual void check_creation(const std::string& plural, const std::string& key,
                              const json& body) = 0;
  virtual void check_removal(const std::string& plural, const json& object,
                             const json& body) = 0;
  virtual void check_job_removal(const json& body) = 0;
  virtual void check_status(const json& old, const json& status) = 0;
  /// A change of the job that is none of its status.
  virtual void check_annotations(const json&) {
    report_violation("changes its job's spec");
  }
  /// Of a pod, without a grace period, because its node is lost.
  virtual void check_removal_at_once(const json&) {}
  /// Whether the writer may write anything but the status.
  virtual void check_any_write(const std::string&) {}

  /// Of any object but the job; nullptr: it is made.
  virtual void check_change(const k8s::request&, const std::string&,
                            const json*, const json&) {}

  /// Checks what holds for every deletion; whether the rules of the job decide
  /// about this one. `jobs`, `orphaned`: UIDs that the writer knows as the
  /// job's, and of children that were the job's.
  bool must_have_reason_to_remove(const json& object, const json& body,
                                  const std::set<std::string>& jobs,
                                  const std::set<std::string>& orphaned);
  void report_violation(std::string what);
  const core::framework& row() const { return row_; }
  const simulated_api_server& api() const { return *api_; }
  const std::string& job_key() const { return job_key_; }
  const json* job() const {
    return api_->find(row_.names.type.plural, job_key_);
  }
  /// Of the latest job.
  const std::string& job_uid() const { return uid_; }
  /// Whether the latest job owns it.
  bool ours(const json& object) const;
  long long now() const; ///< Seconds since 1970.
  long long faults_stopped_at() const { return faults_stopped_at_; }
  int present_process() const { return api_->process(); }
  /// The one whose write is checked.
  int writing_process() const { return writing_process_; }

private:
  const core::framework& row_;
  std::shared_ptr<simulated_api_server> api_;
  std::string job_key_;
  std::string uid_;
  int writing_process_ = 1;
  long long faults_stopped_at_ = 0;
  int writes_ = 0;
  std::vector<std::string> violations_;
};

/// Seconds since 1970 of an RFC 3339 time; 0 if it is none.
long long seconds_of(const json& time);

} // namespace troupe::simulation
