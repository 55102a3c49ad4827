#include "tests/simulation/queue/queue_invariants.hpp"

#include "tests/simulation/mpi_ssh/launcher_job_invariants.hpp"
#include "tests/simulation/queue/simulated_kueue.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

bool is_of_launcher(const json& pod) {
  return text(at(owner_of(pod), "kind")) == "Job";
}

bool is_on_lost_node(const json& pod) {
  for (const auto& c : at(pod, "status", "conditions"))
    if (text(at(c, "reason")) == "NodeNotReady")
      return true;
  return false;
}

std::string type_of(const json& pod) {
  const auto& type = label(pod, "replica-type");
  return type.empty() ? label(pod, "job-role") : type;
}

int count_in(const json& list, const std::string& name, int otherwise) {
  for (const auto& one : list)
    if (text(at(one, "name")) == name)
      return number(at(one, "count"));
  return otherwise;
}

/// For so many pods of the type Kueue charges its queue.
int charged(const json& workload, const std::string& type, int returned) {
  int given = count_in(at(workload, "status", "admission", "podSetAssignments"),
                       type, 0);
  int asked = count_in(at(workload, "spec", "podSets"), type, 0);
  return std::min(given, asked - returned);
}

int returned_of(const json& workload, const std::string& type) {
  return count_in(at(workload, "status", "reclaimablePods"), type, 0);
}

bool is_inside(const json& part, const json& whole) {
  if (part.is_object()) {
    for (const auto& [key, value] : part.items())
      if (!is_inside(value, at(whole, key.c_str())))
        return false;
    return true;
  }
  if (!part.is_array())
    return part == whole;
  return whole.is_array() && whole.size() >= part.size()
         && std::equal(part.begin(), part.end(), whole.begin(), is_inside);
}

/// Without what an admission may write.
json rest_of_spec(json spec, const char* types_field) {
  if (spec.contains("runPolicy"))
    spec["runPolicy"].erase("suspend");
  for (auto& type : spec[types_field]) {
    type.erase("template");
    type.erase("replicas");
  }
  return spec;
}

} // namespace

std::map<std::string, json>
queue_invariants::templates_of(const json& job) const {
  std::map<std::string, json> result;
  for (const auto& [type, spec] :
       at(job, "spec", row().names.spec_field).items())
    result[type] = at(spec, "template");
  return result;
}

void queue_invariants::templates_written() {
  if (const auto* j = job())
    written_ = templates_of(*j);
}

const std::string& queue_invariants::job_of(const json& child) const {
  const auto& owner = text(at(owner_of(child), "uid"));
  auto i = jobs_of_launchers_.find(owner);
  return i == jobs_of_launchers_.end() ? owner : i->second;
}

bool queue_invariants::is_live(const json& pod) const {
  bool overdue =
      deleting(pod)
      && seconds_of(at(pod, "metadata", "deletionTimestamp")) + 30 <= now();
  return phase_of(pod) != "Succeeded" && phase_of(pod) != "Failed" && !overdue
         && strays_.count(uid_of(pod)) == 0;
}

int queue_invariants::live_pods(const std::string& job,
                                const std::string& type) const {
  int result = 0;
  for (const auto& [key, pod] : api().all("pods"))
    if (job_of(pod) == job && is_live(pod)
        && (type.empty() || type_of(pod) == type))
      ++result;
  return result;
}

/// What the Workload had that this one, which has quota and waits for a check,
/// takes the place of; -1: it takes that of none.
int queue_invariants::granted_before(const json& slice,
                                     const std::string& type) const {
  const auto& key = text(at(slice, "metadata", "annotations",
                            "kueue.x-k8s.io/workload-slice-replacement-for"));
  const auto* w = key.empty() ? nullptr : api().find(workloads_plural, key);
  return w && holds(*w, "Finished") && !holds(slice, "Evicted")
             ? count_in(at(*w, "spec", "podSets"), type, 0)
             : -1;
}

int queue_invariants::granted(const std::string& job,
                              const std::string& type) const {
  int result = -1;
  for (const auto& [key, w] : api().all(workloads_plural)) {
    if (job_of(w) != job || !holds(w, "QuotaReserved") || holds(w, "Finished"))
      continue;
    int most = holds(w, "Admitted") ? charged(w, type, returned_of(w, type))
                                    : granted_before(w, type);
    result = std::max(result, most);
  }
  return result;
}

/// Kueue has finished the Workload of a job that grows, and not admitted the
/// larger one yet.
bool queue_invariants::is_between_slices(const std::string& job) const {
  const auto& all = api().all(workloads_plural);
  return granted(job, "") < 0
         && std::any_of(all.begin(), all.end(), [&](const auto& entry) {
              const auto& end = workload_condition(entry.second, "Finished");
              return job_of(entry.second) == job
                     && text(at(end, "reason")) == "WorkloadSliceReplaced";
            });
}

// -- what happened ------------------------------------------------------------

