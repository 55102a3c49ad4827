#include "frameworks/core/scaling.hpp"

#include "frameworks/core/adoption.hpp"

namespace troupe::core {

namespace {

void fill_places(pass& p, child_kind what, const replica_type_view& type) {
  for (const auto& place : type.slots) {
    if (p.out.decisions.size() >= most_creations)
      return;
    // Whoever is going keeps its place until it is gone.
    if (!place.of(what) && !p.open.creation_open(what, place.at, p.now)
        && !adopt_into(p, what, place))
      p.create(what, place, "its place is empty");
  }
}

/// Whether every place of the other types has its pod.
bool others_exist(const pass& p, const replica_type_view& type) {
  for (const auto& other : p.children.types)
    for (const auto& place : other.slots)
      if (other.spec != type.spec && !place.pod)
        return false;
  return true;
}

bool waits_for_others(const pass& p, const replica_type_view& type) {
  return type.rule && type.rule->made_last && !others_exist(p, type);
}

} // namespace

void fill_places(pass& p) {
  for (const auto& type : p.children.types) {
    if (!waits_for_others(p, type))
      fill_places(p, child_kind::pod, type);
    if (p.j.kind->services)
      fill_places(p, child_kind::service, type);
  }
}

void remove_surplus(pass& p) {
  for (const auto& odd : p.children.out_of_range)
    p.remove(odd.kind, *odd.view, "the job does not ask for it any more");
  for (const auto& odd : p.children.duplicates)
    p.remove(odd.kind, *odd.view, "another one fills its place");
}

} // namespace troupe::core
