#include "actors/jobs/job_timeline.hpp"

#include "frameworks/core/observed/observed.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <tuple>

namespace troupe::actors {

using nlohmann::json;

namespace {

constexpr k8s::time_point unknown_time{};

void add_time_unless_unknown(json& to, const char* key, k8s::time_point t) {
  if (t != unknown_time)
    to[key] = k8s::to_rfc3339_micro(t);
}

/// What the server says if it was before, else now.
k8s::time_point earlier_server_time_or_now(bool was_before,
                                           k8s::time_point by_server,
                                           k8s::time_point now) {
  return was_before && by_server != unknown_time ? std::min(by_server, now)
                                                 : now;
}

} // namespace

void job_timeline::record_changes(const core::observed_children::children& pods,
                                  const core::job_status& status,
                                  k8s::time_point now) {
  if (since_ == unknown_time)
    since_ = now;
  for (auto& life : pods_)
    life.present = false;
  present_left_out_ = 0;
  for (const auto& pod : pods) {
    if (!pod.owned)
      continue;
    auto known = pods_.size();
    auto* life = find_or_add_life_if_room(pod);
    if (life)
      record_pod_changes(*life, pod, pods_.size() > known, now);
    else
      ++present_left_out_;
  }
  for (auto& life : pods_)
    if (!life.present && life.deleted == unknown_time) {
      life.deleted = now;
      ++deleted_;
    }
  record_new_true_conditions(status);
  record_attempt(*status.recovery);
}

job_timeline::pod_life*
job_timeline::find_or_add_life_if_room(const core::child_view& pod) {
  auto hash = std::uint64_t{core::uid_key::hash{}(pod.uid)};
  auto position = [&] {
    return std::lower_bound(
        pods_.begin(), pods_.end(), hash,
        [](const pod_life& l, std::uint64_t h) { return l.uid_hash < h; });
  };
  auto i = position();
  if (i != pods_.end() && i->uid_hash == hash)
    return &*i;
  if (pods_.size() >= most_pods && !try_evict_deleted_pod())
    return nullptr;
  pod_life life;
  life.uid_hash = hash;
  life.name = pod.name;
  return &*pods_.insert(position(), std::move(life));
}

bool job_timeline::try_evict_deleted_pod() {
  if (deleted_ == 0)
    return false;
  auto first = pods_.end();
  for (auto i = pods_.begin(); i != pods_.end(); ++i)
    if (i->deleted != unknown_time
        && (first == pods_.end() || i->deleted < first->deleted))
      first = i;
  pods_.erase(first);
  --deleted_;
  ++deleted_left_out_;
  return true;
}

void job_timeline::record_pod_changes(pod_life& life,
                                      const core::child_view& pod, bool is_new,
                                      k8s::time_point now) {
  life.present = true;
  if (is_new)
    life.created = earlier_server_time_or_now(true, pod.created, now);
  life.attempt = pod.attempt;
  bool runs = pod.phase == k8s::pod_phase::running;
  bool on_node = pod.scheduled || runs || pod.is_finished();
  if (on_node && life.scheduled == unknown_time)
    life.scheduled = earlier_server_time_or_now(is_new, pod.started, now);
  if (runs && life.running == unknown_time)
    life.running = earlier_server_time_or_now(is_new, pod.started, now);
  if (pod.is_finished() && life.finished == unknown_time)
    life.finished = earlier_server_time_or_now(is_new, pod.ended, now);
  life.phase = pod.phase;
  life.exit_code = pod.exit_code.value_or(no_exit_code);
}

void job_timeline::record_new_true_conditions(const core::job_status& status) {
  for (const auto& c : status.conditions) {
    auto known = std::any_of(
        conditions_.begin(), conditions_.end(), [&](const condition_mark& m) {
          return m.type == c.type && m.at == c.last_transition_time;
        });
    if (c.status && !known)
      conditions_.push_back({c.type, c.last_transition_time});
  }
  if (conditions_.size() > most_conditions)
    conditions_.erase(conditions_.begin(),
                      conditions_.end()
                          - static_cast<std::ptrdiff_t>(most_conditions));
}

void job_timeline::record_attempt(const core::recovery_status& recovery) {
  if (recovery.attempt == 0)
    return;
  // A status of before may have been put back.
  while (!attempts_.empty() && attempts_.back().attempt >= recovery.attempt)
    attempts_.pop_back();
  attempts_.push_back({recovery.attempt, recovery.last});
  if (attempts_.size() > most_attempts)
    attempts_.erase(attempts_.begin());
}

json job_timeline::attempts_json() const {
  auto all = json::array();
  for (const auto& a : attempts_) {
    json row{{"attempt", a.attempt}, {"reason", a.cause.reason}};
    add_time_unless_unknown(row, "at", a.cause.time);
    for (auto [key, text] : {std::pair{"pod", &a.cause.pod},
                             {"node", &a.cause.node},
                             {"types", &a.cause.type}})
      if (!text->empty())
        row[key] = *text;
    if (a.cause.recovered)
      add_time_unless_unknown(row, "recovered", *a.cause.recovered);
    all.push_back(std::move(row));
  }
  return all;
}

json job_timeline::report() const {
  std::vector<const pod_life*> lives;
  for (const auto& life : pods_)
    lives.push_back(&life);
  std::sort(
      lives.begin(), lives.end(), [](const pod_life* a, const pod_life* b) {
        return std::tie(a->created, a->name) < std::tie(b->created, b->name);
      });
  auto pods = json::array();
  for (const auto* life : lives) {
    json row{{"name", life->name}, {"phase", to_string(life->phase)}};
    add_time_unless_unknown(row, "created", life->created);
    add_time_unless_unknown(row, "scheduled", life->scheduled);
    add_time_unless_unknown(row, "running", life->running);
    add_time_unless_unknown(row, "finished", life->finished);
    add_time_unless_unknown(row, "deleted", life->deleted);
    if (life->exit_code != no_exit_code)
      row["exitCode"] = life->exit_code;
    if (!attempts_.empty())
      row["attempt"] = life->attempt;
    pods.push_back(std::move(row));
  }
  auto conditions = json::array();
  for (const auto& m : conditions_) {
    json mark{{"type", m.type}};
    add_time_unless_unknown(mark, "at", m.at);
    conditions.push_back(std::move(mark));
  }
  json out{{"pods", std::move(pods)},
           {"conditions", std::move(conditions)},
           {"podsLeftOut", deleted_left_out_ + present_left_out_}};
  add_time_unless_unknown(out, "since", since_);
  if (!attempts_.empty())
    out["attempts"] = attempts_json();
  return out;
}

} // namespace troupe::actors
