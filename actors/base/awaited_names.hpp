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

/// Names that another object has, and who waits to create an object of that
/// name. A watcher that sees the end of the object tells them; whose it was,
/// and which directory has that job, does not matter. Thread-safe.
class awaited_names {
public:
  /// Until the next `take` of this name. Does not keep `who` alive.
  void add(core::child_kind kind, const std::string& ns,
           const std::string& name, const caf::strong_actor_ptr& who);

  /// The object of this name is gone: who is to be told.
  std::vector<caf::strong_actor_ptr>
  take(core::child_kind kind, const std::string& ns, const std::string& name);

  std::size_t size() const;

private:
  using key = std::tuple<core::child_kind, std::string, std::string>;

  void drop_ended();

  mutable std::mutex mutex_;
  std::map<key, std::vector<caf::weak_actor_ptr>> waiting_;
  /// Read without the lock: watchers ask at every deletion.
  std::atomic<std::size_t> count_{0};
  std::size_t drop_at_ = 64; ///< So many names, and those of the ended go.
};

} // namespace troupe::actors
