#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/jobs/concurrency_window.hpp"

#include <list>
#include <map>
#include <string>

namespace troupe::actors {

/// Whose orders a group carries out: those for one replica type, or those for
/// the job's auxiliary objects.
struct group_id {
  bool auxiliary = false;
  std::string replica_type; ///< If not auxiliary.
};

bool operator<(const group_id& a, const group_id& b);
std::string to_string(const group_id& g); ///< "worker", "auxiliary objects".

/// The group that carries out a decision. (The job's removal is none's.)
group_id group_id_of(const core::decision& d);

/// Carries out the orders for the pods and services of one replica type of one
/// job, or for the job's auxiliary objects: a queue, a window with slow start,
/// a table of what is in flight. It decides the order and the concurrency of
/// its calls; it contains no policy and keeps no objects. "Already exists and
/// is ours" and "already deleted" are successes; if the result of a call is
/// unknown (timeout), the object is read before the result is reported; if what
/// has the name of a creation is gone by then, the creation is sent again.
/// Linked to its supervisor: if one fails, so does the other.
class replica_group_state {
public:
  static inline const char* name = "replica-group";

  explicit replica_group_state(replica_group_actor::pointer self)
      : self_(self)
      , window_(1, 1) {}

  void init(context_ptr context, group_id which, order_issuer_actor owner);
  void on_execute_orders(const execute_orders& c);
  void on_cancel_pending_creations();
  void on_api_response(const api_response& a);
  report_ptr report() const;

private:
  /// What the answer that an order waits for will be about.
  enum class step {
    act,       ///< The call that does it.
    read,      ///< The read that was ordered.
    look,      ///< A read, after the call's outcome was unknown or "exists".
    check_job, ///< A read of the job before it adopts.
  };

  struct under_way {
    child_order order;
    core::job_ptr job;
    step at = step::act;
    core::shared_value<k8s::failure> first_failure; ///< Why it had to look.
    int lookups = 0;
    int creations = 1; ///< Of which this is the last.
  };

  void start_waiting_orders();
  void start_order(under_way u);
  void send_call(under_way u, core::shared_value<k8s::request> r,
                 std::function<k8s::result<k8s::request>()> make = {});
  void on_write_response(under_way u, const k8s::result<std::string>& r);
  void on_child_read(under_way u, const k8s::result<std::string>& r);
  /// Finds out whether the call had its effect.
  void read_to_learn_outcome(under_way u, k8s::failure why);
  void on_outcome_read(under_way u, const k8s::result<std::string>& r);
  /// What had the name is gone.
  void create_again(under_way u);
  void on_job_read(under_way u, const k8s::result<std::string>& r);
  void report_done(const under_way& u, k8s::object_ptr item,
                   bool already_satisfied = false);
  void report_failed(const under_way& u, k8s::failure why,
                     k8s::object_ptr existing = nullptr);

  replica_group_actor::pointer self_;
  context_ptr context_;
  group_id which_;
  order_issuer_actor owner_;
  concurrency_window window_;
  std::list<under_way> waiting_; ///< Of most groups empty: no deque.
  std::map<std::uint64_t, under_way> under_way_; ///< By tag.
  std::uint64_t next_tag_ = 1;
};

replica_group_actor::behavior_type
replica_group(self_pointer<replica_group_actor, replica_group_state> self,
              context_ptr context, group_id which, order_issuer_actor owner);

} // namespace troupe::actors
