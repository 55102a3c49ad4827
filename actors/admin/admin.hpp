#pragma once

#include "actors/protocols.hpp"
#include "k8s/http/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>

namespace troupe::actors {

/// A question at the admin endpoint, and the way back.
struct admin_question {
  std::string path;
  k8s::http::response_writer_ptr back;
};

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(admin_question)

namespace troupe::actors {

/// Lets people look inside while the operator works: turns a question into a
/// report of the actors concerned. Reads only.
///
///   GET /admin/v1/actors                    the actor tree
///   GET /admin/v1/jobs/NAMESPACE/KIND/NAME  one supervisor's memory
///   GET /admin/v1/settings                  the settings, and where from
using admin_actor = caf::typed_actor<
    // Answer it.
    caf::reacts_to<admin_question>>;

/// `settings` returns what is answered about the settings.
admin_actor::behavior_type admin(admin_actor::pointer self, root_actor root,
                                 std::function<nlohmann::json()> settings);

} // namespace troupe::actors
