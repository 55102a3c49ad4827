#include "tests/simulation/replica_types/attempt_ledger.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

long long count_since(const std::vector<long long>& times, long long now,
                      int window) {
  return std::count_if(times.begin(), times.end(),
                       [&](long long t) { return now - t < window; });
}

std::string times_text(int n) {
  return std::to_string(n) + (n == 1 ? " time" : " times");
}

long long delay_after(int early_ends) {
  if (early_ends < 2)
    return 0;
  long long wait = 10;
  for (int i = early_ends; i > 2 && wait < 300; --i)
    wait *= 2;
  return std::min(wait, 300LL);
}

bool is_node_silent(const json& pod) {
  const auto& all = at(pod, "status", "conditions");
  return std::any_of(all.begin(), all.end(), [](const json& c) {
    return text(at(c, "reason")) == "NodeNotReady";
  });
}

/// What is known of a failure that was seen while no policy asked for more.
replica without_details(const replica& r) {
  json status{{"reason", at(*r.status, "reason")},
              {"message", at(*r.status, "message")}};
  status["containerStatuses"][0]["state"]["terminated"]["exitCode"] =
      r.exit_code.value_or(0);
  auto bare = r;
  bare.status = std::make_shared<const json>(std::move(status));
  return bare;
}

} // namespace

void attempt_ledger::begin() {
  saved_ = {};
  completed_late_.clear();
  restarted_.clear();
  present_.clear();
  strays_.clear();
  removed_.clear();
  failed_.clear();
  lost_.clear();
  silence_.begin();
}

std::string attempt_ledger::job_changed(const json& job, bool late) {
  auto next = read_attempts(job);
  if (late)
    for (const auto& [type, indices] : next.completed)
      for (int index : indices)
        if (!saved_.is_completed(type, index))
          completed_late_.emplace(type, index);
  std::string wrong;
  if (next.attempt != saved_.attempt) {
    wrong = check_restart(next, late);
    note_restarts(next);
  } else if (next.counted != saved_.counted) {
    wrong = "counts restarts without a new attempt";
  } else if (next.of_types != saved_.of_types) {
    wrong = "changes the attempts of types without a new one";
  }
  saved_ = std::move(next);
  return wrong;
}

/// Before the restart of one type is saved, another type may be restarted, too.
bool attempt_ledger::is_next_attempt(const saved_attempts& next) const {
  if (next.attempt <= saved_.attempt)
    return false;
  for (int n = saved_.attempt + 1; n < next.attempt; ++n)
    if (std::none_of(next.of_types.begin(), next.of_types.end(),
                     [n](const auto& type) { return type.second == n; }))
      return false;
  return true;
}

void attempt_ledger::note_restarts(const saved_attempts& next) {
  for (const auto& [type, attempt] : next.of_types)
    if (attempt > saved_.attempt)
      restarted_[attempt].insert(type);
  restarted_[next.attempt] = next.restarted;
}

std::string attempt_ledger::check_restart(const saved_attempts& next,
                                          bool late) const {
  if (!is_next_attempt(next))
    return "attempt " + std::to_string(next.attempt) + " after "
           + std::to_string(saved_.attempt);
  if (!some_([](const manifest& m) { return m.recovery.present; }))
    return "restarts a scope without a policy";
  if (next.early_ends != 0
      && next.early_ends != (saved_.attempt == 0 ? 0 : saved_.early_ends) + 1)
    return "counts " + std::to_string(next.early_ends) + " early ends after "
           + std::to_string(saved_.early_ends);
  if (auto wrong = check_times(next); !wrong.empty())
    return wrong;
  bool stalled = next.reason == "Stalled" && next.pod.empty();
  if (stalled) {
    if (auto wrong = check_silence(next.began, late, "RestartJob");
        !wrong.empty())
      return wrong;
    if (next.counted == saved_.counted || !next.restarted.empty())
      return "restarts a silent job uncounted, or not as a whole";
  }
  if (next.counted == saved_.counted)
    return has_lost_by_others() ? "" : "restarts because of nothing";
  if (next.counted > saved_.counted + next.attempt - saved_.attempt)
    return "counts a restart more than once";
  if (!stalled && !has_failed_by_itself(next))
    return "counts a restart without a failure";
  if (!some_([&](const manifest& m) { return is_within_budget(m, next); }))
    return "exceeds the budget, after " + std::to_string(saved_.counted)
           + " counted restarts";
  return "";
}

/// Those that are forgotten are before some window, or there is none.
std::string attempt_ledger::check_times(const saved_attempts& next) const {
  auto expected = saved_.times;
  if (next.attempt > saved_.attempt + 1)
    return ""; // Times of those between are not known.
  if (next.counted != saved_.counted)
    expected.push_back(next.began);
  if (next.times.size() > expected.size()
      || !std::equal(next.times.rbegin(), next.times.rend(), expected.rbegin()))
    return "notes other times of restarts than those that were";
  auto forgotten = expected.size() - next.times.size();
  bool right =
      forgotten == 0 || some_([&](const manifest& m) {
        const auto& window = m.recovery.window;
        return !window || next.began - expected[forgotten - 1] >= *window;
      });
  return right ? "" : "forgets restarts of its window";
}

