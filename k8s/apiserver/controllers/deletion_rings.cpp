#include "k8s/apiserver/controllers/deletion_rings.hpp"

#include <utility>

namespace troupe::k8s::apiserver {

namespace {

using edges = std::vector<std::pair<object_key, object_key>>;

/// Leaves out, again and again, those to which no edge of the others leads.
void remove_unreached(std::set<object_key>& keys, const edges& all) {
  std::map<object_key, std::size_t> reached;
  std::map<object_key, std::vector<object_key>> next;
  for (const auto& [from, to] : all)
    if (keys.count(from) > 0 && keys.count(to) > 0) {
      ++reached[to];
      next[from].push_back(to);
    }
  std::vector<object_key> unreached;
  for (const auto& key : keys)
    if (reached[key] == 0)
      unreached.push_back(key);
  while (!unreached.empty()) {
    auto key = std::move(unreached.back());
    unreached.pop_back();
    keys.erase(key);
    for (const auto& to : next[key])
      if (--reached[to] == 0)
        unreached.push_back(to);
  }
}

} // namespace

std::set<object_key> find_deletion_rings(const waiting_owners& waiting) {
  std::set<object_key> result;
  edges forwards, backwards;
  for (const auto& [owner, dependents] : waiting) {
    result.insert(owner);
    for (const auto& d : dependents) {
      forwards.emplace_back(owner, d);
      backwards.emplace_back(d, owner);
    }
  }
  remove_unreached(result, forwards);
  remove_unreached(result, backwards);
  return result;
}

} // namespace troupe::k8s::apiserver
