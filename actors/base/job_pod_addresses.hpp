#pragma once

#include "actors/base/messages.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// Knows which jobs of kinds that take requests have a pod at an address. It is
/// written by the watchers of every replica, leading or not, and read by
/// di-server, which so recognizes strangers before it reads their bodies, and
/// finds the jobs of a client that asks for a list. What a request may do is
/// decided by the supervisor of its job, which knows the pods that the job
/// owns. May be called on any thread.
class job_pod_addresses {
public:
  struct job {
    const core::framework* kind = nullptr;
    std::string ns;
    std::string name;
  };

  // Facts about pods, from watchers. Pods that have ended have no address any
  // more, and pods on the network of their node have none of their own.
  void record_seen(const k8s::object& pod, std::uint64_t list_number);
  void record_deleted(const k8s::object& pod);
  void forget_unlisted(const watch_target& about, std::uint64_t list_number,
                       std::uint64_t version);
  /// All watchers will list again.
  void forget_all();

  bool is_known(const std::string& address) const;
  /// Sorted by namespace and name.
  std::vector<job> jobs_at(const std::string& address) const;

  /// Sets a function that is called when an address has become known, on the
  /// thread that recorded it; it must not call this object. After this, the
  /// former function is not called any more.
  void set_added_callback(std::function<void()> added);

private:
  struct entry {
    job of;
    std::vector<std::string> ips;
    std::uint64_t list_number = 0;
    std::uint64_t version = 0;
  };
  using entries = std::map<std::string, entry>; ///< By the pod's UID.

  void add(const std::string& uid, entry e);
  entries::iterator remove(entries::iterator i);

  mutable std::mutex lock_;
  entries pods_;
  std::multimap<std::string, std::string> by_address_; ///< To UIDs.
  std::function<void()> added_;
};

} // namespace troupe::actors
