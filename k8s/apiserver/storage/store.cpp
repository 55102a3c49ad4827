#include "k8s/apiserver/storage/store.hpp"

#include "k8s/objects.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

// All keys of a namespace lie between its two bounds. `after` may be any text:
// a client sent it.
template <class Map>
auto namespace_key_range(Map& m, const std::string& ns,
                         const std::string& after) {
  auto prefix = ns.empty() ? std::string{} : ns + "/";
  auto behind = ns + "0"; // '/' + 1
  auto end = ns.empty() ? m.end() : m.lower_bound(behind);
  if (!ns.empty() && after >= behind)
    return std::make_pair(end, end);
  auto begin = after > prefix ? m.upper_bound(after) : m.lower_bound(prefix);
  return std::make_pair(begin, end);
}

} // namespace

std::string storage_key(const std::string& ns, const std::string& name) {
  std::string key;
  key.reserve(ns.size() + name.size() + 1);
  return key.append(ns).append(1, '/').append(name);
}

stored_object_ptr store::make_stored_object(json value, std::uint64_t version) {
  ensure_object(value, "metadata")["resourceVersion"] = std::to_string(version);
  return parsed_values_->make_stored_object(std::move(value), version);
}

stored_object_ptr store::find(const std::string& bucket,
                              const std::string& key) const {
  auto s = buckets_.find(bucket);
  if (s == buckets_.end())
    return nullptr;
  auto i = s->second.objects_by_key.find(key);
  return i == s->second.objects_by_key.end() ? nullptr : i->second;
}

stored_object_ptr store::put(const std::string& bucket, const std::string& key,
                             json value) {
  auto now = make_stored_object(std::move(value), version_ + 1);
  auto before = find(bucket, key);
  auto what = before ? change::kind::modified : change::kind::added;
  auto c = std::make_shared<const change>(
      change{what, bucket, key, std::move(before), now, version_ + 1});
  if (persist)
    persist(*c);
  ++version_;
  auto& s = buckets_[bucket];
  s.objects_by_key[key] = now;
  record_and_report_change(s, std::move(c));
  return now;
}

stored_object_ptr store::remove(const std::string& bucket,
                                const std::string& key) {
  auto& s = buckets_[bucket];
  auto i = s.objects_by_key.find(key);
  if (i == s.objects_by_key.end())
    return nullptr;
  auto last = make_stored_object(i->second->value(), version_ + 1);
  auto c = std::make_shared<const change>(change{
      change::kind::deleted, bucket, key, i->second, last, version_ + 1});
  if (persist)
    persist(*c);
  ++version_;
  s.objects_by_key.erase(i);
  record_and_report_change(s, std::move(c));
  return last;
}

void store::restore_without_change_event(const std::string& bucket,
                                         const std::string& key, json value) {
  auto& s = buckets_[bucket];
  auto version = parse_resource_version_or_zero(
      text_at(value, {"metadata", "resourceVersion"}));
  continue_from_version_if_higher(version);
  s.objects_by_key[key] = make_stored_object(std::move(value), version);
}

void store::forget_without_change_event(const std::string& bucket,
                                        const std::string& key) {
  if (auto s = buckets_.find(bucket); s != buckets_.end())
    s->second.objects_by_key.erase(key);
}

void store::continue_from_version_if_higher(std::uint64_t version) {
  version_ = std::max(version_, version);
  restored_version_ = std::max(restored_version_, version);
}

void store::record_and_report_change(bucket_state& s, change_ptr c) {
  s.history.push_back(c);
  while (s.history.size() > history_) {
    s.compacted_version = s.history.front()->resource_version;
    s.history.pop_front();
  }
  if (on_change)
    on_change(c);
}

void store::for_each(
    const std::string& bucket, const std::string& ns, const std::string& after,
    const std::function<bool(const std::string& key, const stored_object_ptr&)>&
        f) const {
  auto s = buckets_.find(bucket);
  if (s == buckets_.end())
    return;
  auto [i, end] = namespace_key_range(s->second.objects_by_key, ns, after);
  while (i != end && f(i->first, i->second))
    ++i;
}

std::size_t store::count_after(const std::string& bucket, const std::string& ns,
                               const std::string& after) const {
  auto s = buckets_.find(bucket);
  if (s == buckets_.end())
    return 0;
  auto [i, end] = namespace_key_range(s->second.objects_by_key, ns, after);
  return static_cast<std::size_t>(std::distance(i, end));
}

std::size_t store::count_after_at_version(std::uint64_t version,
                                          const std::string& bucket,
                                          const std::string& ns,
                                          const std::string& after) const {
  std::size_t count = 0;
  for_each_at_version(version, bucket, ns, after,
                      [&](const auto&, const auto&) { return ++count > 0; });
  return count;
}

bool store::for_each_at_version(
    std::uint64_t version, const std::string& bucket, const std::string& ns,
    const std::string& after,
    const std::function<bool(const std::string& key, const stored_object_ptr&)>&
        f) const {
  auto newer = changes_after(bucket, version);
  if (!newer)
    return false;
  auto s = buckets_.find(bucket);
  if (s == buckets_.end())
    return true;
  // What the changed keys held then; null where there was nothing.
  objects then;
  for (const auto& c : *newer)
    then.emplace(c->key, c->before);
  auto [i, i_end] = namespace_key_range(s->second.objects_by_key, ns, after);
  auto [j, j_end] = namespace_key_range(std::as_const(then), ns, after);
  while (i != i_end || j != j_end) {
    bool old = j != j_end && (i == i_end || j->first <= i->first);
    if (old && i != i_end && i->first == j->first)
      ++i;
    auto& at = old ? j : i;
    if (at->second && !f(at->first, at->second))
      return true;
    ++at;
  }
  return true;
}

std::optional<std::vector<change_ptr>>
store::changes_after(const std::string& bucket, std::uint64_t version) const {
  if (version < restored_version_)
    return std::nullopt;
  auto s = buckets_.find(bucket);
  if (s == buckets_.end())
    return std::vector<change_ptr>{};
  const auto& history = s->second.history;
  if (version < s->second.compacted_version)
    return std::nullopt;
  auto from = std::upper_bound(history.begin(), history.end(), version,
                               [](std::uint64_t v, const change_ptr& c) {
                                 return v < c->resource_version;
                               });
  return std::vector<change_ptr>(from, history.end());
}

std::size_t store::size(const std::string& bucket) const {
  auto s = buckets_.find(bucket);
  return s == buckets_.end() ? 0 : s->second.objects_by_key.size();
}

std::vector<std::string> store::buckets() const {
  std::vector<std::string> out;
  for (const auto& [name, s] : buckets_)
    out.push_back(name);
  return out;
}

} // namespace troupe::k8s::apiserver