void queue_invariants::record_change(const std::string& type,
                                     const std::string& plural,
                                     const json& object) {
  if (plural == row().names.type.plural && type == "ADDED") {
    written_ = templates_of(object);
    failed_.clear();
  }
  if (plural == "pods")
    record_pod(type, object);
  else if (plural == "jobs")
    record_launcher(type, object);
}

void queue_invariants::record_pod(const std::string& type, const json& pod) {
  if (type == "ADDED" && is_of_launcher(pod))
    check_pod_of_launcher(pod);
  if (job_of(pod) != job_uid())
    return;
  if (type == "ADDED" && !is_of_launcher(pod)
      && writing_process() != present_process())
    strays_.insert(uid_of(pod));
  bool restarted = false;
  for (const auto& c : at(pod, "status", "containerStatuses"))
    restarted |= number(at(c, "restartCount")) > 0;
  if (phase_of(pod) == "Failed" || restarted || is_on_lost_node(pod))
    failed_.insert(uid_of(pod));
}

/// Nobody asks the Job controller; but the operator lets its Job run.
void queue_invariants::check_pod_of_launcher(const json& pod) {
  const auto& owner = text(at(owner_of(pod), "uid"));
  const auto* launcher = api().find("jobs", launcher_job_key);
  if (!launcher || uid_of(*launcher) != owner || owner == runs_by_late_write_) {
    strays_.insert(uid_of(pod));
    return;
  }
  // It is there already.
  int there = live_pods(job_of(pod), "launcher");
  if (int most = granted(job_of(pod), "launcher");
      there > most && !is_between_slices(job_of(pod)))
    report_violation("lets its launcher have " + std::to_string(there)
                     + " pods, and " + std::to_string(most) + " are granted");
}

/// One that was deleted counts as failed, too.
void queue_invariants::record_launcher(const std::string& type,
                                       const json& batch_job) {
  if (type == "ADDED")
    jobs_of_launchers_[uid_of(batch_job)] =
        text(at(owner_of(batch_job), "uid"));
  if (at(batch_job, "spec", "suspend") == true)
    runs_by_late_write_.clear();
  else if (writing_process() != present_process()
           && at(batch_job, "status", "startTime").is_null())
    runs_by_late_write_ = uid_of(batch_job);
  if (ours(batch_job) && number(at(batch_job, "status", "failed")) > 0)
    failed_.insert(uid_of(batch_job));
}

// -- writes -------------------------------------------------------------------

void queue_invariants::check_creation(const std::string& plural,
                                      const std::string& key,
                                      const json& body) {
  if (writing_process() != present_process())
    return;
  if (plural == "pods")
    check_new_pod(key, body);
  else if (plural == workloads_plural)
    check_new_workload(body);
}

void queue_invariants::check_new_pod(const std::string& key, const json& pod) {
  auto type = type_of(pod);
  int most = granted(job_of(pod), type);
  if (most < 0)
    return report_violation("makes " + key + ", and nothing is granted");
  int there = live_pods(job_of(pod), type);
  if (there >= most)
    report_violation("makes " + key + " beside " + std::to_string(there)
                     + " pods, and " + std::to_string(most) + " are granted");
}

void queue_invariants::check_new_workload(const json& body) {
  if (!is_guarded(body))
    report_violation("makes a Workload that nothing keeps");
  bool is_slice =
      at(body, "metadata", "annotations")
          .contains("kueue.x-k8s.io/workload-slice-replacement-for");
  if (!is_slice && live_pods(job_of(body), "") > 0)
    report_violation("asks for quota beside live pods");
  if (!job() || uid_of(*job()) != job_of(body) || is_slice)
    return;
  auto written = templates_of(*job());
  if (written != written_)
    report_violation("asks for quota with templates that nobody has written");
}

void queue_invariants::check_removal(const std::string& plural,
                                     const json& object, const json& body) {
  if (text(at(body, "preconditions", "uid")).empty())
    report_violation("deletes " + name_of(object) + " without naming its UID");
  if (plural == workloads_plural && is_guarded(object))
    report_violation("deletes a Workload that has quota");
}

void queue_invariants::check_change(const k8s::request& r,
                                    const std::string& plural,
                                    const json* object, const json& body) {
  if (plural != workloads_plural || !object || r.method == k8s::verb::remove)
    return;
  if (text(at(body, "metadata", "resourceVersion")).empty())
    report_violation("changes a Workload without naming its version");
  if (r.path.find("/status?") != std::string::npos)
    check_workload_status(*object, body);
  else
    check_workload_spec(*object, body);
}

