#include "tests/simulation/judge.hpp"

#include "k8s/objects.hpp"

#include <algorithm>

namespace troupe::simulation {

long long seconds_of(const json& time) {
  auto t = k8s::from_rfc3339(text(time));
  return t ? std::chrono::duration_cast<std::chrono::seconds>(
                 t->time_since_epoch())
                 .count()
           : 0;
}

judge::judge(const kind_book& book, std::shared_ptr<fixtures::fake_api> api,
             std::string job_key)
    : book_(book)
    , api_(std::move(api))
    , job_key_(std::move(job_key)) {}

void judge::complain(std::string what) {
  complaints_.push_back(std::move(what));
}

template <class Test>
bool judge::some(Test test) const {
  return std::any_of(manifests_.begin(), manifests_.end(), test);
}

long long judge::now() const {
  return seconds_of(api_->now());
}

replica judge::read(const json& pod) const {
  replica r;
  r.type = label(pod, "replica-type");
  const auto& index = label(pod, "replica-index");
  r.index = index.empty() ? 0 : std::stoi(index);
  r.phase = phase_of(pod);
  r.leaving = leaving(pod);
  for (const auto& c : at(pod, "status", "conditions"))
    r.disrupted |= r.phase == "Failed"
                   && text(at(c, "type")) == "DisruptionTarget"
                   && text(at(c, "status")) == "True";
  const auto& containers = at(pod, "status", "containerStatuses");
  if (containers.is_array() && !containers.empty())
    if (const auto& end = at(containers[0], "state", "terminated");
        end.is_object())
      r.exit_code = number(at(end, "exitCode"));
  return r;
}

bool judge::ours(const json& object) const {
  return !uid_.empty() && text(at(owner_of(object), "uid")) == uid_;
}

bool judge::adoptable(const json& object) const {
  return owner_of(object).is_null() && label(object, "job-name") == "job";
}

cast judge::present() const {
  cast all;
  for (const auto& [key, pod] : api_->all("pods"))
    if (ours(pod))
      all.push_back(read(pod));
  return all;
}

// -- what happens -------------------------------------------------------------

void judge::job_changed() {
  const auto* j = job();
  if (!j)
    return;
  if (uid_of(*j) != uid_) {
    uid_ = uid_of(*j);
    uids_.insert(uid_);
    restarts_.clear();
    granted_ = 0;
    biggest_ = 0;
    most_limit_ = 0;
    over_ = false;
    for (const auto& [key, pod] : api_->all("pods"))
      pod_changed(key); // Orphans that it may adopt.
  }
  manifests_.push_back(book_.read((*j)["spec"]));
  most_limit_ = std::max(most_limit_, manifests_.back().limit.value_or(0));
}

void judge::pod_changed(const std::string& key) {
  const auto* pod = api_->find("pods", key);
  if (!pod || !(ours(*pod) || adoptable(*pod)))
    return;
  auto r = read(*pod);
  auto& most = restarts_[uid_of(*pod)];
  most = std::max(most, restarts_of(*pod, r));
  if (r.phase == "Pending" || r.phase == "Running")
    return;
  ended_.insert(uid_of(*pod));
  replicas_.push_back(std::move(r));
}

void judge::orphaned(const json& object) {
  orphaned_.insert(uid_of(object));
}

int judge::restarts_of(const json& pod, const replica& r) {
  const auto& containers = at(pod, "status", "containerStatuses");
  int made = containers.is_array() && !containers.empty()
                 ? number(at(containers[0], "restartCount"))
                 : 0;
  return made + (r.phase == "Failed" && !r.leaving && !r.disrupted ? 1 : 0);
}

int judge::true_restarts() const {
  int sum = 0;
  for (const auto& [uid, n] : restarts_)
    sum += n;
  return sum;
}

void judge::operator_begins() {
  manifests_.clear();
  uids_.clear();
  ended_.clear();
  orphaned_.clear();
  replicas_ = present();
  for (const auto& [key, pod] : api_->all("pods"))
    if (adoptable(pod))
      replicas_.push_back(read(pod));
  const auto* j = job();
  over_ = j && finished(*j);
  if (j) {
    uids_.insert(uid_of(*j));
    manifests_.push_back(book_.read((*j)["spec"]));
  }
}

void judge::calm_begins() {
  calm_since_ = now();
}

// -- writes -------------------------------------------------------------------

void judge::operator_writes(const k8s::request& r, const std::string& plural,
                            const std::string& key, const json& body) {
  if (plural == "events")
    return;
  ++writes_;
  const auto* object = api_->find(plural, key);
  if (plural == book_.plural()) {
    if (r.method == k8s::verb::remove)
      judge_job_removal(body);
    else if (r.path.size() > 7
             && r.path.compare(r.path.size() - 7, 7, "/status") == 0)
      judge_status(*object, at(body, "status"));
    else
      complain("changes its job's spec");
    return;
  }
  if (!some([](const manifest& m) { return !m.foreign; }))
    complain("touches " + key + " of a job that somebody else looks after");
  if (r.method == k8s::verb::create)
    judge_creation(plural, key, body);
  else if (r.method == k8s::verb::remove)
    judge_removal(plural, *object, body);
  else if (text(at(body, "metadata", "uid")).empty()
           && text(at(body, "metadata", "resourceVersion")).empty())
    complain("changes " + key + " whichever it is");
}

void judge::judge_creation(const std::string& plural, const std::string& key,
                           const json& body) {
  if (uids_.count(text(at(owner_of(body), "uid"))) == 0)
    complain("makes " + key + " for a job that is not there any more");
  if (plural != "pods" && plural != "services")
    return;
  if (over_)
    complain("makes " + key + " though the job was over when it began");
  if (plural == "services" && !book_.row().services)
    complain("makes the service " + key + ", which nobody wants");
  auto at_place = read(body);
  for (const auto& [other, o] : api_->all(plural)) {
    auto there = read(o);
    if (ours(o) && there.type == at_place.type && there.index == at_place.index)
      complain("makes a second one of " + plural + " for " + key);
  }
  if (!some([&](const manifest& m) {
        return m.wants(at_place.type, at_place.index);
      }))
    complain("makes " + key + " of " + plural + ", which nobody wants");
}

void judge::judge_removal(const std::string& plural, const json& object,
                          const json& body) {
  const auto& name = name_of(object);
  if (text(at(body, "preconditions", "uid")).empty())
    complain("deletes " + name + " without naming its UID");
  if (orphaned_.count(uid_of(object)) > 0)
    return;
  const auto& owner = text(at(owner_of(object), "uid"));
  if (uids_.count(owner) == 0) {
    complain("deletes " + name + ", which is not the job's");
    return;
  }
  const auto* j = job();
  if (!j || owner != uid_)
    return; // Its job is gone: nobody misses it.
  if (plural != "pods" && plural != "services")
    return;
  if (finished(*j) && may_clean_up(plural, object))
    return;
  auto r = read(object);
  bool unwanted =
      some([&](const manifest& m) { return !m.wants(r.type, r.index); });
  if (unwanted && !over_)
    return;
  if (plural == "pods" && !over_
      && some([&](const manifest& m) { return book_.replaced(m, r); }))
    judge_replacement(object, r);
  else
    complain("deletes the innocent " + plural + " " + name + ": "
             + object.dump() + " of " + j->dump());
}

/// Counts it against the limit as nobody can forget it. The last of them, in
/// whatever order they were granted, was granted with some still to spend.
void judge::judge_replacement(const json& pod, const replica& r) {
  judge_pace(pod, r);
  if (some([](const manifest& m) { return !m.limit; }))
    return;
  int these = restarts_of(pod, r);
  granted_ += these;
  biggest_ = std::max(biggest_, these);
  if (r.disrupted)
    return; // No limit forbids that.
  // One that was granted under another limit stays granted.
  if (granted_ - biggest_ >= most_limit_)
    complain("replaces " + name_of(pod) + ", in all " + std::to_string(granted_)
             + " restarts of " + std::to_string(most_limit_));
}

/// One that says that others failed early before it, and failed early itself,
/// is not replaced at once.
void judge::judge_pace(const json& pod, const replica& r) {
  const auto& note = text(at(pod, "metadata", "annotations",
                             "training.kubeflow.org/early-failures"));
  if (r.disrupted || note.empty() || at(pod, "status", "startTime").is_null())
    return;
  const auto& containers = at(pod, "status", "containerStatuses");
  auto begin = seconds_of(at(pod, "status", "startTime"));
  auto end =
      containers.is_array() && !containers.empty()
          ? seconds_of(at(containers[0], "state", "terminated", "finishedAt"))
          : begin;
  long long wait = 10;
  for (int i = std::stoi(note); i > 1 && wait < 300; --i)
    wait *= 2;
  wait = std::min(wait, 300LL);
  if (end - begin < 10 && now() < end + wait)
    complain("replaces " + name_of(pod) + " " + std::to_string(now() - end)
             + " s after it failed early, " + note + " failed before it");
}

bool judge::may_clean_up(const std::string& plural, const json& object) const {
  return some([&](const manifest& m) {
    if (m.cleanup == "All")
      return true;
    if (m.cleanup != "Running")
      return false;
    auto phase = phase_of(object);
    return plural == "services" || phase == "Running" || phase == "Pending"
           || ended_.count(uid_of(object)) > 0;
  });
}

void judge::judge_job_removal(const json& body) {
  const auto* j = job();
  if (text(at(body, "preconditions", "uid")).empty())
    complain("deletes its job without naming its UID");
  if (!j)
    return;
  if (!finished(*j)) {
    complain("deletes a job that is not over");
    return;
  }
  auto end = seconds_of(at(*j, "status", "completionTime"));
  if (!some([&](const manifest& m) { return m.ttl && now() >= end + *m.ttl; }))
    complain("deletes its job before its time");
  auto m = book_.read((*j)["spec"]);
  constexpr int patience = 120; // For whatever went wrong before.
  if (m.ttl && calm_since_ > 0 && end + *m.ttl > calm_since_ + patience
      && now() > end + *m.ttl + 1)
    complain("deletes its job " + std::to_string(now() - end - *m.ttl)
             + " s too late");
}

} // namespace troupe::simulation