bool attempt_ledger::is_within_budget(const manifest& m,
                                      const saved_attempts& next) const {
  const auto& p = m.recovery;
  if (!p.present)
    return false;
  if (!p.max_restarts)
    return !m.limit || saved_.counted < *m.limit;
  return (p.window ? count_since(saved_.times, next.began, *p.window)
                   : saved_.counted)
         < *p.max_restarts;
}

bool attempt_ledger::has_failed_by_itself(const saved_attempts& next) const {
  for (const auto& [where, pods] : failed_)
    if (where.second == saved_.of(where.first)
        && next.of(where.first) > saved_.attempt)
      for (const auto& [uid, pod] : pods)
        if (!pod.disrupted && asks_for_restart(pod))
          return true;
  return false;
}

bool attempt_ledger::asks_for_restart(const replica& failed) const {
  auto restarts = [&](const replica& r) {
    return some_([&](const manifest& m) {
      return rules_.on_earlier_failure(m, r) == verdict::restarts;
    });
  };
  bool may_lack_details =
      some_([](const manifest& m) { return !m.recovery.must_see_failures(); });
  return restarts(failed)
         || (may_lack_details && restarts(without_details(failed)));
}

bool attempt_ledger::has_failure_to_restart_for() const {
  auto next = saved_;
  next.of_types.clear();
  ++next.attempt; // Of all types.
  return has_failed_by_itself(next);
}

bool attempt_ledger::has_lost_by_others() const {
  return std::any_of(lost_.begin(), lost_.end(), [this](const place& p) {
    return p.second == saved_.of(p.first);
  });
}

std::string attempt_ledger::check_budget_message(const std::string& message,
                                                 long long then) const {
  if (!has_failure_to_restart_for()
      && !check_silence(then, false, "RestartJob").empty())
    return "has used up its restarts without a failure";
  bool right = some_([&](const manifest& m) {
    const auto& p = m.recovery;
    if (!p.max_restarts)
      return false;
    auto made =
        p.window ? count_since(saved_.times, then, *p.window) : saved_.counted;
    return made >= *p.max_restarts
           && message.find("it was restarted " + times_text(*p.max_restarts))
                  != std::string::npos;
  });
  return right ? ""
               : "has not used up its restarts: " + message + ", after "
                     + std::to_string(saved_.counted);
}

std::string attempt_ledger::check_silence(long long then, bool late,
                                          const std::string& action) const {
  auto silence = silence_.silence_at(then, late);
  bool right = some_(
      [&](const manifest& m) { return is_stall(m.recovery, silence, action); });
  return right ? "" : describe_early_stall(silence);
}

// -- pods ---------------------------------------------------------------------

bool attempt_ledger::may_not_meet(const place& a, const place& b) const {
  if (a.second > b.second)
    return may_not_meet(b, a);
  for (auto i = restarted_.upper_bound(a.second);
       i != restarted_.end() && i->first <= b.second; ++i)
    if (i->second.empty()
        || (i->second.count(a.first) > 0 && i->second.count(b.first) > 0))
      return true;
  return false;
}

std::string attempt_ledger::pod_made(const json& pod, bool late) {
  place where{label(pod, "replica-type"), attempt_of(pod)};
  const auto& uid = uid_of(pod);
  if (late)
    strays_.insert(uid);
  std::string wrong;
  for (const auto& [other, there] : present_)
    if (!late && strays_.count(other) == 0 && may_not_meet(where, there))
      wrong = name_of(pod) + " of attempt " + std::to_string(where.second)
              + " is made beside one of " + there.first + " of attempt "
              + std::to_string(there.second);
  present_[uid] = std::move(where);
  return wrong;
}

void attempt_ledger::operator_started(long long now) {
  silence_.operator_started(now);
  for (const auto& [uid, where] : removed_)
    lost_.insert(where);
  removed_.clear();
  completed_late_.clear();
}

void attempt_ledger::pod_strayed(const json& pod) {
  strays_.insert(uid_of(pod));
  lost_.insert({label(pod, "replica-type"), attempt_of(pod)});
}

void attempt_ledger::pod_changed(const json& pod, const replica& r) {
  place where{r.type, r.attempt};
  present_.try_emplace(uid_of(pod), where);
  // One that fails while it is being deleted was stopped by that.
  bool removed = removed_.count(uid_of(pod)) > 0;
  if ((r.deleting && !removed) || r.disrupted || is_node_silent(pod))
    lost_.insert(where);
  if (r.phase == "Failed" && !r.deleting)
    failed_[where].insert_or_assign(uid_of(pod), r);
}

void attempt_ledger::pod_gone(const json& pod, const replica& r) {
  present_.erase(uid_of(pod));
  if (removed_.count(uid_of(pod)) == 0)
    lost_.insert({r.type, r.attempt});
}

std::string attempt_ledger::check_creation(const replica& at_place,
                                           long long now) const {
  if (saved_.is_completed(at_place.type, at_place.index)
      && completed_late_.count({at_place.type, at_place.index}) == 0)
    return "which is done";
  auto due = saved_.began + delay_after(saved_.early_ends);
  if (saved_.attempt > 0 && at_place.attempt == saved_.attempt && now < due)
    return std::to_string(due - now) + " s too early";
  return "";
}

} // namespace troupe::simulation
