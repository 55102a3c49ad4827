#pragma once

#include "actors/base/actor_options.hpp"
#include "frameworks/core/model/decision.hpp"
#include "k8s/calls.hpp"

#include <functional>
#include <memory>
#include <string>

namespace troupe::actors {

/// A call to the API server for an order.
struct order_call {
  core::shared_value<k8s::request> request;
  /// If set, it makes the request when the call is sent, and `request` is not
  /// used: thousands of bodies would take much memory.
  std::function<k8s::result<k8s::request>()> make = {};
  /// The server has said that another object has the name. Its end is to be
  /// waited for before the call is sent, which may show it.
  bool name_is_taken = false;
};

/// The call that does what is ordered. Of `delete_job`, which is no order for a
/// replica group, a failure.
k8s::result<order_call>
call_of_order(const core::child_order& order, const core::job_ptr& job,
              const std::shared_ptr<const actor_options>& options);

/// Which object an order is about; of one that is about no child, nothing.
struct order_target {
  core::child_kind kind = core::child_kind::pod;
  std::string name;
  std::string uid; ///< "" for a creation.

  k8s::object_ref ref_in_namespace(const std::string& ns) const {
    return {core::resource_of(kind), ns, name};
  }
};

order_target target_of_order(const core::decision& d, const core::job& j);

bool is_creation(const core::decision& d);

/// Whether a call that ended so may have had its effect.
bool is_outcome_unknown(const k8s::failure& f);

} // namespace troupe::actors
