// How a supervisor carries out the requests of its job's pods.

#include "actors/job_supervisor.hpp"
#include "k8s/calls.hpp"

namespace troupe::actors {

caf::result<job_response>
job_supervisor_state::on_asked(const ask_job& question) {
  if (job_undecodable_)
    return job_response{500, "the job " + verdict_};
  if (!question.what->changes() && memory_.job() && recovery_.complete())
    return *ref_->kind->begin_request(question.what)
                ->begin(request_inputs())
                .response;
  auto promise = self_->make_response_promise<job_response>();
  requests_.add(question.what, promise, now());
  begin_next_request();
  return promise;
}

core::request_inputs job_supervisor_state::request_inputs() const {
  return {*memory_.job(), memory_.seen(), context_->sizes->cluster,
          context_->jitter};
}

// While the children are listed again, requests wait.
void job_supervisor_state::begin_next_request() {
  if (requests_.can_begin() && memory_.job() && recovery_.complete())
    carry_out(requests_.begin_next(*ref_->kind, request_inputs(), now()));
}

void job_supervisor_state::carry_out(job_requests::step next) {
  for (std::size_t i = 0; i < next.reads.size(); ++i) {
    const auto& what = next.reads[i];
    auto request = what.name.empty()
                       ? k8s::list({what.type, what.ns, "", ""}, 0, "")
                       : k8s::get({what.type, what.ns, what.name});
    own_call purpose{call_kind::read_for_request};
    purpose.number = next.read_numbers[i];
    call(purpose, std::move(request));
  }
  for (auto number : dispatch(next.decisions))
    requests_.record_issued(number);
  begin_next_request();
}

void job_supervisor_state::advance_request(const core::order_done& report) {
  if (requests_.owns(report.order.id))
    carry_out(requests_.on_done(report, request_inputs()));
}

void job_supervisor_state::advance_request(const core::order_failed& report) {
  if (!requests_.owns(report.order.id))
    return;
  // Nobody tries again to create a pod with this name.
  memory_.forget_failed_creation(report.order.decision);
  carry_out(requests_.on_failed(report.order.id, report.order.decision,
                                report.why, request_inputs()));
}

void job_supervisor_state::advance_request(
    const core::orders_cancelled& report) {
  for (const auto& order : report.orders)
    if (requests_.owns(order.id))
      carry_out(requests_.on_failed(
          order.id, order.decision,
          {k8s::ec::cancelled, "the job was changed meanwhile; ask again"},
          request_inputs()));
}

void job_supervisor_state::refuse_requests(const caf::error& why) {
  if (why == caf::exit_reason::user_shutdown)
    requests_.refuse_all(404, ref_->kind->type.kind + ": " + ref_->ns + "/"
                                  + ref_->name
                                  + " is no longer looked after here");
  else
    requests_.refuse_all(503, "the operator has lost track of the request; "
                              "look what is there before asking again");
}

} // namespace troupe::actors
