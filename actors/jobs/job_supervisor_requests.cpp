// How a supervisor carries out the requests of its job's pods.

#include "actors/jobs/job_supervisor.hpp"
#include "k8s/calls.hpp"

namespace troupe::actors {

caf::result<job_response>
job_supervisor_state::on_job_request(const request_to_job& request) {
  if (job_undecodable_)
    return job_response{500, "the job " + summary_};
  if (!request.what->may_change_replicas() && memory_.job()
      && !reads_.is_recovering())
    return *ref_->kind->own.begin_request(request.what)
                ->begin(request_inputs())
                .response;
  auto promise = self_->make_response_promise<job_response>();
  requests_.change().enqueue_or_refuse(request.what, promise, now());
  begin_next_pod_request_if_possible();
  return promise;
}

core::request_inputs job_supervisor_state::request_inputs() const {
  return {*memory_.job(), memory_.observed(), context_->options->cluster,
          context_->jitter, status_writer_.saved_status()->is_finished()};
}

// While the children are listed again, requests wait.
void job_supervisor_state::begin_next_pod_request_if_possible() {
  if (requests_->can_begin_next_request() && memory_.job()
      && !reads_.is_recovering())
    execute_step_and_begin_next_request(requests_.change().begin_next_request(
        *ref_->kind, request_inputs(), now()));
}

void job_supervisor_state::execute_step_and_begin_next_request(
    job_requests::step next) {
  for (std::size_t i = 0; i < next.reads.size(); ++i) {
    const auto& what = next.reads[i];
    auto request = what.name.empty()
                       ? k8s::list({what.type, what.ns, "", ""}, 0, "")
                       : k8s::get({what.type, what.ns, what.name});
    own_calls::call purpose{own_calls::purpose::read_for_request};
    purpose.number = next.read_numbers[i];
    send_own_call(purpose, std::move(request));
  }
  for (auto number : carry_out_decisions(next.decisions))
    requests_.change().record_issued_order(number);
  begin_next_pod_request_if_possible();
}

void job_supervisor_state::advance_pod_request_that_ordered(
    const core::order_done& result) {
  if (requests_->has_issued_order(result.order.id))
    execute_step_and_begin_next_request(
        requests_.change().on_order_done(result, request_inputs()));
}

void job_supervisor_state::advance_pod_request_that_ordered(
    const core::order_failed& result) {
  if (!requests_->has_issued_order(result.order.id))
    return;
  // Nobody tries again to create a pod with this name.
  memory_.forget_failures_if_child_creation(*result.order.decision);
  execute_step_and_begin_next_request(requests_.change().on_order_failed(
      result.order.id, *result.order.decision, result.why, request_inputs()));
}

void job_supervisor_state::advance_pod_request_that_ordered(
    const core::orders_cancelled& result) {
  for (const auto& order : result.orders)
    if (requests_->has_issued_order(order.id))
      execute_step_and_begin_next_request(requests_.change().on_order_failed(
          order.id, *order.decision,
          {k8s::ec::cancelled, "the job was changed meanwhile; ask again"},
          request_inputs()));
}

caf::result<report_answer>
job_supervisor_state::on_progress_report(const report_to_job& report) {
  const auto& job = memory_.job();
  if (!job || reads_.is_recovering() || !context_->options->reconcile_enabled)
    return report_answer{
        report.asks ? 404 : 503, "the job " + summary_ + "; report later", {}};
  if (report.asks)
    return report_answer{
        memory_.takes_reports_of(report.pod_uid) ? 200 : 403, {}, {}};
  auto change = memory_.record_report(report.pod_uid, report.progress, now());
  if (!change)
    return report_answer{403, {}, {}};
  count_emit_and_reconcile_if_needed(*change);
  progress_history_.change().add(*memory_.observed().reported());
  return report_answer{200, {}, memory_.observed().reported()};
}

} // namespace troupe::actors
