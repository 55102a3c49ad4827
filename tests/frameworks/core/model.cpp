#include "tests/frameworks/core/model.hpp"

namespace troupe::fixtures {

using core::child_kind;
using k8s::pod_phase;

model::model(std::uint64_t seed)
    : s(make_job().get())
    , chance_(seed) {
  s.j = random_job();
  for (int n = pick(8); n > 0; --n)
    random_child();
}

core::job model::random_job() {
  const char* policies[] = {"Never", "OnFailure", "Always", "ExitCode"};
  const char* cleans[] = {"None", "Running", "All"};
  auto b = make_job();
  if (happens(0.8))
    b.workers(pick(4)).restarts("Worker", policies[pick(4)]);
  if (happens(0.4))
    b.servers(pick(3)).restarts("PS", policies[pick(4)]);
  if (happens(0.3))
    b.chief().restarts("Chief", policies[pick(4)]);
  b.cleans(cleans[pick(3)]);
  if (happens(0.4))
    b.backoff(pick(4));
  if (happens(0.2))
    b.deadline(pick(30));
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

model::thing& model::add(child_kind kind, const std::string& type, int index) {
  thing t;
  t.kind = kind;
  t.type = type;
  t.index = index;
  t.uid = "uid-" + std::to_string(clock_);
  t.name = "job-" + type + "-" + std::to_string(index);
  t.owner = "us";
  t.version = clock_++;
  t.begun = t.ended = s.now;
  return things_.emplace(t.uid, t).first->second;
}

void model::random_child() {
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
  t.begun -= std::chrono::seconds{pick(20)};
  t.going = happens(0.1);
  if (happens(0.15))
    t.name += "-odd";
  if (happens(0.15))
    t.owner = happens(0.7) ? "" : "them";
  if (happens(0.1))
    t.job_label = "other";
}

child_builder model::view(const thing& t) const {
  child_builder c{t.kind, t.type, t.index};
  c.uid(t.uid).name(t.name).owned_by(t.owner).of_job(t.job_label);
  c.in(t.phase).exited(t.code).restarted(t.restarts).version(t.version);
  c.lived(t.begun,
          std::chrono::duration_cast<std::chrono::seconds>(t.ended - t.begun));
  if (t.annotated > 0)
    c.annotated("training.kubeflow.org/early-failures",
                std::to_string(t.annotated));
  if (t.disrupted)
    c.disrupted();
  if (t.going)
    c.going();
  return c;
}

void model::look() {
  for (auto kind : {child_kind::pod, child_kind::service}) {
    std::vector<std::string> gone;
    for (const auto& [uid, v] : s.seen.of(kind))
      if (things_.count(uid) == 0)
        gone.push_back(uid);
    for (const auto& uid : gone)
      s.seen.record_gone(kind, uid);
  }
  for (const auto& [uid, t] : things_)
    if (auto i = s.seen.of(t.kind).find(uid);
        i == s.seen.of(t.kind).end() || i->second.version < t.version)
      s.see(view(t));
}

void model::pass() {
  look();
  touched_.clear();
  s.pass();
  for (const auto& d : s.last.decisions)
    check(d);
  if (!s.last.decisions.empty() && s.status.finished() && !s.saved.finished())
    broken("something was decided before the end was saved");
}

/// No decision concerns what is not there, not ours or going; none twice.
void model::check(const core::decision& d) {
  auto about = core::describe(d);
  if (auto* c = std::get_if<core::create_child>(&d)) {
    if (!touched_.insert(about).second)
      broken("twice: " + about);
    for (const auto& [uid, t] : things_)
      if (t.kind == c->kind && t.type == c->at.type && t.index == c->at.index
          && t.owner == "us" && t.job_label.empty())
        broken("not empty: " + about);
  } else if (!std::holds_alternative<core::remove_job>(d)) {
    std::visit(
        [&](const auto& x) {
          using type = std::decay_t<decltype(x)>;
          if constexpr (
              !std::is_same_v<
                  type,
                  core::
                      create_child> && !std::is_same_v<type, core::remove_job>) {
            auto i = things_.find(x.uid);
            bool ours = i != things_.end() && i->second.owner == "us";
            bool adopts = std::is_same_v<type, core::adopt_child>;
            if (i == things_.end() || i->second.going || ours == adopts)
              broken("not to be touched: " + about);
            if (!touched_.insert(x.uid).second)
              broken("twice: " + about);
          }
        },
        d);
  }
}

bool model::execute_orders(const core::decision& d) {
  if (auto* c = std::get_if<core::create_child>(&d)) {
    auto name = "job-" + c->at.type + "-" + std::to_string(c->at.index);
    for (const auto& [uid, t] : things_)
      if (t.kind == c->kind && t.name == name)
        return false; // The name is taken.
    auto& made = add(c->kind, c->at.type, c->at.index);
    if (c->early_failures > 1)
      made.annotated = c->early_failures;
  } else if (auto* r = std::get_if<core::remove_child>(&d)) {
    if (r->why == "it failed and is to be replaced") {
      replaced.insert(r->uid);
      const auto& pod = things_.at(r->uid);
      auto wait = std::chrono::seconds{pod.annotated > 0 ? 10 : 0};
      if (pod.ended - pod.begun < core::early_failure
          && s.now < pod.ended + wait)
        broken("too soon: " + core::describe(d));
    }
    things_.at(r->uid).going = true;
    things_.at(r->uid).version = clock_++;
    s.seen.mark_delete_accepted(r->kind, r->uid);
  } else if (auto* n = std::get_if<core::annotate_child>(&d)) {
    things_.at(n->uid).annotated = n->early_failures;
    things_.at(n->uid).version = clock_++;
  } else if (auto* a = std::get_if<core::adopt_child>(&d)) {
    things_.at(a->uid).owner = "us";
    things_.at(a->uid).version = clock_++;
  } else if (auto* l = std::get_if<core::release_child>(&d)) {
    things_.at(l->uid).owner = "";
    things_.at(l->uid).version = clock_++;
  } else {
    job_removed = true;
  }
  return true;
}

void model::execute_orders(double chance) {
  for (const auto& d : s.last.decisions)
    if (happens(chance))
      execute_orders(d);
}

void model::save(double chance) {
  if (happens(chance))
    s.save();
}

void model::live() {
  for (auto& [uid, t] : things_) {
    if (t.kind != child_kind::pod || !happens(0.3))
      continue;
    t.version = clock_++;
    if (happens(0.1)) {
      t.going = true;
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

void model::bury() {
  for (auto i = things_.begin(); i != things_.end();)
    i = i->second.going ? things_.erase(i) : std::next(i);
}

void model::crash() {
  situation fresh{s.j};
  fresh.saved = fresh.status = s.saved;
  fresh.now = s.now;
  s = std::move(fresh);
}

void model::edit() {
  s.j = random_job();
}

void model::strangers_leave() {
  for (auto i = things_.begin(); i != things_.end();) {
    bool stranger =
        i->second.owner == "them"
        || (i->second.owner.empty() && !i->second.job_label.empty());
    i = stranger ? things_.erase(i) : std::next(i);
  }
}

bool model::at_rest() const {
  if (job_removed)
    return true;
  for (const auto& [uid, t] : things_)
    if (t.going)
      return false;
  return s.last.decisions.empty() && s.last.events.empty()
         && s.status == s.saved;
}

std::optional<k8s::time_point> model::waits_until() const {
  if (job_removed || s.status.finished())
    return std::nullopt;
  for (const auto& [uid, v] : s.seen.pods())
    if (v.failed_early && s.last.wake && *s.last.wake > s.now)
      return s.last.wake;
  return std::nullopt;
}

std::string model::wrong_at_rest() const {
  if (job_removed)
    return s.saved.finished() ? "" : "an unfinished job was removed";
  bool over = s.status.finished();
  std::map<std::pair<child_kind, core::slot>, int> count;
  for (const auto& [uid, t] : things_) {
    if (t.owner != "us")
      continue;
    bool placeless = t.index < 0;
    bool all_go = over ? s.j.policy.clean == core::clean_pod_policy::all
                       : s.j.policy.suspend;
    if (all_go)
      return "left: " + t.name;
    if (over || placeless)
      continue;
    const auto* r = s.j.find(t.type);
    if (!r || t.index >= r->replicas)
      return "out of range: " + t.name;
    if (++count[{t.kind, {t.type, t.index}}] > 1)
      return "double: " + t.name;
  }
  if (over || s.j.policy.suspend)
    return "";
  for (const auto& [uid, t] : things_)
    if (const auto* r = s.j.find(t.type);
        t.disrupted && t.owner == "us" && t.job_label.empty() && r
        && t.index >= 0 && t.index < r->replicas)
      return "disrupted, and not replaced: " + t.name;
  for (const auto& r : s.j.replicas)
    for (int i = 0; i < r.replicas; ++i)
      for (auto kind : {child_kind::pod, child_kind::service})
        if (count[{kind, {r.label, i}}] != 1)
          return "missing: " + r.label + "-" + std::to_string(i);
  return "";
}

} // namespace troupe::fixtures
