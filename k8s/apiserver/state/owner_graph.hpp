#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"
#include "k8s/apiserver/storage/store.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::k8s::apiserver {

/// Where an object is: bucket and key.
using object_key = std::pair<std::string, std::string>;

/// "" of an object of the cluster.
std::string_view namespace_of(const object_key& location);

/// Whether an object at this place can own one there: an owner is in its
/// dependent's namespace, or in none.
bool can_own(const object_key& owner, const object_key& dependent);

/// Where an owner of this type and name is, if it is anywhere.
object_key owner_location(const served_resource& type,
                          const object_key& dependent, const std::string& name);

/// Knows which objects own which, from the changes of the store, and which may
/// have to be deleted for it. Decides nothing.
class owner_graph {
public:
  void apply_change(const change& c);

  /// An object that is loaded: its owner may come after it. When all are there
  /// those without owners are known.
  void apply_loaded(const change& c);
  void finish_loading();

  bool has_object(const std::string& uid) const {
    return existing_.count(uid) > 0;
  }
  /// Null if there is no such object.
  const object_key* find_object(const std::string& uid) const;
  const std::set<object_key>& find_dependents(const std::string& uid) const;
  /// Whether the end of this object was seen, while others still name it as
  /// their owner. Nothing else says so of an object whose kind has gone with
  /// it.
  bool was_deleted(const std::string& uid) const {
    return deleted_.count(uid) > 0;
  }

  /// Those that name an owner that is not there, or cannot be theirs.
  std::set<object_key> list_ownerless() const;
  /// Another kind is served: what could not be decided about these can be.
  void look_again_at_ownerless() { candidates_.merge(list_ownerless()); }
  /// So when an object is made at this place.
  void add_damaged_owner(const object_key& place) { damaged_.insert(place); }

  /// The objects that the garbage collector has to look at; empties the list.
  std::set<object_key> take_garbage_candidates() {
    return std::exchange(candidates_, {});
  }
  void add_garbage_candidate(const object_key& p) { candidates_.insert(p); }

private:
  std::map<std::string, object_key> existing_; ///< By UID.
  std::map<std::string, std::set<object_key>> dependents_;
  std::set<std::string> deleted_; ///< Keys of `dependents_`.
  std::set<object_key> damaged_;  ///< Owners that cannot be read.
  std::set<object_key> candidates_;
  bool loads_ = false;
};

} // namespace troupe::k8s::apiserver
