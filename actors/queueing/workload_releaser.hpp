#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/queueing/leaving_workloads_search.hpp"
#include "actors/queueing/workload_release.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>

namespace troupe::actors {

/// Gives back the quota of jobs that are gone, when their pods are: Kueue
/// counts a Workload until we take our finalizer off. Some at a time, the
/// others wait their turn; one whose pods are left is looked at again after a
/// while.
class workload_releaser_state {
public:
  static inline const char* name = "workload-releaser";

  explicit workload_releaser_state(workload_releaser_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context) { context_ = std::move(context); }
  /// Looks for those of which nobody tells, once.
  void on_start();
  void on_release(const release_workload& r);
  void on_api_response(const api_response& a);
  void on_timer(const timer_fired& fired);
  report_ptr report() const;

private:
  struct entry {
    workload_release course;
    k8s::time_point since{};
    int looks = 0;
  };

  void begin_next();
  void execute_search(const leaving_workloads_search::step& next);
  void send_call(std::uint64_t tag, k8s::request call, const std::string& about,
                 const std::string& ns);
  void update_metrics() const;
  void execute(const std::string& uid, workload_release::step next);

  workload_releaser_actor::pointer self_;
  context_ptr context_;
  std::optional<leaving_workloads_search> search_; ///< nullopt: not begun.
  std::map<std::string, entry> all_; ///< By the Workload's UID, or its name.
  std::deque<std::string> waiting_;
  std::map<std::uint64_t, std::string> calls_; ///< Under way, by tag.
  std::map<std::uint64_t, std::string> timers_;
  std::uint64_t last_number_ = 0;
  std::uint64_t search_number_ = 0; ///< Of its call or timer.
};

workload_releaser_actor::behavior_type workload_releaser(
    self_pointer<workload_releaser_actor, workload_releaser_state> self,
    context_ptr context);

} // namespace troupe::actors
