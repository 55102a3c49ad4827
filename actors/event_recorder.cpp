#include "actors/event_recorder.hpp"

#include "k8s/calls.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace troupe::actors {

namespace {

constexpr std::chrono::minutes memory{10};
constexpr int most_different = 10;
constexpr int event_tries = 4;
constexpr std::chrono::seconds hold{1};

template <class... Texts>
std::uint64_t hash_of(const Texts&... texts) {
  std::uint64_t result = 14695981039346656037u;
  auto add = [&](const std::string& text) {
    for (unsigned char c : text)
      result = (result ^ c) * 1099511628211u;
    result = (result ^ 0xff) * 1099511628211u;
  };
  (add(texts), ...);
  return result;
}

} // namespace

void event_recorder_state::record(const record_event& e) {
  auto now = out_->clock();
  forget_old(now);
  auto what = e.event;
  auto kind = std::string{what.warning ? "w" : "n"};
  auto group = hash_of(e.about->uid, kind, what.reason);
  auto key = hash_of(e.about->uid, kind, what.reason, what.message);
  if (entries_.count(key) == 0) {
    auto& all = families_[group];
    if (now - all.since > memory)
      all = family{0, now};
    if (++all.members > most_different) {
      key = group;
      what.message = "(combined from similar events): " + what.message;
    }
  }
  auto& it = entries_[key];
  if (it.count == 0) {
    it.about = e.about;
    it.first = now;
    it.stamp = static_cast<std::uint64_t>(now.time_since_epoch().count())
               + ++next_name_;
  }
  it.what = std::move(what);
  it.last = now;
  ++it.count;
  queue(key, it);
}

std::string event_recorder_state::name_of(const entry& e) {
  char suffix[20];
  std::snprintf(suffix, sizeof suffix, ".%016llx",
                static_cast<unsigned long long>(e.stamp));
  return e.about->name + suffix;
}

void event_recorder_state::queue(std::uint64_t key, entry& e) {
  if (e.queued)
    return;
  e.queued = true;
  if (e.written_count == 0) {
    waiting_.push_back(key);
    pump();
    return;
  }
  // A repetition: write the count at most once a second.
  held_.push_back(key);
  if (!timer_set_) {
    timer_set_ = true;
    self_->delayed_send(self_, hold, woke_up{0});
  }
}

void event_recorder_state::woke(const woke_up&) {
  timer_set_ = false;
  waiting_.insert(waiting_.end(), held_.begin(), held_.end());
  held_.clear();
  pump();
}

void event_recorder_state::pump() {
  auto most = static_cast<std::size_t>(out_->sizes->events_in_flight);
  while (!waiting_.empty() && under_way_.size() < most) {
    auto key = waiting_.front();
    waiting_.pop_front();
    auto i = entries_.find(key);
    if (i == entries_.end())
      continue;
    auto& e = i->second;
    const auto& job = *e.about;
    k8s::request call;
    nlohmann::json body{{"count", e.count},
                        {"lastTimestamp", k8s::to_rfc3339(e.last)},
                        {"message", e.what.message}};
    if (e.written_count > 0) {
      call = k8s::merge_patch({k8s::resources::events, job.ns, name_of(e)},
                              body.dump());
    } else {
      body.update({{"apiVersion", "v1"},
                   {"kind", "Event"},
                   {"metadata", {{"name", name_of(e)}, {"namespace", job.ns}}},
                   {"involvedObject",
                    {{"apiVersion", job.kind->type.api_version()},
                     {"kind", job.kind->type.kind},
                     {"name", job.name},
                     {"namespace", job.ns},
                     {"uid", job.uid}}},
                   {"firstTimestamp", k8s::to_rfc3339(e.first)},
                   {"reason", e.what.reason},
                   {"type", e.what.warning ? "Warning" : "Normal"},
                   {"source", {{"component", job.kind->controller}}},
                   {"reportingComponent", job.kind->controller},
                   {"reportingInstance", ""}});
      call = k8s::create(k8s::resources::events, job.ns, body.dump());
    }
    e.queued = false;
    e.written_count = e.count;
    auto tag = next_tag_++;
    under_way_.emplace(tag, key);
    self_->send(
        out_->gateway_for(job.uid),
        api_call{tag,
                 k8s::asking_for(k8s::object_detail::metadata, std::move(call)),
                 job.uid, urgency::whenever,
                 caf::actor_cast<api_caller_actor>(self_)});
  }
}

void event_recorder_state::written(const api_answer& a) {
  auto i = under_way_.find(a.tag);
  if (i == under_way_.end())
    return;
  auto key = i->second;
  under_way_.erase(i);
  auto e = entries_.find(key);
  if (e != entries_.end() && *a.outcome) {
    if (core::job_event empty; !e->second.queued)
      std::swap(e->second.what, empty);
  } else if (e != entries_.end()) {
    const auto& why = a.outcome->error();
    auto& it = e->second;
    bool there = why.code == k8s::ec::exists;
    if (!there && why.is_retryable() && ++it.tries < event_tries
        && why.code != k8s::ec::forbidden
        && why.code != k8s::ec::unauthenticated) {
      it.written_count = 0;
      queue(key, it);
    } else if (!there) {
      // A namespace that is going, an event that has expired.
      ++dropped_;
      entries_.erase(e);
    }
  }
  pump();
}

void event_recorder_state::forget_old(k8s::time_point now) {
  if (now - swept_ < std::chrono::minutes{1})
    return;
  swept_ = now;
  for (auto i = entries_.begin(); i != entries_.end();)
    if (!i->second.queued && now - i->second.last > memory)
      i = entries_.erase(i);
    else
      ++i;
  for (auto i = families_.begin(); i != families_.end();)
    if (now - i->second.since > memory)
      i = families_.erase(i);
    else
      ++i;
}

report_ptr event_recorder_state::report() const {
  nlohmann::json out{{"actor", name},
                     {"waiting", waiting_.size()},
                     {"held", held_.size()},
                     {"underWay", under_way_.size()},
                     {"remembered", entries_.size()},
                     {"dropped", dropped_}};
  return std::make_shared<const nlohmann::json>(std::move(out));
}

event_recorder_actor::behavior_type event_recorder(
    event_recorder_actor::stateful_pointer<event_recorder_state> self,
    links_ptr out) {
  self->state.begin(std::move(out));
  return {
      [self](report_wanted) { return self->state.report(); },
      [self](tree_wanted) { return self->state.report(); },
      [self](const record_event& e) { self->state.record(e); },
      [self](const api_answer& a) { self->state.written(a); },
      [self](const woke_up& w) { self->state.woke(w); },
  };
}

} // namespace troupe::actors
