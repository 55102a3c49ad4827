#include "tests/simulation/di/coordinator_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr const char* coordinator = "job-coordinator";

const std::string& role_of(const json& pod) {
  return label_of(pod, "replica-type");
}

bool has_ended(const json& pod) {
  const auto& phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed" || exit_code_of(pod) >= 0;
}

/// "job-collector-" and five letters and digits.
bool is_name_of_replica(const std::string& name, const std::string& role) {
  auto stem = "job-" + role + "-";
  return name.rfind(stem, 0) == 0 && name.size() == stem.size() + 5
         && name.find_first_not_of("bcdfghjklmnpqrstvwxz2456789", stem.size())
                == std::string::npos;
}

} // namespace

coordinator_invariants::coordinator_invariants(
    const core::framework& row, std::shared_ptr<simulated_api_server> api,
    std::string job_key)
    : invariant_checker(row, std::move(api), std::move(job_key))
    , ledger_([this](std::string what) { report_violation(std::move(what)); }) {
}

// -- what happened ------------------------------------------------------------

std::size_t
coordinator_invariants::request_sent(replica_ledger::request_ptr what) {
  return ledger_.record_request(std::move(what), present_process());
}

void coordinator_invariants::request_answered(std::size_t number,
                                              const core::job_response& r) {
  ledger_.record_response(number, r, job_uid());
}

void coordinator_invariants::record_change(const std::string& type,
                                           const std::string& plural,
                                           const json& object) {
  if (plural == row().names.type.plural)
    record_job(type, object);
  else if (plural == "pods")
    record_pod(type, object);
  else if (!api().find("pods", "ns/" + name_of(object)))
    present().absent.insert(name_of(object)); // Of a service made too late.
}

void coordinator_invariants::record_job(const std::string& type,
                                        const json& job) {
  if (type == "DELETED")
    return;
  auto& known = present();
  if (type == "ADDED") {
    known.jobs.insert(uid_of(job));
    known.over = false;
    known.absent.insert(coordinator);
  }
  if (known.specs.empty() || known.specs.back() != at(job, "spec"))
    known.specs.push_back(at(job, "spec"));
}

void coordinator_invariants::record_pod(const std::string& type,
                                        const json& pod) {
  auto& known = present();
  if (type == "DELETED") {
    known.absent.insert(name_of(pod));
    ledger_.record_end(uid_of(pod));
    return;
  }
  bool by_operator = making_ == name_of(pod);
  making_.clear();
  if (owner_uid_of(pod).empty())
    return;
  known.pods.insert(name_of(pod));
  if (role_of(pod) == "coordinator")
    return record_coordinator(pod);
  if (type == "ADDED" && by_operator) {
    ledger_.record_pod(pod, writing_process());
    ++pods_made_[owner_uid_of(pod)][role_of(pod)];
  }
  if (deleting(pod))
    ledger_.record_interference(uid_of(pod));
}

void coordinator_invariants::record_coordinator(const json& pod) {
  if (auto state = state_of_coordinator(pod); !state.empty())
    present().coordinators[owner_uid_of(pod)].insert(state);
}

/// What it makes of the job, "" if nothing.
std::string
coordinator_invariants::state_of_coordinator(const json& pod) const {
  const auto& phase = phase_of(pod);
  if (deleting(pod) || role_of(pod) != "coordinator")
    return {};
  if (phase != "Running")
    return phase == "Failed" || phase == "Succeeded" ? phase : "";
  auto code = exit_code_of(pod);
  const auto& policy = text(at(pod, "spec", "restartPolicy"));
  bool is_started_again =
      policy == "Always" || (policy == "OnFailure" && code != 0);
  return code < 0 || is_started_again ? "Running"
         : code == 0                  ? "Succeeded"
                                      : "Failed";
}

void coordinator_invariants::child_orphaned(const json& object) {
  for (auto& [process, known] : known_) {
    known.orphaned.insert(uid_of(object));
    known.absent.insert(name_of(object));
  }
  ledger_.record_interference(uid_of(object));
}

