#include "frameworks/di/request_errors.hpp"

#include "frameworks/di/dijob_pods.hpp"
#include "frameworks/di/replica_lists.hpp"
#include "frameworks/di/replica_response.hpp"

namespace troupe::frameworks::di {

namespace {

using core::job_response;
using core::request_inputs;

job_response bad_request(const std::string& why) {
  return {400, why, nothing_done()};
}

std::string job_text(const core::job& j) {
  return "DIJob: " + j.ns + "/" + j.name;
}

std::optional<job_response> find_missing_section(const replica_request& q,
                                                 const core::job& j) {
  const std::pair<const char*, const replica_amount&> sections[] = {
      {role::collector, q.collectors}, {role::learner, q.learners}};
  for (const auto& [section, wanted] : sections)
    if (wanted.replicas > 0 && !j.find(section))
      return bad_request(job_text(j) + " has no " + section + "s: add spec."
                         + section + " to it");
  return std::nullopt;
}

} // namespace

job_response forbidden(const core::job_request& q, const core::job& j,
                       std::string data) {
  return {403,
          "only pods of " + job_text(j)
              + " may ask for its replicas, and none of them has the address "
              + q.source + "; see di-server-access",
          std::move(data)};
}

std::optional<job_response> find_request_error(const replica_request& q,
                                               const request_inputs& in) {
  const auto data =
      q.verb == request_verb::list ? std::string{"null"} : nothing_done();
  auto names = q.verb == request_verb::replace
                   ? all_reported(q)
                   : std::vector<std::string>{q.pod()};
  for (const auto& name : names)
    if (!name.empty() && !find_pod(in.seen, name))
      return pod_not_found(in.of.ns, name, data);
  if (!may_ask(q, in.seen))
    return forbidden(q, in.of, data);
  if (q.verb == request_verb::list || q.verb == request_verb::remove)
    return std::nullopt;
  if (in.of.deleting)
    return job_response{404, job_text(in.of) + " is being deleted", data};
  if (!in.of.problem.empty())
    return bad_request(in.of.problem);
  for (const auto& name : names)
    if (q.verb == request_verb::replace
        && find_pod(in.seen, name)->at.type == role::coordinator)
      return bad_request(name
                         + " is the coordinator, with which the job ends: it "
                           "cannot be replaced");
  return find_missing_section(q, in.of);
}

} // namespace troupe::frameworks::di
