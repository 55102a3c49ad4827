#pragma once

#include "k8s/apiserver/storage/stored_object.hpp"
#include "k8s/json.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// One change, as watches and histories see it. `before` is null for a
/// creation; `after` is the last state, stamped with the deletion's version,
/// for a deletion.
struct change {
  enum class kind : std::uint8_t { added, modified, deleted };

  kind type = kind::added;
  std::string bucket;
  std::string key;
  stored_object_ptr before;
  stored_object_ptr after;
  std::uint64_t resource_version = 0;
};

using change_ptr = std::shared_ptr<const change>;

/// The place of an object within its bucket: "namespace/name", or "/name".
std::string storage_key(const std::string& ns, const std::string& name);

/// All objects, in memory, with one counter of versions and the last changes of
/// each bucket. Knows no protocol and no kind: a bucket is what is listed and
/// watched together ("pods", "tfjobs.kubeflow.org"). Single-threaded.
class store {
public:
  /// Remembers the last `history` changes of each bucket.
  explicit store(std::size_t history)
      : history_(history) {}

  /// The cache of its objects' values.
  value_cache& parsed_values() const { return *parsed_values_; }

  /// Called before every change. One for which it throws does not happen.
  std::function<void(const change&)> persist;
  /// Called after every change, in order.
  std::function<void(const change_ptr&)> on_change;

  /// The version of the latest change of all.
  std::uint64_t resource_version() const { return version_; }

  /// The object, or null.
  stored_object_ptr find(const std::string& bucket,
                         const std::string& key) const;

  /// Creates or replaces, stamping metadata.resourceVersion.
  stored_object_ptr put(const std::string& bucket, const std::string& key,
                        json value);

  /// Removes; the result carries the version of the removal. Null if it was
  /// not there.
  stored_object_ptr remove(const std::string& bucket, const std::string& key);

  /// Takes an object as it is, including its version, and reports no change:
  /// for loading objects that were kept elsewhere. Versions continue from the
  /// highest one seen. All earlier changes are forgotten.
  void restore_without_change_event(const std::string& bucket,
                                    const std::string& key, json value);
  /// Removes an object that was restored, and reports no change.
  void forget_without_change_event(const std::string& bucket,
                                   const std::string& key);
  /// Continues from this version, if it is higher: the last change may have
  /// been a deletion.
  void continue_from_version_if_higher(std::uint64_t version);

  /// Calls `f` for the objects of a namespace ("" means all) after `after`, in
  /// the order of keys, until it returns false.
  void for_each(const std::string& bucket, const std::string& ns,
                const std::string& after,
                const std::function<bool(const std::string& key,
                                         const stored_object_ptr&)>& f) const;

  /// The same for the objects at an earlier version. Returns false, without a
  /// call, if that version is no longer remembered.
  bool for_each_at_version(
      std::uint64_t version, const std::string& bucket, const std::string& ns,
      const std::string& after,
      const std::function<bool(const std::string& key,
                               const stored_object_ptr&)>& f) const;

  /// How many objects of a namespace ("" means all) come after `after`; now,
  /// and at a version that for_each_at_version remembers.
  std::size_t count_after(const std::string& bucket, const std::string& ns,
                          const std::string& after) const;
  std::size_t count_after_at_version(std::uint64_t version,
                                     const std::string& bucket,
                                     const std::string& ns,
                                     const std::string& after) const;

  /// The changes of a bucket after `version`; nullopt if some are forgotten.
  std::optional<std::vector<change_ptr>>
  changes_after(const std::string& bucket, std::uint64_t version) const;

  std::size_t size(const std::string& bucket) const;
  std::vector<std::string> buckets() const;

private:
  using objects = std::map<std::string, stored_object_ptr, std::less<>>;

  struct bucket_state {
    objects objects_by_key;
    std::deque<change_ptr> history;
    std::uint64_t compacted_version = 0; ///< The highest not in `history`.
  };

  stored_object_ptr make_stored_object(json value, std::uint64_t version);
  void record_and_report_change(bucket_state& s, change_ptr c);

  std::shared_ptr<value_cache> parsed_values_ = std::make_shared<value_cache>();
  std::size_t history_;
  std::uint64_t version_ = 1;
  std::uint64_t restored_version_ = 0; ///< Of which no change is remembered.
  std::map<std::string, bucket_state, std::less<>> buckets_;
};

} // namespace troupe::k8s::apiserver