void coordinator_invariants::operator_started() {
  auto& known = present() = {};
  if (const auto* j = job()) {
    known.jobs.insert(uid_of(*j));
    known.specs.push_back(at(*j, "spec"));
    known.over = finished(*j);
  }
  for (const auto& [key, pod] : api().all("pods")) {
    known.pods.insert(name_of(pod));
    record_coordinator(pod);
    if (has_ended(pod))
      known.ended.insert(uid_of(pod));
  }
  const auto* pod = api().find("pods", std::string{"ns/"} + coordinator);
  if (!pod || !ours(*pod))
    known.absent.insert(coordinator);
  for (const auto& [key, service] : api().all("services"))
    if (!api().find("pods", key))
      known.absent.insert(name_of(service));
}

void coordinator_invariants::call_failed(const k8s::request& r) {
  if (r.method != k8s::verb::remove || r.resource != "pods")
    return;
  auto name = r.path.substr(0, r.path.find('?'));
  ledger_.record_failed_removal(name.substr(name.rfind('/') + 1));
}

// -- writes -------------------------------------------------------------------

void coordinator_invariants::check_creation(const std::string& plural,
                                            const std::string& key,
                                            const json& body) {
  if (plural != "pods" && plural != "services")
    return report_violation("makes " + key + " of " + plural);
  if (writer().jobs.count(owner_uid_of(body)) == 0)
    report_violation("makes " + key + " for a job that does not exist");
  if (label_of(body, "dijob-name") != "job"
      || label_of(body, "pod-name") != name_of(body))
    report_violation("makes " + key
                     + " with labels of another: " + body.dump());
  if (plural == "pods")
    check_pod_creation(body);
  else
    check_service_creation(body);
}

void coordinator_invariants::check_pod_creation(const json& pod) {
  const auto& name = name_of(pod);
  const auto& role = role_of(pod);
  making_ = name;
  if (role != "coordinator") {
    if (!is_name_of_replica(name, role))
      report_violation("makes a " + role + " with the name " + name);
    return ledger_.check_creation(writing_process(), pod);
  }
  if (name != coordinator)
    report_violation("makes a coordinator with the name " + name);
  if (writer().over)
    report_violation("makes a coordinator for a finished job");
  if (writer().absent.count(name) == 0)
    report_violation("makes a second coordinator");
}

void coordinator_invariants::check_service_creation(const json& service) {
  const auto& name = name_of(service);
  if (writer().over)
    report_violation("makes " + name + " for a finished job");
  if (writer().pods.count(name) == 0)
    report_violation("makes the service " + name + " without a pod");
  if (at(service, "spec", "selector") != at(service, "metadata", "labels"))
    report_violation("the service " + name + " selects something else");
}

void coordinator_invariants::check_removal(const std::string& plural,
                                           const json& object,
                                           const json& body) {
  const auto& name = name_of(object);
  if (!must_have_reason_to_remove(object, body, writer().jobs,
                                  writer().orphaned))
    return;
  if (plural == "pods")
    check_pod_removal(object);
  else if (!finished(*job()) && writer().absent.count(name) == 0)
    report_violation("deletes the service " + name + " of a pod");
}

void coordinator_invariants::check_pod_removal(const json& pod) {
  if (finished(*job()) && may_clean_up(pod))
    return;
  if (role_of(pod) == "coordinator")
    return report_violation("deletes the coordinator of a job that is not "
                            "to be cleaned up");
  ledger_.check_removal(writing_process(), pod);
}

bool coordinator_invariants::may_clean_up(const json& pod) const {
  const auto& specs = writer().specs;
  return std::any_of(specs.begin(), specs.end(), [&](const json& spec) {
    auto policy = clean_pod_policy_of(spec);
    return policy == "All"
           || (policy == "Running" && writer().ended.count(uid_of(pod)) == 0);
  });
}

void coordinator_invariants::check_job_removal(const json&) {
  report_violation("deletes its job");
}

} // namespace troupe::simulation
