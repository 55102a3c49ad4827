#include "tests/simulation/invariants.hpp"

#include "k8s/objects.hpp"

namespace troupe::simulation {

long long seconds_of(const json& time) {
  auto t = k8s::from_rfc3339(text(time));
  return t ? std::chrono::duration_cast<std::chrono::seconds>(
                 t->time_since_epoch())
                 .count()
           : 0;
}

invariant_checker::invariant_checker(const core::framework& row,
                                     std::shared_ptr<simulated_api_server> api,
                                     std::string job_key)
    : row_(row)
    , api_(std::move(api))
    , job_key_(std::move(job_key)) {}

void invariant_checker::report_violation(std::string what) {
  violations_.push_back(std::move(what));
}

long long invariant_checker::now() const {
  return seconds_of(api_->now());
}

bool invariant_checker::ours(const json& object) const {
  return !uid_.empty() && text(at(owner_of(object), "uid")) == uid_;
}

void invariant_checker::object_changed(const std::string& type,
                                       const std::string& plural,
                                       const json& object) {
  if (plural == row_.names.type.plural && type == "ADDED")
    uid_ = uid_of(object);
  record_change(type, plural, object);
}

void invariant_checker::operator_writes(const k8s::request& r,
                                        const std::string& plural,
                                        const std::string& key,
                                        const json& body) {
  if (plural == "events")
    return;
  ++writes_;
  writing_process_ = process_of(r);
  const auto* object = api_->find(plural, key);
  if (plural == row_.names.type.plural) {
    if (r.method == k8s::verb::remove)
      check_job_removal(body);
    else if (r.path.find("/status?") != std::string::npos)
      check_status(*object, at(body, "status"));
    else
      check_annotations(body);
    return;
  }
  check_any_write(key);
  check_change(r, plural, object, body);
  if (r.method == k8s::verb::create)
    check_creation(plural, key, body);
  else if (r.method == k8s::verb::remove)
    check_removal(plural, *object, body);
  else if (text(at(body, "metadata", "uid")).empty()
           && text(at(body, "metadata", "resourceVersion")).empty())
    report_violation("changes " + key + " without naming its UID or version");
}

void invariant_checker::pod_removed_at_once(const k8s::request& r,
                                            const json& pod, const json& body,
                                            bool was_lost) {
  ++writes_;
  writing_process_ = process_of(r);
  check_removal_at_once(pod);
  if (text(at(body, "preconditions", "uid")).empty())
    report_violation("deletes " + name_of(pod) + " without naming its UID");
  if (!was_lost)
    report_violation("deletes " + name_of(pod)
                     + " at once, but its node was never lost");
}

bool invariant_checker::must_have_reason_to_remove(
    const json& object, const json& body, const std::set<std::string>& jobs,
    const std::set<std::string>& orphaned) {
  const auto& name = name_of(object);
  if (text(at(body, "preconditions", "uid")).empty())
    report_violation("deletes " + name + " without naming its UID");
  if (orphaned.count(uid_of(object)) > 0)
    return false;
  if (jobs.count(text(at(owner_of(object), "uid"))) == 0) {
    report_violation("deletes " + name + ", which is not the job's");
    return false;
  }
  return job() && ours(object); // Else its job is gone.
}

} // namespace troupe::simulation
