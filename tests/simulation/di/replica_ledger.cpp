#include "tests/simulation/di/replica_ledger.hpp"

#include <algorithm>

namespace troupe::simulation {

using frameworks::di::request_verb;

namespace {

bool is_side_of_learners(const std::string& role) {
  return role != "collector";
}

int to_number(const std::string& text) {
  return text.empty() ? 0 : std::stoi(text);
}

std::string aggregator_of(const json& pod) {
  for (const auto& owner : at(pod, "metadata", "ownerReferences"))
    if (text(at(owner, "kind")) == "Pod")
      return text(at(owner, "name"));
  return {};
}

} // namespace

// -- requests -----------------------------------------------------------------

std::size_t replica_ledger::record_request(request_ptr what, int process) {
  requests_.push_back({std::move(what), process, ++clock_, std::nullopt});
  return requests_.size() - 1;
}

/// What was begun may be under way, or may have failed in part.
bool replica_ledger::may_be_under_way(const request_record& q) {
  return !q.response || q.interrupted || q.response->status == 500;
}

std::string replica_ledger::role_of_name(const std::string& name) const {
  for (const char* role : {"ddp-learner", "aggregator", "collector", "learner"})
    if (name.rfind("job-" + std::string{role} + "-", 0) == 0)
      return role;
  return {};
}

int replica_ledger::most_pods_asked(const request_record& q,
                                    const std::string& role) const {
  const auto& what = *q.what;
  if (what.verb == request_verb::add) {
    auto learners = static_cast<int>(what.learners.replicas);
    auto gpus = static_cast<int>(what.learners.gpu_count);
    if (role == "collector")
      return static_cast<int>(what.collectors.replicas);
    if (role == "learner")
      return gpus > 1 ? 0 : learners;
    return gpus > 1 ? role == "aggregator" ? learners : learners * gpus : 0;
  }
  if (what.verb != request_verb::replace)
    return 0;
  int sum = 0;
  for (const auto& name : all_reported_pods(what)) {
    auto reported = role_of_name(name);
    bool has_processes = reported == "aggregator" || reported == "ddp-learner";
    if (role == "ddp-learner" && has_processes)
      sum += most_gpus;
    else if (role == reported)
      ++sum;
  }
  return sum;
}

// -- the operator's writes ----------------------------------------------------

void replica_ledger::check_creation(int process, const json& pod) {
  const auto& role = label_of(pod, "replica-type");
  int asked = 0;
  for (const auto& q : requests_)
    if (q.process == process && may_be_under_way(q))
      asked += most_pods_asked(q, role);
  int made = 1;
  for (const auto& [uid, p] : pods_)
    made += p.maker == process && p.role == role && p.told == 0
            && p.job == owner_uid_of(pod);
  if (made > asked)
    report_("makes " + name_of(pod) + ", though only " + std::to_string(asked)
            + " are asked for that nobody was told of");
}

bool replica_ledger::asks_to_replace(const request_record& q,
                                     const pod_record& pod) const {
  if (q.what->verb != request_verb::replace)
    return false;
  for (const auto& name : all_reported_pods(*q.what)) {
    const auto* reported = find_pod_by_name(name);
    if (name == pod.name || name == pod.aggregator
        || (reported && !pod.aggregator.empty()
            && reported->aggregator == pod.aggregator))
      return true;
  }
  return false;
}

/// By a report of failed pods.
bool replica_ledger::may_be_replaced(int process, const pod_record& pod) const {
  return std::any_of(requests_.begin(), requests_.end(), [&](const auto& q) {
    return q.process == process && may_be_under_way(q)
           && asks_to_replace(q, pod);
  });
}

/// By a request for fewer replicas. Processes go with their aggregator.
bool replica_ledger::may_be_surplus(int process, const pod_record& pod) const {
  bool learners = is_side_of_learners(pod.role);
  int asked = 0;
  for (const auto& q : requests_)
    if (q.process == process && may_be_under_way(q)
        && q.what->verb == request_verb::remove)
      asked += static_cast<int>(learners ? q.what->learners.replicas
                                         : q.what->collectors.replicas);
  if (pod.role == "ddp-learner")
    return asked > 0;
  int removed = 1;
  for (const auto& [uid, p] : pods_)
    removed += p.surplus_for.count(process) > 0 && p.removal_told == 0
               && p.uid != pod.uid && p.job == pod.job
               && p.role != "ddp-learner"
               && is_side_of_learners(p.role) == learners;
  return removed <= asked;
}

void replica_ledger::check_removal(int process, const json& pod) {
  auto i = pods_.find(uid_of(pod));
  if (i == pods_.end()) {
    report_("deletes " + name_of(pod) + ", which was not made on request");
    return;
  }
  auto& record = i->second;
  record.removed = true;
  bool rolled_back = record.maker == process && record.told == 0;
  if (rolled_back || may_be_replaced(process, record))
    return;
  if (!may_be_surplus(process, record))
    report_("deletes " + record.name + ", and nobody has asked for that");
  record.surplus_for.insert(process);
}

void replica_ledger::record_failed_removal(const std::string& pod) {
  if (auto* p = find_pod_by_name(pod))
    p->removal_failed = true;
}

// -- what became of the pods --------------------------------------------------

void replica_ledger::record_pod(const json& pod, int maker) {
  pod_record p;
  p.name = name_of(pod);
  p.uid = uid_of(pod);
  p.job = owner_uid_of(pod);
  p.role = label_of(pod, "replica-type");
  p.maker = maker;
  p.aggregator = aggregator_of(pod);
  p.gpus = to_number(variable_of(pod, "LOCAL_WORLD_SIZE"));
  p.all_gpus = to_number(variable_of(pod, "WORLD_SIZE"));
  uids_[p.name] = p.uid;
  pods_[p.uid] = std::move(p);
}

void replica_ledger::record_interference(const std::string& uid) {
  if (auto i = pods_.find(uid); i != pods_.end())
    i->second.interfered = true;
}

void replica_ledger::record_end(const std::string& uid) {
  if (auto i = pods_.find(uid); i != pods_.end())
    i->second.gone = true;
}

replica_ledger::pod_record*
replica_ledger::find_pod_by_name(const std::string& name) {
  auto i = uids_.find(name);
  return i == uids_.end() ? nullptr : &pods_.at(i->second);
}

const replica_ledger::pod_record*
replica_ledger::find_pod_by_name(const std::string& name) const {
  auto i = uids_.find(name);
  return i == uids_.end() ? nullptr : &pods_.at(i->second);
}

// -- the end state ------------------------------------------------------------

void replica_ledger::check_end_state(const std::string& job,
                                     int present) const {
  for (const auto& q : requests_)
    if (!q.response && q.process == present)
      report_("a request was never answered");
  std::map<std::pair<int, std::string>, int> untold; // By maker and role.
  for (const auto& [uid, p] : pods_)
    if (!p.gone && !p.interfered && p.job == job && p.told == 0
        && !p.removal_failed)
      ++untold[{p.maker, p.role}];
  for (const auto& [whose, count] : untold) {
    int asked = 0; // By requests that may have been done in part.
    for (const auto& q : requests_)
      if (q.process == whose.first && (!q.response || q.interrupted))
        asked += most_pods_asked(q, whose.second);
    if (count > asked)
      report_(std::to_string(count) + " pods of the role " + whose.second
              + " are left of which nobody was told, " + std::to_string(asked)
              + " were asked for");
  }
}

} // namespace troupe::simulation
