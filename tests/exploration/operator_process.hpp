#pragma once

#include "actors/jobs/job_reads.hpp"
#include "actors/jobs/orders/order_course.hpp"
#include "actors/jobs/requeue_timer.hpp"
#include "actors/jobs/status_writer.hpp"
#include "frameworks/core/memory/job_memory.hpp"
#include "tests/exploration/pods.hpp"
#include "tests/exploration/queue/workloads.hpp"

#include <optional>
#include <set>
#include <vector>

namespace troupe::exploration {

/// The job, as the API server has it.
struct job_object {
  std::uint64_t version = 0;
  int generation = 1;             ///< Even: suspended, unless it has a spec.
  const job_spec* spec = nullptr; ///< Of a job in a queue.
  core::shared_status status;     ///< With what annotations say.
  core::shared_status stored;     ///< Without.
  std::map<std::string, std::string> annotations; ///< Of parts of the status.

  bool suspended() const {
    return spec ? spec->suspended : generation % 2 == 0;
  }
};

/// What an order waits for.
enum class order_call_kind : std::uint8_t {
  create,
  remove,
  remove_at_once,
  look,
  read_node,
  // About a job in a queue.
  read_workload,
  read_job,
  read_flavor, ///< Or another object that never changes.
  make_workload,
  write_workload,
  remove_workload,
  write_job
};

/// Whether it changes nothing.
inline bool is_read(order_call_kind k) {
  return k >= order_call_kind::look && k <= order_call_kind::read_flavor;
}

inline bool is_of_queue(order_call_kind k) {
  return k >= order_call_kind::read_workload;
}

/// What a write of a job in a queue says.
struct queue_text {
  const workload_body* body = nullptr;
  const job_spec* spec = nullptr;
  std::uint64_t version = 0; ///< That it is for.
};

/// What the API server has answered.
struct order_answer {
  enum class what : std::uint8_t {
    pod,       ///< That is `shown`.
    nothing,   ///< A Status, or a list without items.
    exists,    ///< 409: the name is taken.
    not_found, ///< 404.
    conflict,  ///< 409: another UID.
    node,      ///< One that reports.
    silent_node,
    timeout, ///< None, in time.
    refused, ///< By a webhook that does not answer.
    workload,
    job,
    flavor,
  };
  what is = what::nothing;
  pod shown;
  workload seen = {};
  std::shared_ptr<const job_object> of_job = {};
};

/// An order that is carried out.
struct order_under_way {
  actors::order_course course;
  int slot = 0;
  /// Of the pod's UID; 0: it is to be created; -1: it is about the slot's node;
  /// -2: about the spare one.
  int number = 0;
  order_call_kind call = order_call_kind::create;
  const pod_body* body = nullptr; ///< Of a creation.
  std::optional<order_answer> answer;
  queue_text text = {};
  /// What its course knows of answers to its reads.
  std::vector<order_answer> reads = {};
};

/// A status write that was sent.
struct status_call {
  std::uint64_t version = 0; ///< That it is for; 0: any.
  core::shared_status status;
  /// It writes these instead.
  std::optional<std::map<std::string, std::string>> annotations;
  enum class outcome : std::uint8_t { none, stored, conflict, timeout };
  outcome answer = outcome::none;
  job_object stored; ///< The answer.
};

/// A read of the job.
struct read_call {
  std::optional<job_object> answer;
};

/// One process of the operator, as far as it is about the job: what a job
/// supervisor (actors/jobs/job_supervisor) keeps, and what it does with facts,
/// answers and times, in the same order. All that decides is the shipped
/// values'.
class operator_process {
public:
  // -- facts ------------------------------------------------------------------
  void on_job_seen(const setting& s, const job_object& fact);
  void on_pod_seen(const setting& s, const pod& fact, std::uint64_t list);
  void on_pod_deleted(const setting& s, const pod& fact);
  void on_list_complete(std::uint64_t list, std::uint64_t version);
  void on_workload_seen(const setting& s, const workload& fact);
  void on_workload_deleted(const setting& s, const workload& fact);

  // -- answers ----------------------------------------------------------------
  /// Of the order with this index.
  void on_order_answer(const setting& s, std::size_t order,
                       k8s::time_point now);
  /// Whether the answer only leads to the next call.
  bool goes_on(const setting& s, std::size_t order) const;
  void on_status_answer(const setting& s, k8s::time_point now);
  void on_job_read(const setting& s);

  // -- passes -----------------------------------------------------------------
  bool is_pass_queued() const { return pass_queued; }
  void pass(const setting& s, k8s::time_point now);
  /// Whether a pass would decide, write or wait for something.
  bool would_pass_change(const setting& s, k8s::time_point now) const;
  std::optional<k8s::time_point> timer() const { return requeue.at(); }
  void on_timer(const setting& s, k8s::time_point now);

  // -- what it knows ----------------------------------------------------------
  core::job_memory memory;
  core::shared_status status; ///< Desired.
  std::uint64_t version = 0;  ///< Of the job.
  actors::status_writer writer;
  actors::requeue_timer requeue;
  bool pass_queued = false;
  std::uint64_t list_number = 1; ///< Of the latest list of pods.
  std::set<int> awaited; ///< Slots whose names are taken, as was answered.

  // -- what it has sent -------------------------------------------------------
  std::vector<order_under_way> orders; ///< By slot, then by number.
  std::optional<status_call> writing;
  std::optional<read_call> reading;

  /// Of the latest pass.
  std::vector<core::decision> decided;

private:
  void apply_job(const setting& s, const job_object& seen);
  void apply(const core::memory_change& change);
  void enqueue_pass() { pass_queued |= memory.job() != nullptr; }
  void send(const setting& s, order_under_way order,
            const actors::order_course::step& next, k8s::time_point now);
  void apply_written_job_if_any(const setting& s, const core::order_done& done,
                                const order_under_way& order);
  void write_status_if_due(const setting& s, k8s::time_point now);
};

} // namespace troupe::exploration
