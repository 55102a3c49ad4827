#include "actors/process/watch_plan.hpp"

#include "frameworks/conversions.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"

#include <algorithm>
#include <set>

namespace troupe::actors {

namespace {

using job_kinds = std::vector<const core::framework*>;

/// In turns, so that each part has at least one.
std::vector<job_kinds> divide_kinds(const job_kinds& kinds, std::size_t parts) {
  std::vector<job_kinds> result(std::min(parts, kinds.size()));
  for (std::size_t i = 0; i < kinds.size(); ++i)
    result[i % result.size()].push_back(kinds[i]);
  return result;
}

/// What one watcher of pods or services is about.
struct watched_labels {
  job_kinds kinds; ///< Empty: all that there are.
  std::string selector;
  /// All of its kinds are watched alike.
  const core::framework* example = nullptr;
};

bool are_watched_alike(const core::framework& a, const core::framework& b) {
  return core::have_same_selector(a.names.labels, b.names.labels)
         && core::watched_detail_of(a, core::child_kind::pod)
                == core::watched_detail_of(b, core::child_kind::pod);
}

/// Groups of kinds whose children are watched alike.
std::vector<job_kinds> group_watched_alike(const job_kinds& kinds) {
  std::vector<job_kinds> result;
  for (const auto* kind : kinds) {
    auto same = std::find_if(result.begin(), result.end(), [&](const auto& g) {
      return are_watched_alike(*g.front(), *kind);
    });
    if (same == result.end())
      result.push_back({kind});
    else
      same->push_back(kind);
  }
  return result;
}

std::vector<watched_labels> divide_watches(const job_kinds& kinds,
                                           std::size_t parts) {
  std::vector<watched_labels> result;
  auto groups = group_watched_alike(kinds);
  for (const auto& group : groups) {
    auto divided = divide_kinds(group, parts);
    for (const auto& part : divided)
      result.push_back(
          {groups.size() * divided.size() > 1 ? part : job_kinds{},
           core::children_selector(divided.size() > 1 ? part : job_kinds{},
                                   group.front()->names.labels),
           group.front()});
  }
  return result;
}

std::set<core::child_kind>
auxiliary_kinds_to_watch(const job_kinds& kinds,
                         const core::cluster_options& cluster) {
  std::set<core::child_kind> result;
  for (const auto* kind : kinds)
    for (auto what : core::auxiliary_kinds_for(*kind, cluster))
      result.insert(what);
  return result;
}

bool has_conversion(const k8s::resource& of_jobs) {
  return frameworks::find_conversion_of_resource(of_jobs.group, of_jobs.plural);
}

} // namespace

std::vector<watcher_config> make_watch_plan(const job_kinds& kinds,
                                            const actor_options& options,
                                            bool serves_webhooks) {
  std::vector<watcher_config> plan;
  auto add = [&plan](watch_target about, const k8s::resource& r,
                     core::watch_selectors by, k8s::object_detail detail = {}) {
    plan.push_back(
        {plan.size(), std::move(about), r, by.labels, by.fields, detail});
  };
  auto parts = static_cast<std::size_t>(options.child_watchers);
  auto divided = divide_watches(kinds, parts);
  auto auxiliary = auxiliary_kinds_to_watch(kinds, options.cluster);
  for (const auto& ns : options.namespaces) {
    for (auto what : {core::child_kind::pod, core::child_kind::service})
      for (const auto& part : divided)
        add({nullptr, what, ns, part.kinds}, core::resource_of(what),
            {part.selector.c_str(), ""},
            core::watched_detail_of(*part.example, what));
    for (auto what : auxiliary)
      add({nullptr, what, ns}, core::resource_of(what),
          core::watch_selectors_of(what), core::watched_detail_of(what));
    for (const auto* kind : kinds) {
      add({kind, core::child_kind::pod, ns}, kind->names.type,
          {kind->names.watch_selector, ""});
      plan.back().needed_to_be_ready =
          !serves_webhooks || !has_conversion(kind->names.type);
    }
  }
  return plan;
}

} // namespace troupe::actors
