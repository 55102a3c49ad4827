#pragma once

#include "frameworks/core/model/children.hpp"

#include <caf/actor_control_block.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace troupe::actors {

/// Names that other objects have, with the actors that wait to create an object
/// of such a name. A watcher that sees the end of the object sends them a
/// message, whoever owned it, and whichever directory has that job.
/// Thread-safe.
class awaited_names {
public:
  /// `who` waits until the next take() of this name, and is not kept alive.
  void add_waiter_until_name_is_free(core::child_kind kind,
                                     const std::string& ns,
                                     const std::string& name,
                                     const caf::strong_actor_ptr& who);

  /// The object of this name is gone: removes and returns the actors that wait.
  std::vector<caf::strong_actor_ptr>
  take(core::child_kind kind, const std::string& ns, const std::string& name);

  /// The number of names, including those for which only ended actors wait.
  std::size_t size() const;

private:
  using key = std::tuple<core::child_kind, std::string, std::string>;

  void drop_names_of_ended_actors();

  mutable std::mutex mutex_;
  std::map<key, std::vector<caf::weak_actor_ptr>> waiting_;
  /// Read without the lock: watchers ask at every deletion.
  std::atomic<std::size_t> count_{0};
  /// At so many names, drop_names_of_ended_actors() is called.
  std::size_t drop_at_ = 64;
};

} // namespace troupe::actors
