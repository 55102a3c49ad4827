#include "actors/di_server/di_server.hpp"

#include "actors/di_server/di_server_responses.hpp"
#include "actors/joined_responses.hpp"
#include "frameworks/di/replica_response.hpp"
#include "frameworks/registry.hpp"

namespace troupe::actors {

namespace {

/// A job with a coordinator, and one of tasks.
const core::framework& kind_of_replicas() {
  return *frameworks::find("diengine.opendilab.org/v1alpha1", "DIJob");
}
const core::framework& kind_of_tasks() {
  return *frameworks::find("diengine.opendilab.org/v2alpha1", "DIJob");
}

job_response no_response() {
  return {504, "the operator did not respond in time; look what is there "
               "before asking again"};
}

/// What a request that has changed nothing has as data.
job_response with_data(job_response r, frameworks::di::request_verb verb) {
  if (r.data == "null" && verb != frameworks::di::request_verb::list)
    r.data = frameworks::di::nothing_done();
  return r;
}

} // namespace

void di_server_state::on_question(const replica_question& q) {
  const auto& pod = q.request->pod();
  if (pod.empty())
    return ask_all(q);
  ask(q, frameworks::di::possible_jobs_of_pod(pod),
      frameworks::di::pod_not_found(q.request->ns, pod, "null"));
}

void di_server_state::ask_all(const replica_question& q) {
  auto back = q.back;
  self_
      ->request(root_, 2 * response_patience,
                ask_jobs{&kind_of_replicas(), q.request->ns, q.request})
      .then(
          [back](const job_responses& all) {
            back->reply(to_http(frameworks::di::join_lists(*all)));
          },
          [back](caf::error&) { back->reply(to_http(no_response())); });
}

void di_server_state::ask(const replica_question& q, job_names candidates,
                          job_response otherwise) {
  const auto verb = q.request->verb;
  if (candidates.empty()) {
    q.back->reply(to_http(with_data(std::move(otherwise), verb)));
    return;
  }
  ask_job question{&kind_of_replicas(), q.request->ns, candidates.back(),
                   q.request};
  candidates.pop_back();
  self_->request(root_, 2 * response_patience, std::move(question))
      .then(
          [this, q, verb, candidates, otherwise](const job_response& r) {
            if (ask_again_later(q, r))
              return;
            if (!r.pod_unknown)
              q.back->reply(to_http(with_data(r, verb)));
            else // A response without a message: there is no such job.
              ask(q, candidates, r.message.empty() ? otherwise : r);
          },
          [back = q.back, verb](caf::error&) {
            back->reply(to_http(with_data(no_response(), verb)));
          });
}

void di_server_state::on_task_question(const task_question& q) {
  self_
      ->request(
          root_, 2 * response_patience,
          ask_job{&kind_of_tasks(), q.request->ns, q.request->job, q.request})
      .then(
          [this, q](const job_response& r) {
            if (!ask_again_later(q, r))
              q.back->reply(to_task_http(
                  r.pod_unknown ? frameworks::di::job_not_found(*q.request)
                                : r));
          },
          [back = q.back](caf::error&) {
            back->reply(to_task_http(no_response()));
          });
}

template <class Question>
bool di_server_state::ask_again_later(Question q, const job_response& r) {
  constexpr int most_refusals = 10;
  constexpr std::chrono::milliseconds pause{500};
  if (r.status != 403 || ++q.refusals >= most_refusals)
    return false;
  self_->delayed_send(self_, pause, std::move(q));
  return true;
}

di_server_actor::behavior_type
di_server(di_server_actor::stateful_pointer<di_server_state> self,
          root_actor root) {
  self->state.init(std::move(root));
  return {
      [self](const replica_question& q) { self->state.on_question(q); },
      [self](const task_question& q) { self->state.on_task_question(q); },
  };
}

} // namespace troupe::actors
