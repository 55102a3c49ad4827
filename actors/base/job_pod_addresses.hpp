#pragma once

#include "actors/base/messages.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// Which jobs of kinds that take requests have a pod at an address. Written by
/// the watchers of every replica, leading or not, and read by di-server: it
/// tells strangers before anything of theirs is read, and whose list a list is.
/// What a request may do is decided by the supervisor of its job, who knows
/// which pods the job owns. Any thread.
class job_pod_addresses {
public:
  struct job {
    const core::framework* kind = nullptr;
    std::string ns;
    std::string name;
  };

  // Facts about pods, as watchers have them. Pods that have ended have no
  // address any more, and those on the network of their node none of their own.
  void record_seen(const k8s::object& pod, std::uint64_t list_number);
  void record_deleted(const k8s::object& pod);
  void forget_unlisted(const watch_target& about, std::uint64_t list_number,
                       std::uint64_t version);
  /// All watchers begin anew.
  void forget_all();

  bool is_known(const std::string& address) const;
  std::vector<job> jobs_at(const std::string& address) const;

  /// Called when an address has become known, on the thread that told so; it
  /// must not call back. After this call nobody calls the one before.
  void on_added(std::function<void()> added);

private:
  struct entry {
    job of;
    std::vector<std::string> ips;
    std::uint64_t list_number = 0;
    std::uint64_t version = 0;
  };
  using entries = std::map<std::string, entry>; ///< By the pod's UID.

  /// Whether an address is new.
  bool add(const std::string& uid, entry e);
  entries::iterator remove(entries::iterator i);

  mutable std::mutex lock_;
  entries pods_;
  std::multimap<std::string, std::string> by_address_; ///< To UIDs.
  std::function<void()> added_;
};

} // namespace troupe::actors
