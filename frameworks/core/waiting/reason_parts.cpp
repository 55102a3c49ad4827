#include "frameworks/core/waiting/reason_parts.hpp"

#include "frameworks/core/observed/launcher_jobs.hpp"

#include <algorithm>

namespace troupe::core {

waiting_reason reason_of(std::string what, const next_move& whose,
                         std::string how) {
  waiting_reason r;
  r.what = std::move(what);
  r.how = std::move(how);
  r.whose_move = whose.who;
  r.who = whose.words;
  return r;
}

std::string once_or_n_times(std::int64_t n) {
  return n == 1 ? "once" : std::to_string(n) + " times";
}

std::string pluralize(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

pod_list pods_where(const waiting_inputs& in,
                    const std::function<bool(const child_view& pod)>& such) {
  pod_list found;
  for (const auto& p : in.seen.pods()) {
    bool is_of_some_job = !(p.made_by_job == uid_key{});
    if ((!is_of_some_job || is_launcher_pod(p, in.seen)) && such(p))
      found.push_back(&p);
  }
  std::sort(found.begin(), found.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  return found;
}

std::string first_and_others(const pod_list& pods) {
  auto text = pods.front()->name;
  if (pods.size() > 1)
    text +=
        " and "
        + pluralize(static_cast<std::int64_t>(pods.size() - 1), "other pod");
  return text;
}

} // namespace troupe::core
