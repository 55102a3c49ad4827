#include "actors/jobs/job_requests.hpp"

#include <utility>

namespace troupe::actors {

void job_requests::enqueue_or_refuse(core::job_request_ptr request,
                                     promise back, k8s::time_point now) {
  if (waiting_.size() >= most_waiting) {
    back.deliver(core::job_response{
        503, "too many requests to this job wait for their turn; ask later"});
    return;
  }
  waiting_.push_back({std::move(request), std::move(back), now});
}

job_requests::step
job_requests::begin_next_request(const core::framework& kind,
                                 const core::request_inputs& in,
                                 k8s::time_point now) {
  while (!active_ && !waiting_.empty()) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    back_ = std::move(next.back);
    if (next.since + job_request_patience < now) {
      respond_and_finish({504, "the request has waited too long for its turn"});
      continue;
    }
    active_ = kind.own.begin_request(next.request);
    first_read_ = next_read_;
    if (auto first = number_reads_and_respond(active_->begin(in)); active_)
      return first;
  }
  return {};
}

job_requests::step job_requests::on_order_done(const core::order_done& report,
                                               const core::request_inputs& in) {
  orders_.erase(report.order.id);
  return active_ ? number_reads_and_respond(active_->on_order_done(report, in))
                 : step{};
}

job_requests::step
job_requests::on_order_failed(std::uint64_t order, const core::decision& what,
                              const k8s::failure& why,
                              const core::request_inputs& in) {
  orders_.erase(order);
  return active_
             ? number_reads_and_respond(active_->on_order_failed(what, why, in))
             : step{};
}

job_requests::step
job_requests::on_read_response(std::uint64_t number,
                               const k8s::result<std::string>& answer,
                               const core::request_inputs& in) {
  // An answer for an earlier request, which had another error first.
  if (!active_ || number < first_read_)
    return {};
  return number_reads_and_respond(active_->on_read_response(
      static_cast<std::size_t>(number - first_read_), answer, in));
}

job_requests::step
job_requests::number_reads_and_respond(core::request_step next) {
  step result;
  result.decisions = std::move(next.decisions);
  for (auto& what : next.reads) {
    result.reads.push_back(std::move(what));
    result.read_numbers.push_back(next_read_++);
  }
  if (next.response)
    respond_and_finish(std::move(*next.response));
  return result;
}

void job_requests::respond_and_finish(core::job_response r) {
  active_.reset();
  std::exchange(back_, {}).deliver(std::move(r));
}

void job_requests::refuse_all_requests(int status, const std::string& why) {
  if (active_)
    respond_and_finish({status, why});
  for (auto& one : std::exchange(waiting_, {}))
    one.back.deliver(core::job_response{status, why});
}

} // namespace troupe::actors
