#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"
#include "k8s/apiserver/storage/store.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::k8s::apiserver {

/// The place of an object: bucket and key.
using object_key = std::pair<std::string, std::string>;

/// The namespace of an object; "" if it is cluster-scoped.
std::string_view namespace_of(const object_key& location);

/// Whether an object in the place of `owner` can own one in the place of
/// `dependent`: an owner is in its dependent's namespace, or in none. Nothing
/// else is checked.
bool can_own_by_namespace(const object_key& owner, const object_key& dependent);

/// The place where an owner of this type and name is, if it exists.
object_key expected_owner_location(const served_resource& type,
                                   const object_key& dependent,
                                   const std::string& name);

/// Knows from the changes of the store which objects own which, and which may
/// therefore have to be deleted. Decides nothing.
class owner_graph {
public:
  void apply_change(const change& c);

  /// For an object that is loaded: its owner may be loaded after it. When all
  /// are loaded, finish_loading_and_add_candidates() finds those whose owners
  /// are missing.
  void apply_loaded(const change& c);
  void finish_loading_and_add_candidates();

  bool has_object(const std::string& uid) const {
    return existing_.count(uid) > 0;
  }
  /// Null if there is no such object.
  const object_key* find_location(const std::string& uid) const;
  const std::set<object_key>& find_dependents(const std::string& uid) const;
  /// Whether the deletion of this object was seen while others still name it as
  /// their owner. If its kind was deleted with it, nothing else says so.
  bool was_deleted_leaving_dependents(const std::string& uid) const {
    return deleted_.count(uid) > 0;
  }

  /// The objects that name an owner that does not exist or cannot be theirs.
  std::set<object_key> list_objects_with_missing_owner() const;
  /// To be called when another kind is served: then more can be decided about
  /// these.
  void add_candidates_with_missing_owner() {
    candidates_.merge(list_objects_with_missing_owner());
  }
  /// The same happens when an object is created in this place.
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
