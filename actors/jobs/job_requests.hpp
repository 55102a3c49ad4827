#pragma once

#include "actors/base/messages.hpp"
#include "frameworks/core/pass/job_request.hpp"

#include <caf/all.hpp>

#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// The requests to one job that change something: a queue, and the one that is
/// carried out. Each has exactly one response, also if the supervisor ends. A
/// value: its owner sends the orders and the calls, and reports the results.
class job_requests {
public:
  using promise = caf::typed_response_promise<core::job_response>;
  static constexpr std::size_t most_waiting = 100;

  /// What there is to do next.
  struct step {
    std::vector<core::decision> decisions;
    std::vector<std::uint64_t> read_numbers; ///< In the order of `reads`.
    std::vector<core::object_to_read> reads;
  };

  void enqueue_or_refuse(core::job_request_ptr request, promise back,
                         k8s::time_point now);

  bool is_active() const { return active_ != nullptr; }
  bool can_begin_next_request() const { return !active_ && !waiting_.empty(); }
  std::size_t waiting_count() const { return waiting_.size(); }

  /// Begins the next request. Only if can_begin_next_request().
  step begin_next_request(const core::framework& kind,
                          const core::request_inputs& in, k8s::time_point now);

  /// The order with this number carries out the decision of a step.
  void record_issued_order(std::uint64_t order) { orders_.insert(order); }
  bool has_issued_order(std::uint64_t order) const {
    return orders_.count(order) > 0;
  }

  // Results. `order` has been issued, `number` is that of a read.
  step on_order_done(const core::order_done& report,
                     const core::request_inputs& in);
  step on_order_failed(std::uint64_t order, const core::decision& what,
                       const k8s::failure& why, const core::request_inputs& in);
  step on_read_response(std::uint64_t number,
                        const k8s::result<std::string>& answer,
                        const core::request_inputs& in);

  /// Answers all requests with this error.
  void refuse_all_requests(int status, const std::string& why);

private:
  struct queued {
    core::job_request_ptr request;
    promise back;
    k8s::time_point since;
  };

  step number_reads_and_respond(core::request_step next);
  void respond_and_finish(core::job_response r);

  std::list<queued> waiting_; ///< Of most jobs empty: no deque.
  std::unique_ptr<core::request_execution> active_;
  promise back_; ///< Of the active one.
  std::set<std::uint64_t> orders_;
  std::uint64_t first_read_ = 0; ///< Number of the active one's first read.
  std::uint64_t next_read_ = 0;
};

} // namespace troupe::actors
