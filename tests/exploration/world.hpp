#pragma once

#include "tests/exploration/operator_process.hpp"

#include <deque>
#include <string>
#include <vector>

namespace troupe::exploration {

/// What can happen next.
enum class act : std::uint8_t {
  // What goes on by itself, until nothing is left to do.
  start_operator,
  pass,
  timer, ///< Time passes until it is due; the pass that follows.
  deliver_pod,
  deliver_job,
  deliver_workload,
  deliver_list,
  deliver_order,
  deliver_status,
  deliver_read,
  execute_order,
  execute_status,
  execute_read,
  pod_runs,
  pod_goes,       ///< The kubelet confirms its end.
  kueue_reserves, ///< And admits.
  kueue_admits,   ///< The check is passed.
  kueue_evicts_inactive,
  kueue_requeues,
  pod_is_evicted, ///< Its node is silent.
  // What may happen, or not.
  pod_succeeds,
  pod_fails,
  pod_fails_fatally,
  ending_pod_succeeds, ///< While it terminates.
  ending_pod_fails,
  remove_pod,
  remove_service,
  suspend,
  resume,
  operator_dies,
  lose_order_before, ///< The call, before it had its effect.
  lose_order_after,  ///< Only the answer.
  lose_status_before,
  lose_status_after,
  take_list,
  repeat_pod,
  node_falls_silent,
  node_reports_again,
  execute_late, ///< A call of a process that has died.
  kueue_reserves_for_check,
  kueue_preempts,
  kueue_times_out,
  deactivate,
  activate,
  remove_workload,
  refuse_order,
};

/// Whether it must happen at last, if nothing else does.
inline bool is_certain(act a) {
  return a <= act::pod_is_evicted;
}

struct move {
  act what = act::pass;
  std::uint8_t which = 0; ///< Index of the pod, the order, the channel.
};

/// What a watcher is yet to tell of the pods of one slot: it comes in this
/// order. The facts of several slots come in any: that is more than a watch
/// does, whose events are in one order, and keeps states few.
struct channel {
  struct fact {
    pod as_seen;
    bool gone = false;
  };
  int slot = 0;
  std::deque<fact> untold;
};

struct late_call {
  int slot = 0;
  int number = 0;
  order_call_kind call = order_call_kind::create;
  const pod_body* body = nullptr;
  std::optional<status_call> status; ///< Else it is of an order.
  queue_text text;
};

/// What the watch of Workloads is yet to tell.
struct workload_fact {
  workload as_seen;
  bool gone = false;
};

/// What truly happened, as far as an invariant needs it.
struct history {
  /// UIDs of pods that failed by themselves: (slot, number), in order.
  std::vector<std::pair<int, int>> failed;
  /// Slots, a bit each, by the attempt of their pods.
  using slots_by_attempt = std::array<std::uint8_t, 4>;
  slots_by_attempt succeeded{};
  slots_by_attempt failures{}; ///< By themselves.
  slots_by_attempt removals{}; ///< By hand, or with a node.
  slots_by_attempt made{};     ///< Where a launcher waits for them.
  /// A pod of an attempt that had lost no other one has failed so.
  bool failed_fatally = false;
  bool must_fail = false;  ///< And no other pod of that attempt was lost.
  std::uint8_t silent = 0; ///< Slots whose nodes were silent, a bit each.
};

/// One state: everything that the next step can depend on.
struct world {
  explicit world(const setting& s);

  const setting* s;
  std::uint64_t version = 1;
  job_object job;
  std::vector<pod> pods;     ///< By slot.
  std::vector<pod> services; ///< By place.
  std::vector<int> numbers;  ///< How many objects each place had.
  workload work;             ///< Of a job in a queue.
  std::deque<job_object> untold_jobs;
  std::deque<workload_fact> untold_workloads;
  std::vector<channel> channels; ///< By slot; none is empty.
  struct list {
    std::uint64_t version = 0;
    std::vector<pod> pods;
  };
  std::optional<list> untold_list;
  std::optional<operator_process> op;
  std::vector<late_call> late;
  std::uint8_t silent = 0; ///< Slots whose nodes are, a bit each.
  k8s::time_point now = time_of_start();
  bounds left;
  history past;
  std::string violation; ///< "": none. The path ends there.

  std::vector<move> moves() const;
  void make(move m);
  std::string describe(move m) const;
  std::string describe() const; ///< For a trace.
  /// `number` 0: any.
  std::optional<std::size_t> find_pod(int slot, int number) const;
  /// The same of a service, too; nullptr: there is none.
  const pod* find_object(int place, int number) const;
  bool has_silent_node(const pod& p) const;

private:
  std::size_t lag() const;
  void add_pod_moves(std::vector<move>& to) const;
  void add_call_moves(std::vector<move>& to) const;
  void add_fact_moves(std::vector<move>& to) const;
  bool may_be_disturbed() const;
  void add_user_moves(std::vector<move>& to) const;
  void add_node_moves(std::vector<move>& to) const;
  /// Kubelets and watches are faster than the periods of nodes.
  bool may_wait_until(k8s::time_point t) const;

  // Cluster.
  void change_pod(std::size_t index, k8s::pod_phase phase);
  void tell_pod(const pod& p, bool gone);
  void remove_pod(std::size_t index);
  void remove_service(std::size_t index);
  std::vector<pod>& objects_at(int place) {
    return s->is_service(place) ? services : pods;
  }
  void begin_deletion(std::size_t index);
  void end_pod(std::size_t index, int exit_code);
  order_answer execute(int slot, int number, order_call_kind call,
                       const pod_body* body, bool of_dead_process = false);
  /// As the server stores it; its version is as before.
  job_object job_after(const status_call& call) const;
  bool store_status(const status_call& call);
  void tell_job();
  void change_spec();

  // Kueue, and Workloads at the server.
  void add_kueue_moves(std::vector<move>& to) const;
  void make_kueue_move(move m);
  /// Its webhook is asked.
  static bool is_refusable(order_call_kind call);
  order_answer execute_queue_call(int number, order_call_kind call,
                                  const queue_text& text,
                                  bool of_dead_process = false);
  order_answer store_workload(const queue_text& text, bool of_dead_process);
  order_answer store_job(const queue_text& text, bool of_dead_process);
  void change_workload(const workload_body* to);
  void remove_workload_now();
  void begin_deletion_of_workload();
  bool is_known(const workload_fact& fact) const;

  // Nodes.
  bool is_silent(std::size_t slot) const { return (silent >> slot & 1U) != 0; }
  void make_node_move(move m);
  void lose_node(std::size_t slot);
  void take_node_back(std::size_t slot);
  void evict(std::size_t index);

  // Operator.
  void start_operator();
  void kill_operator();
  void run_pass(bool by_timer);
  void deliver_pod(std::size_t index);
  void deliver_list();
  void deliver_workload();
  void make_call_move(move m);
  void take_move(move m);
  // What happens at once, because it makes no difference when: see README.md.
  void settle(move after);
  void tell_all_facts();
  void tell_old_facts();
  void answer_outdated_write();
  void read_flavors();
  void forget_late_calls_without_effect();
  bool may_have_effect(const late_call& call) const;
  bool has_effect_now(const late_call& call) const;
};

} // namespace troupe::exploration
