#include "tests/frameworks/core/cluster_model.hpp"

#include "frameworks/core/observed/observed.hpp"

#include <algorithm>

namespace troupe::fixtures {

using core::child_kind;
using k8s::pod_phase;

cluster_model::cluster_model(std::uint64_t seed)
    : s(make_job().get())
    , random_(seed) {
  s.j = random_job();
  for (int n = pick(8); n > 0; --n)
    random_child();
}

core::job cluster_model::random_job() {
  const char* policies[] = {"Never", "OnFailure", "Always", "ExitCode"};
  const char* cleans[] = {"None", "Running", "All"};
  auto b = make_job();
  if (happens(0.8))
    b.workers(pick(4)).restart_policy("Worker", policies[pick(4)]);
  if (happens(0.4))
    b.servers(pick(3)).restart_policy("PS", policies[pick(4)]);
  if (happens(0.3))
    b.chief().restart_policy("Chief", policies[pick(4)]);
  b.clean_pod_policy(cleans[pick(3)]);
  if (happens(0.4))
    b.backoff_limit(pick(4));
  if (happens(0.2))
    b.active_deadline(pick(30));
  if (happens(0.2))
    b.ttl(pick(30));
  if (happens(0.15))
    b.suspended();
  if (happens(0.2))
    b.dynamic();
  if (happens(0.2))
    b.all_workers();
  return b;
}

cluster_model::child& cluster_model::add(child_kind kind,
                                         const std::string& type, int index) {
  child t;
  t.kind = kind;
  t.type = type;
  t.index = index;
  t.uid = "uid-" + std::to_string(clock_);
  t.name = "job-" + type + "-" + std::to_string(index);
  t.owner = "us";
  t.version = clock_++;
  t.started = t.ended = s.now;
  return children_.emplace(t.uid, t).first->second;
}

void cluster_model::random_child() {
  const char* types[] = {"worker", "ps", "chief", "boss"};
  auto& t = add(happens(0.6) ? child_kind::pod : child_kind::service,
                types[pick(4)], pick(5) - (happens(0.1) ? 1 : 0));
  pod_phase phases[] = {pod_phase::pending, pod_phase::running,
                        pod_phase::succeeded, pod_phase::failed,
                        pod_phase::unknown};
  t.phase = phases[pick(5)];
  if (t.phase == pod_phase::failed && happens(0.8))
    t.code = happens(0.5) ? 1 : 137;
  if (t.phase == pod_phase::succeeded)
    t.code = 0;
  t.restarts = pick(3);
  t.annotated = happens(0.3) ? pick(4) : 0;
  t.disrupted =
      t.kind == child_kind::pod && t.phase == pod_phase::failed && happens(0.2);
  t.started -= std::chrono::seconds{pick(20)};
  t.deleting = happens(0.1);
  if (happens(0.15))
    t.name += "-odd";
  auto has_this_name = [&](const auto& entry) {
    return entry.first != t.uid && entry.second.kind == t.kind
           && entry.second.name == t.name;
  };
  while (std::any_of(children_.begin(), children_.end(), has_this_name))
    t.name += "-odd";
  if (happens(0.15))
    t.owner = happens(0.7) ? "" : "them";
  if (happens(0.1))
    t.job_label = "other";
}

child_builder cluster_model::as_observed(const child& t) const {
  child_builder c{t.kind, t.type, t.index};
  c.uid(t.uid).name(t.name).owned_by(t.owner).of_job(t.job_label);
  c.in(t.phase).exited(t.code).restarted(t.restarts).version(t.version);
  c.ran(t.started,
        std::chrono::duration_cast<std::chrono::seconds>(t.ended - t.started));
  if (t.annotated > 0)
    c.annotated("training.kubeflow.org/early-failures",
                std::to_string(t.annotated));
  if (t.disrupted)
    c.disrupted();
  if (t.deleting)
    c.deleting();
  return c;
}

void cluster_model::observe_changes() {
  for (auto kind : {child_kind::pod, child_kind::service}) {
    std::vector<std::string> gone;
    for (const auto& v : s.seen.children_of_kind(kind))
      if (children_.count(v.uid.text()) == 0)
        gone.push_back(v.uid.text());
    for (const auto& uid : gone)
      s.seen.record_deleted(kind, uid);
  }
  for (const auto& [uid, t] : children_)
    if (auto i = s.seen.children_of_kind(t.kind).find(uid);
        i == s.seen.children_of_kind(t.kind).end() || i->version < t.version)
      s.observe(as_observed(t));
}

void cluster_model::pass() {
  observe_changes();
  decided_on_.clear();
  s.pass();
  for (const auto& d : s.last.decisions)
    check(d);
  if (!s.last.decisions.empty() && s.status.is_finished()
      && !s.saved.is_finished())
    report_violation("decisions of a finished job before its status was saved");
}

/// No decision concerns a child that is absent, not ours or being deleted; none
/// is made twice.
void cluster_model::check(const core::decision& d) {
  auto about = core::describe_decision(d);
  if (auto* c = std::get_if<core::create_child>(&d)) {
    if (!decided_on_.insert(about).second)
      report_violation("twice: " + about);
    for (const auto& [uid, t] : children_)
      if (t.kind == c->kind && t.type == c->at.type && t.index == c->at.index
          && t.owner == "us" && t.job_label.empty())
        report_violation("not empty: " + about);
    return;
  }
  auto check_child = [&](const std::string& uid, bool adopts) {
    auto i = children_.find(uid);
    bool ours = i != children_.end() && i->second.owner == "us";
    if (i == children_.end() || i->second.deleting || ours == adopts)
      report_violation("wrong child: " + about);
    if (!decided_on_.insert(uid).second)
      report_violation("twice: " + about);
  };
  if (auto* r = std::get_if<core::delete_child>(&d))
    check_child(r->uid, false);
  else if (auto* n = std::get_if<core::annotate_pod>(&d))
    check_child(n->uid, false);
  else if (auto* a = std::get_if<core::adopt_child>(&d))
    check_child(a->uid, true);
  else if (auto* l = std::get_if<core::release_child>(&d))
    check_child(l->uid, false);
}

bool cluster_model::execute_orders(const core::decision& d) {
  if (auto* c = std::get_if<core::create_child>(&d)) {
    auto name = "job-" + c->at.type + "-" + std::to_string(c->at.index);
    for (const auto& [uid, t] : children_)
      if (t.kind == c->kind && t.name == name)
        return false; // The name is taken.
    auto& made = add(c->kind, c->at.type, c->at.index);
    if (c->early_failures > 1)
      made.annotated = c->early_failures;
  } else if (auto* r = std::get_if<core::delete_child>(&d)) {
    if (r->why == "it failed and is to be replaced") {
      replaced.insert(r->uid);
      const auto& pod = children_.at(r->uid);
      auto wait = std::chrono::seconds{pod.annotated > 0 ? 10 : 0};
      if (pod.ended - pod.started < core::early_failure_limit
          && s.now < pod.ended + wait)
        report_violation("too soon: " + core::describe_decision(d));
    }
    children_.at(r->uid).deleting = true;
    children_.at(r->uid).version = clock_++;
    s.seen.mark_delete_accepted(r->kind, r->uid);
  } else if (auto* n = std::get_if<core::annotate_pod>(&d)) {
    children_.at(n->uid).annotated = n->early_failures;
    children_.at(n->uid).version = clock_++;
  } else if (auto* a = std::get_if<core::adopt_child>(&d)) {
    children_.at(a->uid).owner = "us";
    children_.at(a->uid).version = clock_++;
  } else if (auto* l = std::get_if<core::release_child>(&d)) {
    children_.at(l->uid).owner = "";
    children_.at(l->uid).version = clock_++;
  } else {
    job_removed = true;
  }
  return true;
}

void cluster_model::execute_orders(double chance) {
  for (const auto& d : s.last.decisions)
    if (happens(chance))
      execute_orders(d);
}

void cluster_model::save(double chance) {
  if (happens(chance))
    s.save();
}

void cluster_model::run_pods() {
  for (auto& [uid, t] : children_) {
    if (t.kind != child_kind::pod || !happens(0.3))
      continue;
    t.version = clock_++;
    if (happens(0.1)) {
      t.deleting = true;
    } else if (t.phase == pod_phase::pending) {
      t.phase = pod_phase::running;
    } else if (t.phase == pod_phase::running && happens(0.2)) {
      ++t.restarts;
    } else if (t.phase == pod_phase::running) {
      bool well = happens(0.3);
      t.phase = well ? pod_phase::succeeded : pod_phase::failed;
      t.disrupted = !well && happens(0.2);
      t.ended = s.now;
      t.code = well ? 0 : happens(0.3) ? 1 : 137;
      if (!well && happens(0.2))
        t.code.reset();
    }
  }
  s.now += std::chrono::seconds{pick(5)};
}

void cluster_model::finish_deletions() {
  for (auto i = children_.begin(); i != children_.end();)
    i = i->second.deleting ? children_.erase(i) : std::next(i);
}

void cluster_model::restart_operator() {
  job_fixture fresh{s.j};
  fresh.saved = fresh.status = s.saved;
  fresh.now = s.now;
  s = std::move(fresh);
}

void cluster_model::change_spec() {
  s.j = random_job();
}

void cluster_model::delete_foreign_children() {
  for (auto i = children_.begin(); i != children_.end();) {
    bool foreign = i->second.owner == "them"
                   || (i->second.owner.empty() && !i->second.job_label.empty());
    i = foreign ? children_.erase(i) : std::next(i);
  }
}

bool cluster_model::is_idle() const {
  if (job_removed)
    return true;
  for (const auto& [uid, t] : children_)
    if (t.deleting)
      return false;
  return s.last.decisions.empty() && s.last.events.empty()
         && s.status == s.saved;
}

std::optional<k8s::time_point> cluster_model::waits_until() const {
  if (job_removed || s.status.is_finished())
    return std::nullopt;
  for (const auto& v : s.seen.pods())
    if (v.failed_early && s.last.requeue_at && *s.last.requeue_at > s.now)
      return s.last.requeue_at;
  return std::nullopt;
}

std::string cluster_model::violation_when_idle() const {
  if (job_removed)
    return s.saved.is_finished() ? "" : "an unfinished job was removed";
  bool over = s.status.is_finished();
  std::map<std::pair<child_kind, core::slot>, int> count;
  for (const auto& [uid, t] : children_) {
    if (t.owner != "us")
      continue;
    bool has_no_slot = t.index < 0;
    bool all_go = over ? s.j.policy.clean == core::clean_pod_policy::all
                       : s.j.policy.suspend;
    if (all_go)
      return "left: " + t.name;
    if (over || has_no_slot)
      continue;
    const auto* r = s.j.find_replica_spec(t.type);
    if (!r || t.index >= r->replicas)
      return "out of range: " + t.name;
    if (++count[{t.kind, {t.type, t.index}}] > 1)
      return "double: " + t.name;
  }
  if (over || s.j.policy.suspend)
    return "";
  for (const auto& [uid, t] : children_)
    if (const auto* r = s.j.find_replica_spec(t.type);
        t.disrupted && t.owner == "us" && t.job_label.empty() && r
        && t.index >= 0 && t.index < r->replicas)
      return "disrupted, and not replaced: " + t.name;
  for (const auto& r : s.j.replicas)
    for (int i = 0; i < r.replicas; ++i)
      for (auto kind : {child_kind::pod, child_kind::service})
        if (count[{kind, {r.label, i}}] != 1
            && !(kind == child_kind::pod
                 && s.status.recovery->completed_of(r.type).contains(i)))
          return "missing: " + r.label + "-" + std::to_string(i);
  return "";
}

} // namespace troupe::fixtures
