#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/jobs/orders/concurrency_window.hpp"
#include "actors/jobs/orders/order_course.hpp"

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
/// its calls, and keeps no objects; which calls an order takes, and what their
/// answers mean, is said in order_course. Linked to its supervisor: if one
/// fails, so does the other.
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
  void start_waiting_orders();
  /// Sends the next call, or reports the result.
  void send_call_or_report_result(order_course o, order_course::step next);
  /// The supervisor hears when another object no longer has the name.
  void register_owner_until_name_is_free(const order_course& o);
  void send_call(order_course o, order_call call);

  replica_group_actor::pointer self_;
  context_ptr context_;
  group_id which_;
  order_issuer_actor owner_;
  concurrency_window window_;
  std::list<order_course> waiting_; ///< Of most groups empty: no deque.
  std::map<std::uint64_t, order_course> under_way_; ///< By tag.
  std::uint64_t next_tag_ = 1;
};

replica_group_actor::behavior_type
replica_group(self_pointer<replica_group_actor, replica_group_state> self,
              context_ptr context, group_id which, order_issuer_actor owner);

} // namespace troupe::actors
