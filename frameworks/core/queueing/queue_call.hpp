#pragma once

#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/job.hpp"
#include "k8s/result.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::core {

/// A read for a queue_order. Workloads are read as lists of one, which needs no
/// right to `get`.
struct queue_read {
  enum class way : std::uint8_t {
    get,
    get_if_there, ///< Its answer is "null" if there is none.
    list_by_name,
    list_all, ///< Of what has no namespace.
  };
  k8s::resource type;
  std::string ns;
  std::string name;
  way how = way::get;
};

/// The one write of a queue_order.
struct queue_write {
  enum class verb : std::uint8_t { create, update, update_status, remove };
  verb how = verb::update;
  k8s::resource type;
  std::string ns;
  std::string name;
  std::string body;
};

/// Nothing is to be written: the object that was looked at has changed, or is
/// as it should be.
struct queue_nothing {
  std::string
      workload;    ///< JSON text as it is now; "": it is gone, or not read.
  std::string job; ///< The same of the job.
};

using queue_call =
    std::variant<queue_read, queue_write, queue_nothing, k8s::failure>;

/// The call that follows these answers, all of reads and in their order: bodies
/// as the server sent them.
queue_call next_queue_call(const queue_order& order, const job& j,
                           const std::vector<std::string>& answers);

} // namespace troupe::core
