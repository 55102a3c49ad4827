#include "actors/di_server/di_server.hpp"

#include "actors/base/joined_responses.hpp"
#include "actors/di_server/di_server_responses.hpp"
#include "frameworks/di/requests/replica_response.hpp"
#include "frameworks/registry.hpp"

namespace troupe::actors {

namespace {

/// A job with a coordinator, and one of tasks.
const core::framework& coordinator_dijob_kind() {
  return *frameworks::find("diengine.opendilab.org/v1alpha1", "DIJob");
}
const core::framework& tasks_dijob_kind() {
  return *frameworks::find("diengine.opendilab.org/v2alpha1", "DIJob");
}

job_response job_timeout_response() {
  return {504, "the operator did not respond in time; look what is there "
               "before asking again"};
}

/// What a request that has changed nothing has as data.
job_response use_unchanged_entry_if_no_data(job_response r,
                                            frameworks::di::request_verb verb) {
  if (r.data == "null" && verb != frameworks::di::request_verb::list)
    r.data = frameworks::di::unchanged_entry_json();
  return r;
}

} // namespace

void di_server_state::on_replica_request(const replica_call& q) {
  const auto& pod = q.request->job_lookup_pod();
  if (pod.empty())
    return q.request->source.empty() ? forward_to_all_jobs(q)
                                     : forward_to_jobs_of_client(q);
  forward_to_last_candidate_with_pod(
      q, frameworks::di::possible_jobs_of_pod(pod),
      frameworks::di::pod_not_found_response(q.request->ns, pod, "null"));
}

void di_server_state::forward_to_all_jobs(const replica_call& q) {
  auto back = q.writer;
  self_
      ->request(
          root_, 2 * response_patience,
          request_to_jobs{&coordinator_dijob_kind(), q.request->ns, q.request})
      .then(
          [back](const job_responses& all) {
            back->reply(
                to_http_response(frameworks::di::join_list_responses(*all)));
          },
          [back](caf::error&) {
            back->reply(to_http_response(job_timeout_response()));
          });
}

void di_server_state::forward_to_jobs_of_client(const replica_call& q) {
  const auto* kind = &coordinator_dijob_kind();
  std::vector<response_source> sources;
  auto add_source = [&](const std::string& job_ns, const std::string& job) {
    sources.push_back(
        [this, question = request_to_job{kind, job_ns, job, q.request}](
            take_responses take) {
          self_->request(root_, 2 * response_patience, question)
              .then(
                  [take](const job_response& r) {
                    take(r.pod_unknown ? std::vector<job_response>{}
                                       : std::vector<job_response>{r});
                  },
                  [take](caf::error&) { take({job_timeout_response()}); });
        });
  };
  for (const auto& job : addresses_->jobs_at(q.request->source))
    if (job.kind == kind && (q.request->ns.empty() || job.ns == q.request->ns))
      add_source(job.ns, job.name);
  // Of a job that is not there nothing is listed; but the operator may have no
  // list at all yet, and says so.
  if (sources.empty())
    add_source("", "");
  join_responses_in_order(
      sources, [back = q.writer](const std::vector<job_response>& all) {
        back->reply(to_http_response(frameworks::di::join_list_responses(all)));
      });
}

void di_server_state::forward_to_last_candidate_with_pod(
    const replica_call& q, job_names candidates,
    job_response response_if_none) {
  const auto verb = q.request->verb;
  if (candidates.empty()) {
    q.writer->reply(to_http_response(
        use_unchanged_entry_if_no_data(std::move(response_if_none), verb)));
    return;
  }
  request_to_job request{&coordinator_dijob_kind(), q.request->ns,
                         candidates.back(), q.request};
  candidates.pop_back();
  self_->request(root_, 2 * response_patience, std::move(request))
      .then(
          [this, q, verb, candidates, response_if_none](const job_response& r) {
            if (!r.pod_unknown)
              q.writer->reply(
                  to_http_response(use_unchanged_entry_if_no_data(r, verb)));
            else // A response without a message: there is no such job.
              forward_to_last_candidate_with_pod(
                  q, candidates, r.message.empty() ? response_if_none : r);
          },
          [back = q.writer, verb](caf::error&) {
            back->reply(to_http_response(
                use_unchanged_entry_if_no_data(job_timeout_response(), verb)));
          });
}

void di_server_state::on_task_request(const task_call& q) {
  self_
      ->request(root_, 2 * response_patience,
                request_to_job{&tasks_dijob_kind(), q.request->ns,
                               q.request->job, q.request})
      .then(
          [q](const job_response& r) {
            q.writer->reply(to_task_http_response(
                r.pod_unknown
                    ? frameworks::di::job_not_found_response(*q.request)
                    : r));
          },
          [back = q.writer](caf::error&) {
            back->reply(to_task_http_response(job_timeout_response()));
          });
}

di_server_actor::behavior_type
di_server(di_server_actor::stateful_pointer<di_server_state> self,
          root_actor root, std::shared_ptr<const job_pod_addresses> addresses) {
  self->state.init(std::move(root), std::move(addresses));
  return {
      [self](const replica_call& q) { self->state.on_replica_request(q); },
      [self](const task_call& q) { self->state.on_task_request(q); },
  };
}

} // namespace troupe::actors
