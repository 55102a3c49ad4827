#include "frameworks/core/progress/silence.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::core {

namespace {

using std::chrono::seconds;

k8s::time_point begin_of_second(k8s::time_point t) {
  return std::chrono::floor<seconds>(t);
}

bool starts_anew(const silence_clock& before, const silence_facts& f) {
  return !before.running_since || *before.running_since > f.now
         || before.container_restarts != f.container_restarts;
}

silence_clock begin_clock(const silence_clock& before, const silence_facts& f) {
  silence_clock c;
  c.running_since = f.now;
  c.container_restarts = f.container_restarts;
  // Of a process that begins while they run.
  c.has_told = !before.running_since && f.told == k8s::time_point{}
               && f.told_as_saved > f.latest_start;
  return c;
}

} // namespace

bool operator==(const silence_clock& a, const silence_clock& b) {
  auto all = [](const silence_clock& c) {
    return std::tie(c.running_since, c.container_restarts, c.has_told,
                    c.silent_since, c.due, c.is_stalled);
  };
  return all(a) == all(b);
}

silence_clock follow_silence(const progress_policy& policy,
                             const silence_clock& before,
                             const silence_facts& f) {
  if (!policy.stalled_after || !f.all_run)
    return {};
  auto c = starts_anew(before, f) ? begin_clock(before, f) : before;
  c.silent_since = *c.running_since;
  if (f.told >= begin_of_second(*c.running_since)) {
    c.has_told = true;
    // It was told in the course of that second.
    c.silent_since = std::max(c.silent_since, f.told + seconds{1});
  }
  c.silent_since = std::max(c.silent_since, std::min(f.missed, f.now));
  auto limit = c.has_told ? *policy.stalled_after
                          : policy.start_within.value_or(*policy.stalled_after);
  c.due = c.silent_since + limit;
  bool was_stalled = c.is_stalled;
  c.is_stalled = f.now >= c.due;
  if (c.is_stalled && !was_stalled && f.now - c.due > latest_pass_of_silence) {
    c.running_since = c.silent_since = f.now;
    c.due = f.now + limit;
    c.is_stalled = false;
  }
  return c;
}

} // namespace troupe::core
