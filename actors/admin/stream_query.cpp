#include "actors/admin/stream_query.hpp"

#include "k8s/text.hpp"

namespace troupe::actors {

k8s::result<stream_subject> parse_stream_query(const k8s::http::request& q) {
  stream_subject subject;
  if (auto job = q.query_param("job"); !job.empty()) {
    auto parts = k8s::split_without_empty_parts(job, '/');
    if (parts.size() != 3)
      return k8s::failure{k8s::ec::invalid,
                          "the parameter job is \"" + job
                              + "\"; must be NAMESPACE/KIND/NAME"};
    subject.job = get_job_report{parts[0], parts[1], parts[2]};
  }
  if (auto since = q.query_param("since"); !since.empty()) {
    if (since.size() > 18
        || since.find_first_not_of("0123456789") != std::string::npos)
      return k8s::failure{k8s::ec::invalid,
                          "the parameter since is \"" + since
                              + "\"; must be the revision of a list of jobs"};
    subject.revision = std::stoull(since);
  }
  return subject;
}

} // namespace troupe::actors