void queue_invariants::check_workload_status(const json& old,
                                             const json& body) {
  bool had = holds(old, "QuotaReserved");
  bool has = holds(body, "QuotaReserved");
  if (had && !has)
    check_quota_given_back(old, "releases");
  if (!had && has)
    report_violation("reserves quota by itself");
  for (const char* theirs : {"Evicted", "Preempted"})
    if (workload_condition(old, theirs) != workload_condition(body, theirs))
      report_violation(std::string{"changes "} + theirs + ", which is Kueue's");
  const auto& before = at(old, "status", "reclaimablePods");
  const auto& after = at(body, "status", "reclaimablePods");
  if (had && has)
    for (const auto& one : before)
      if (count_in(after, text(at(one, "name")), 0) < number(at(one, "count")))
        report_violation("takes back pods that it has given back: "
                         + before.dump() + " to " + after.dump());
  if (after == before || writing_process() != present_process())
    return;
  for (const auto& one : after) {
    const auto& type = text(at(one, "name"));
    int asked = count_in(at(old, "spec", "podSets"), type, 0);
    int back = number(at(one, "count"));
    int left = charged(old, type, back);
    if (back > asked || live_pods(job_of(old), type) > left)
      report_violation("gives back " + std::to_string(back) + " of " + type
                       + ", and has "
                       + std::to_string(live_pods(job_of(old), type))
                       + " live ones with quota for " + std::to_string(left));
  }
}

void queue_invariants::check_workload_spec(const json& old, const json& body) {
  if (is_guarded(old) && !is_guarded(body))
    check_quota_given_back(old, "lets go");
  if (!holds(old, "QuotaReserved") || holds(old, "Finished"))
    return;
  auto names_own_class = [](const json& w) {
    return text(at(w, "spec", "priorityClassRef", "kind"))
           == "WorkloadPriorityClass";
  };
  // Of such classes Kueue takes another one at any time.
  bool may_rank = names_own_class(old) && names_own_class(body);
  auto frozen = [&](const json& w) {
    auto spec = at(w, "spec");
    if (may_rank) {
      spec["priorityClassRef"].erase("name");
      spec.erase("priority");
    }
    for (auto& set : spec["podSets"])
      set.erase("count");
    return spec;
  };
  if (frozen(old) != frozen(body))
    report_violation("changes the spec of a Workload that has quota: "
                     + at(body, "spec").dump());
  for (const auto& set : at(old, "spec", "podSets")) {
    const auto& type = text(at(set, "name"));
    int before = number(at(set, "count"));
    int after = count_in(at(body, "spec", "podSets"), type, 0);
    if (after > before)
      report_violation("asks for more pods in a Workload that has quota");
    int left = after - returned_of(old, type);
    if (after < before && live_pods(job_of(old), type) > left)
      report_violation("shrinks " + type + " to " + std::to_string(after)
                       + " beside more live pods than " + std::to_string(left));
  }
}

/// Only when no pod of the job is left; an ended job may keep its pods.
void queue_invariants::check_quota_given_back(const json& workload,
                                              const char* how) {
  if (writing_process() != present_process() || holds(workload, "Finished"))
    return;
  if (int live = live_pods(job_of(workload), ""); live > 0)
    report_violation(std::string{how} + " a Workload beside "
                     + std::to_string(live) + " live pods");
}

void queue_invariants::check_status(const json&, const json& status) {
  if (writing_process() != present_process())
    return;
  if (failed_.empty() && number(at(status, "restarts")) > 0)
    report_violation("counts restarts of pods that have not failed: "
                     + status.dump());
  if (failed_.empty() && number(at(status, "restartAttempt")) > 0)
    report_violation("begins an attempt though no pod has failed");
  if (failed_.empty())
    for (const auto& type : at(status, "replicaStatuses"))
      if (number(at(type, "failed")) > 0)
        report_violation("counts failed pods though none has: "
                         + status.dump());
}

/// A change of the job.
void queue_invariants::check_annotations(const json& body) {
  if (!body.contains("spec") || !job())
    return;
  if (text(at(body, "metadata", "resourceVersion")).empty())
    report_violation("changes its job without naming its version");
  const auto* types = row().names.spec_field;
  if (rest_of_spec(at(body, "spec"), types)
      != rest_of_spec(at(*job(), "spec"), types))
    report_violation("changes what is not its own in the job: "
                     + at(body, "spec").dump());
  check_templates(body);
}

void queue_invariants::check_templates(const json& body) {
  bool held = at(body, "spec", "runPolicy", "suspend") == true;
  auto templates = templates_of(body);
  if (held && templates != written_)
    report_violation("holds the job with other templates than were written: "
                     + json(templates).dump() + " for "
                     + json(written_).dump());
  if (held)
    return;
  for (const auto& [type, one] : written_)
    if (!is_inside(one, templates[type]))
      report_violation("starts the job without what was written: "
                       + templates[type].dump());
  if (!std::any_of(api().all(workloads_plural).begin(),
                   api().all(workloads_plural).end(),
                   [&](const auto& entry) {
                     return job_of(entry.second) == uid_of(*job())
                            && holds(entry.second, "QuotaReserved");
                   })
      && writing_process() == present_process())
    report_violation("starts the job, and nothing is granted");
}

} // namespace troupe::simulation
