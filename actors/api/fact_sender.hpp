#pragma once

#include "actors/base/directory_shards.hpp"

#include <cstdint>

namespace troupe::actors {

/// Sends what one watcher has seen to whom it concerns: the directories, those
/// who wait for a name, and the addresses of pods. Used by the watcher alone.
class fact_sender {
public:
  fact_sender() = default;
  /// `detail`: what is kept of a child.
  fact_sender(watcher_actor::pointer self, context_ptr context,
              watch_target about, k8s::object_detail detail,
              directory_shards to);

  /// An object was listed, added or changed.
  void send_seen_and_record_address(const k8s::object_ptr& item,
                                    std::uint64_t list_number);
  void send_deleted_and_notify_name_waiters(const k8s::object_ptr& item);
  /// To all directories: the list of this number is complete.
  void send_list_complete_to_all(std::uint64_t list_number,
                                 std::uint64_t version);

private:
  void notify_actors_awaiting_name(const k8s::object& gone);
  template <class Fact>
  void send_to_child_directory_or_all(const Fact& fact);
  /// All versions of a definition show all its jobs.
  bool is_of_other_row(const k8s::object& job) const;
  const directory_actor& directory_of_job(const k8s::object& job) const;

  watcher_actor::pointer self_ = nullptr;
  context_ptr context_;
  watch_target about_;
  directory_shards directories_;
  /// Of pods whose jobs may be asked for something.
  bool records_pod_addresses_ = false;
};

} // namespace troupe::actors
