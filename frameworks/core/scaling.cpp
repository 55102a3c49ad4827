#include "frameworks/core/scaling.hpp"

#include "frameworks/core/adoption.hpp"

namespace troupe::core {

namespace {

void fill_places(pass& p, child what, const replica_view& type) {
  for (const auto& place : type.places) {
    if (p.out.decisions.size() >= most_creations)
      return;
    // Whoever is going keeps its place until it is gone.
    if (!place.of(what) && !p.open.creation_open(what, place.at, p.now)
        && !adopt_into(p, what, place))
      p.create(what, place, "its place is empty");
  }
}

} // namespace

void fill_places(pass& p) {
  for (const auto& type : p.around.types) {
    fill_places(p, child::pod, type);
    if (p.j.kind->services)
      fill_places(p, child::service, type);
  }
}

void remove_surplus(pass& p) {
  for (const auto& odd : p.around.surplus)
    p.remove(odd.what, *odd.view, "the job does not ask for it any more");
  for (const auto& odd : p.around.doubles)
    p.remove(odd.what, *odd.view, "another one fills its place");
}

} // namespace troupe::core
