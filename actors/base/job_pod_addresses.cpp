#include "actors/base/job_pod_addresses.hpp"

#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/registry.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::actors {

namespace {

/// The kind of the job that controls the pod, if it takes requests.
const core::framework* job_kind_with_requests(const k8s::object_meta& pod) {
  const auto* owner = pod.controller();
  const auto* kind =
      owner ? core::kind_of_owner(*owner, frameworks::all()) : nullptr;
  return kind && kind->own.begin_request ? kind : nullptr;
}

bool may_have_own_address(const k8s::pod_state& pod) {
  return !pod.on_host_network && pod.phase != k8s::pod_phase::succeeded
         && pod.phase != k8s::pod_phase::failed;
}

} // namespace

void job_pod_addresses::record_seen(const k8s::object& pod,
                                    std::uint64_t list_number) {
  const auto* state = std::get_if<k8s::pod_state>(&pod.state);
  const auto* kind = job_kind_with_requests(pod.meta);
  std::lock_guard guard{lock_};
  auto known = pods_.find(pod.meta.uid);
  if (known != pods_.end() && known->second.version > pod.meta.resource_version)
    return;
  bool has_addresses = state && kind && may_have_own_address(*state);
  // Before those that the pod already had are removed.
  bool is_one_new = has_addresses
                    && std::any_of(state->ips.begin(), state->ips.end(),
                                   [this](const auto& ip) {
                                     return by_address_.count(ip) == 0;
                                   });
  if (known != pods_.end())
    remove(known);
  if (!has_addresses || state->ips.empty())
    return;
  add(pod.meta.uid, {{kind, pod.meta.ns, pod.meta.controller()->name},
                     state->ips,
                     list_number,
                     pod.meta.resource_version});
  if (is_one_new && added_)
    added_();
}

void job_pod_addresses::add(const std::string& uid, entry e) {
  for (const auto& ip : e.ips)
    by_address_.emplace(ip, uid);
  pods_[uid] = std::move(e);
}

job_pod_addresses::entries::iterator
job_pod_addresses::remove(entries::iterator i) {
  for (const auto& ip : i->second.ips) {
    auto [first, last] = by_address_.equal_range(ip);
    auto own = std::find_if(
        first, last, [&](const auto& at) { return at.second == i->first; });
    if (own != last)
      by_address_.erase(own);
  }
  return pods_.erase(i);
}

void job_pod_addresses::record_deleted(const k8s::object& pod) {
  std::lock_guard guard{lock_};
  if (auto i = pods_.find(pod.meta.uid); i != pods_.end())
    remove(i);
}

void job_pod_addresses::forget_unlisted(const watch_target& about,
                                        std::uint64_t list_number,
                                        std::uint64_t version) {
  std::lock_guard guard{lock_};
  for (auto i = pods_.begin(); i != pods_.end();) {
    const auto& e = i->second;
    bool gone = about.lists_children_of(e.of.kind, e.of.ns)
                && e.list_number < list_number && e.version <= version;
    i = gone ? remove(i) : std::next(i);
  }
}

void job_pod_addresses::forget_all() {
  std::lock_guard guard{lock_};
  pods_.clear();
  by_address_.clear();
}

bool job_pod_addresses::is_known(const std::string& address) const {
  std::lock_guard guard{lock_};
  return by_address_.count(address) > 0;
}

std::vector<job_pod_addresses::job>
job_pod_addresses::jobs_at(const std::string& address) const {
  auto key = [](const job& j) { return std::tie(j.kind, j.ns, j.name); };
  std::vector<job> result;
  std::lock_guard guard{lock_};
  auto [first, last] = by_address_.equal_range(address);
  for (auto i = first; i != last; ++i) {
    const auto& of = pods_.at(i->second).of;
    if (std::none_of(result.begin(), result.end(),
                     [&](const job& j) { return key(j) == key(of); }))
      result.push_back(of);
  }
  std::sort(result.begin(), result.end(), [](const job& a, const job& b) {
    return std::tie(a.ns, a.name) < std::tie(b.ns, b.name);
  });
  return result;
}

void job_pod_addresses::set_added_callback(std::function<void()> added) {
  std::lock_guard guard{lock_};
  added_ = std::move(added);
}

} // namespace troupe::actors
