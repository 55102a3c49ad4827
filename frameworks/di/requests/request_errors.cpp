#include "frameworks/di/requests/request_errors.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/requests/replica_lists.hpp"
#include "frameworks/di/requests/replica_response.hpp"

namespace troupe::frameworks::di {

namespace {

using core::job_response;
using core::request_inputs;

std::string kind_namespace_and_name(const core::job& j) {
  return "DIJob: " + j.ns + "/" + j.name;
}

std::optional<job_response> missing_section_error(const replica_request& q,
                                                  const core::job& j) {
  const std::pair<const char*, const replica_amount&> sections[] = {
      {role::collector, q.collectors}, {role::learner, q.learners}};
  for (const auto& [section, wanted] : sections)
    if (wanted.replicas > 0 && !j.find_replica_spec(section))
      return bad_request_response(kind_namespace_and_name(j) + " has no "
                                  + section + "s: add spec." + section
                                  + " to it");
  return std::nullopt;
}

/// Of a report, learners are looked for when its collectors are replaced.
std::vector<std::string> pod_names_to_check_first(const replica_request& q) {
  if (q.verb != request_verb::replace)
    return {q.job_lookup_pod()};
  return q.failed_collectors.empty() ? q.failed_learners : q.failed_collectors;
}

job_response not_a_pod_response(const std::string& whose,
                                const std::string& client, std::string data) {
  return {403,
          "only pods of " + whose
              + " may ask for its replicas, and none of them has the address "
              + client
              + "; a pod that has ended or shares the network of its node is "
                "not known by its address: see --di-server-access",
          std::move(data)};
}

/// Whether the operator looks after replicas no more.
bool has_job_or_coordinator_ended(const request_inputs& in) {
  const auto* coordinator = find_pod_not_deleted_by_us(
      in.seen, core::child_name(in.of, {role::coordinator, 0}));
  return in.has_finished || (coordinator && coordinator->is_finished());
}

} // namespace

job_response no_pod_of_job_response(const core::job_request& q,
                                    const core::job& j, std::string data) {
  return not_a_pod_response(kind_namespace_and_name(j), q.source,
                            std::move(data));
}

job_response no_pod_of_any_job_response(const std::string& client,
                                        std::string data) {
  return not_a_pod_response("a DIJob", client, std::move(data));
}

std::optional<job_response>
request_error_response_before_reads(const replica_request& q,
                                    const request_inputs& in) {
  const auto data = q.verb == request_verb::list ? std::string{"null"}
                                                 : unchanged_entry_json();
  for (const auto& name : pod_names_to_check_first(q))
    if (!name.empty() && !find_pod_not_deleted_by_us(in.seen, name))
      return pod_not_found_response(in.of.ns, name, data);
  if (!is_request_source_allowed(q, in.seen))
    return no_pod_of_job_response(q, in.of, data);
  if (q.verb == request_verb::list || q.verb == request_verb::remove)
    return std::nullopt;
  if (in.of.deleting)
    return job_response{
        404, kind_namespace_and_name(in.of) + " is being deleted", data};
  if (has_job_or_coordinator_ended(in))
    return job_response{409,
                        kind_namespace_and_name(in.of)
                            + " has ended: nobody would end what is created "
                              "for it now",
                        data};
  if (!in.of.validation_error.empty())
    return bad_request_response(in.of.validation_error);
  for (const auto& name : all_reported_pods(q))
    if (const auto* pod = find_pod_not_deleted_by_us(in.seen, name);
        pod && pod->at.type == role::coordinator)
      return bad_request_response(
          name
          + " is the coordinator, with which the job ends: it "
            "cannot be replaced");
  return missing_section_error(q, in.of);
}

} // namespace troupe::frameworks::di
