#include "tests/simulation/di/tasks_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr const char* service_name = "di-job";

bool has_any(const std::set<std::string>& all,
             std::initializer_list<const char*> of) {
  return std::any_of(of.begin(), of.end(),
                     [&](const char* one) { return all.count(one) > 0; });
}

} // namespace

bool tasks_invariants::some(
    const std::function<bool(const task_manifest&)>& test) const {
  const auto& all = writer().manifests;
  return std::any_of(all.begin(), all.end(), test);
}

bool tasks_invariants::has_ended(const std::string& uid, pod_end how) const {
  auto i = writer().failed.find(uid);
  return i != writer().failed.end()
         && std::any_of(i->second.begin(), i->second.end(),
                        [&](const json& pod) {
                          return some([&](const task_manifest& m) {
                            return m.end_of(pod) == how;
                          });
                        });
}

// -- what happened ------------------------------------------------------------

void tasks_invariants::record_change(const std::string& type,
                                     const std::string& plural,
                                     const json& object) {
  if (plural == row().names.type.plural)
    record_job(type, object);
  else if (plural == "pods")
    record_pod(type, object);
}

void tasks_invariants::record_job(const std::string& type, const json& job) {
  if (type == "DELETED")
    return;
  auto& known = present();
  if (type == "ADDED") {
    known.jobs.insert(uid_of(job));
    known.over = false;
    known.phases.clear();
    known.phases_since_start.clear();
    known.failed.clear();
    known.succeeded = false;
    known.running.clear();
    failures_.clear();
    failed_now_.clear();
    recoveries_.clear();
    replaced_.clear();
    for (const auto& [key, pod] : api().all("pods"))
      record_pod("ADDED", pod); // Orphans that it may adopt.
  }
  record_spec(at(job, "spec"));
  // A process knows what it has saved itself; what a former leader has saved
  // since then it sees late.
  if (status_writer_ == present_process())
    known.phases.clear();
  status_writer_ = 0;
  known.phases_since_start.insert(text(at(job, "status", "phase")));
  known.phases.insert(text(at(job, "status", "phase")));
}

/// What counted as no failure may be one now.
void tasks_invariants::record_spec(const json& spec) {
  auto& known = present();
  if (!known.manifests.empty() && known.manifests.back().spec == spec)
    return;
  known.manifests.push_back(read_task_manifest(spec));
  for (const auto& [uid, states] : known.failed)
    for (const auto& pod : states)
      if (known.manifests.back().end_of(pod) == pod_end::failed)
        failures_.insert({uid, recoveries_[uid]});
}

void tasks_invariants::record_pod(const std::string& type, const json& pod) {
  auto& known = present();
  const auto& uid = uid_of(pod);
  if (type == "DELETED" || deleting(pod) || phase_of(pod) == "Succeeded")
    known.running.erase(uid);
  if (type == "DELETED" || (!ours(pod) && !owner_of(pod).is_null()))
    return;
  known.succeeded |= phase_of(pod) == "Succeeded";
  bool failed = false;
  for (const auto& m : known.manifests)
    failed |= m.end_of(pod) != pod_end::none;
  if (failed)
    known.failed[uid].push_back(pod);
  // Its node may come back.
  if (failed)
    failed_now_.insert(uid);
  else if (failed_now_.erase(uid) > 0)
    ++recoveries_[uid];
  for (const auto& m : known.manifests)
    if (m.end_of(pod) == pod_end::failed)
      failures_.insert({uid, recoveries_[uid]});
}

void tasks_invariants::child_orphaned(const json& object) {
  for (auto& [process, known] : known_)
    known.orphaned.insert(uid_of(object));
  present().running.erase(uid_of(object));
}

