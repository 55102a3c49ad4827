#pragma once

#include "actors/base/messages.hpp"
#include "actors/jobs/unclaimed_children.hpp"
#include "frameworks/core/base/shared_value.hpp"
#include "frameworks/core/base/uid_key.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

/// Which jobs there are, by UID and by name, and which child is whose. A value;
/// who has it tells the jobs.
///
/// A child is the job's that its controller reference names or, if it has no
/// controller or is made by a batch/v1 Job, the one's that its labels name. One
/// whose job is not known (yet) is unclaimed: the job of that name takes it
/// when it appears. Of a child that was reported to a job, only that is kept,
/// and what confirmed it last.
///
/// Jobs are told by their UIDs, which are valid until jobs are added or
/// removed; nullptr: no job's.
class child_routes {
public:
  // Jobs.

  /// Returns what was unclaimed and is the job's.
  unclaimed_children::taken add_job(std::shared_ptr<const job_reference> job);
  void remove_job(const core::uid_key& uid);

  /// `kind` is the job's kind as in a manifest ("TFJob"), in any version.
  const core::uid_key* find_job_of_any_version(const std::string& ns,
                                               const std::string& kind,
                                               const std::string& name) const;
  /// nullptr if the job of this name is of another version.
  const core::uid_key* find_job(const core::framework& kind,
                                const std::string& ns,
                                const std::string& name) const;
  /// In the order of their namespaces and names; `ns` may be "" for all.
  std::vector<const core::uid_key*> find_jobs(const core::framework& kind,
                                              const std::string& ns) const;

  /// The jobs of this kind were listed (see unclaimed_children).
  void on_jobs_listed(const core::framework* kind) {
    unclaimed_.on_jobs_listed(kind);
  }

  // Children.

  struct route {
    const core::uid_key* from = nullptr; ///< It was this job's, and is not now.
    const core::uid_key* to = nullptr;   ///< It is this job's.
    bool is_new = false; ///< It is some job's, and was not known before.
  };
  route record_seen(const child_seen& fact);

  /// The job to be told, which knew the child or knows it by its claims. None
  /// if the end is that of a former label only.
  const core::uid_key* record_deleted(const child_deleted& fact);

  /// Another directory has seen the child, as it is in the fact: unless it has
  /// come back since, it is forgotten. The job that it was of.
  const core::uid_key* forget_child_if_moved(const child_seen& elsewhere);

  /// Forgets the children that were not in the list and are not newer.
  void forget_unlisted(const list_complete& fact);

  std::size_t known() const { return children_.size(); }
  std::size_t unclaimed() const { return unclaimed_.size(); }

private:
  /// What the children of one job have in common.
  struct family {
    /// UID of the job that they were reported to, or the name of one that is
    /// not known (see unclaimed_key_of_any_version).
    std::string job;
    std::string ns;

    bool operator==(const family& other) const {
      return job == other.job && ns == other.ns;
    }
  };

  struct job_entry {
    std::shared_ptr<const job_reference> ref;
    core::shared_value<family> children; ///< If it has some.
  };

  /// What is known of one child: whose it is, and the list that confirmed it.
  struct child_entry {
    core::shared_value<family> of;
    std::uint64_t list_number = 0;
    std::uint64_t version = 0;
    const core::framework* labelled = nullptr; ///< The kind in its labels.
    core::child_kind kind = core::child_kind::pod;
  };

  using jobs = std::map<core::uid_key, job_entry>;
  using child_entries =
      std::unordered_map<core::uid_key, child_entry, core::uid_key::hash>;

  /// The job that its claims name, or jobs_.end().
  jobs::iterator find_claimed_job(const child_fact& child);
  /// UID of the job that it was reported to, or nullptr.
  const core::uid_key* recorded_job_if_known(const child_entry& child) const;
  static const core::shared_value<family>&
  current_or_new_family(job_entry& job, const std::string& ns);
  child_entries::iterator forget(child_entries::iterator child);
  /// Two watches may show one service, each as a child of another kind; it is a
  /// child as one of them (see core::could_be_child_of_any), and what the other
  /// watch shows is of no interest.
  bool is_known_as_other_kind(child_entries::const_iterator child,
                              core::child_kind kind) const;
  const core::uid_key* uid_of(jobs::const_iterator job) const {
    return job == jobs_.end() ? nullptr : &job->first;
  }

  jobs jobs_;
  std::map<std::string, core::uid_key> by_name_; ///< "ns/kind/name" -> UID.
  child_entries children_;                       ///< By the child's UID.
  unclaimed_children unclaimed_; ///< Their job is not known (yet).
};

} // namespace troupe::actors
