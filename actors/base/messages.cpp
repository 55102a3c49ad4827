#include "actors/base/messages.hpp"

#include "frameworks/registry.hpp"

namespace troupe::actors {

child_fact::child_fact(core::child_kind what, k8s::object_ptr seen)
    : kind(what)
    , item(std::move(seen))
    , claims(core::claims_of(item->meta, frameworks::all())) {}

} // namespace troupe::actors