void tasks_invariants::operator_started() {
  auto& known = present() = {};
  const auto* j = job();
  if (!j)
    return;
  known.jobs.insert(uid_of(*j));
  known.manifests.push_back(read_task_manifest(at(*j, "spec")));
  known.over = finished(*j);
  known.phases_since_start.insert(text(at(*j, "status", "phase")));
  known.phases.insert(text(at(*j, "status", "phase")));
  for (const auto& [key, pod] : api().all("pods")) {
    const auto& phase = phase_of(pod);
    if (phase == "Succeeded" || phase == "Failed")
      known.ended.insert(uid_of(pod));
    if (ours(pod) && phase != "Succeeded" && !deleting(pod)
        && label_of(pod, "diengine/job") == "job")
      known.running.insert(uid_of(pod));
    record_pod("ADDED", pod);
  }
}

// -- writes -------------------------------------------------------------------

void tasks_invariants::check_creation(const std::string& plural,
                                      const std::string& key,
                                      const json& body) {
  if (writer().jobs.count(owner_uid_of(body)) == 0)
    report_violation("makes " + key + " for a job that does not exist");
  if (writer().over)
    report_violation("makes " + key + " for a finished job");
  if (label_of(body, "diengine/job") != "job")
    report_violation("makes " + key + " with the labels of another job");
  if (plural == "pods")
    check_pod_creation(body);
  else if (plural != "services" || name_of(body) != service_name)
    report_violation("makes " + key + " of " + plural);
}

void tasks_invariants::check_pod_creation(const json& pod) {
  const auto& name = name_of(pod);
  const auto& task = task_of(pod);
  int index = index_of_pod(pod);
  if (name != "job-" + task + "-" + std::to_string(index))
    report_violation("makes a pod of " + task + " with the name " + name);
  const auto& annotations = at(pod, "metadata", "annotations");
  if (!some([&](const task_manifest& m) {
        return m.wants(task, index)
               && text(at(annotations, "diengine/rank"))
                      == std::to_string(m.rank_of(task, index))
               && text(at(annotations, "diengine/replicas"))
                      == std::to_string(m.all_replicas());
      }))
    report_violation("makes " + name
                     + ", which is not wanted so: " + annotations.dump());
  // It may have been on its way while another took its place for a time.
  if (ours(pod)
      && !has_any(writer().phases_since_start,
                  {"", "Pending", "Restarting", "Rescheduling"}))
    report_violation("makes " + name
                     + " without having been in a phase for "
                       "that");
}

void tasks_invariants::check_removal(const std::string& plural,
                                     const json& object, const json& body) {
  const auto& name = name_of(object);
  if (!must_have_reason_to_remove(object, body, writer().jobs,
                                  writer().orphaned))
    return;
  if (plural == "pods")
    check_pod_removal(object);
  else if (!finished(*job()) && name == service_name)
    report_violation("deletes the service of the job");
}

void tasks_invariants::check_pod_removal(const json& pod) {
  if (finished(*job()) && may_clean_up(pod))
    return;
  bool surplus = some([&](const task_manifest& m) {
    return !m.wants(task_of(pod), index_of_pod(pod));
  });
  // The deletion may have been on its way when the spec was edited.
  bool was_wanted = some([&](const task_manifest& m) {
    return m.wants(task_of(pod), index_of_pod(pod));
  });
  bool right = (surplus && was_wanted)
               || (surplus
                   && has_any(writer().phases,
                              {"", "Pending", "Restarting", "Rescheduling"}))
               || (has_ended(uid_of(pod), pod_end::lost)
                   && has_any(writer().phases, {"Restarting", "Rescheduling"}))
               || (has_ended(uid_of(pod), pod_end::failed)
                   && has_any(writer().phases, {"Restarting"}));
  if (!right || writer().over)
    report_violation("deletes without a reason " + pod.dump() + " of "
                     + job()->dump());
  if (!surplus && has_any(writer().phases, {"Restarting"}))
    replaced_.insert(uid_of(pod));
}

bool tasks_invariants::may_clean_up(const json& pod) const {
  return some([&](const task_manifest& m) {
    return m.policy == "All"
           || (m.policy == "Running" && writer().ended.count(uid_of(pod)) == 0);
  });
}

void tasks_invariants::check_job_removal(const json&) {
  report_violation("deletes its job");
}

} // namespace troupe::simulation
