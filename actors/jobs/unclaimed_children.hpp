#pragma once

#include "actors/base/messages.hpp"
#include "frameworks/core/base/uid_key.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// Children whose job is not known (yet), by the name of that job. A value.
///
/// Anybody who may create pods can make any number of them, of any size. So
/// what is kept of one is bounded, and so is how many are kept once the jobs of
/// their kind were listed. Of the others only the UID is known: their job, if
/// it appears, lists its children itself.
class unclaimed_children {
public:
  /// At most so much text of one child is kept.
  static constexpr std::size_t most_bytes_of_child = 16 * 1024;
  /// At most so many are kept, of kinds whose jobs were listed.
  static constexpr std::size_t most_after_list = 10'000;

  /// A child of the job with this key, or a newer state of it.
  void add(const std::string& job_key, const core::framework* job_kind,
           const child_seen& fact);
  void forget(const std::string& job_key, const core::uid_key& uid);

  /// The jobs of this kind were listed: a child without a job now may never get
  /// one.
  void on_jobs_listed(const core::framework* job_kind);

  struct taken {
    std::vector<child_seen> facts;
    /// Children of the job that were not kept: they must be listed.
    std::vector<core::uid_key> not_kept;
  };

  /// Takes out what has this key and, if it was kept, for which
  /// `is_of_job(fact)`.
  template <class Predicate>
  taken take(const std::string& job_key, Predicate is_of_job) {
    taken result;
    auto i = by_job_.find(job_key);
    if (i == by_job_.end())
      return result;
    auto& known = i->second.facts;
    for (auto one = known.begin(); one != known.end();) {
      const auto& [kind, item, list_number] = one->second;
      if (!item) {
        result.not_kept.push_back(one->first);
      } else if (child_seen fact{kind, item, list_number}; is_of_job(fact)) {
        result.facts.push_back(std::move(fact));
        --kept_;
      } else {
        ++one;
        continue;
      }
      one = known.erase(one);
    }
    if (known.empty())
      by_job_.erase(i);
    return result;
  }

  std::size_t size() const; ///< With those that are not kept.
  std::size_t kept() const { return kept_; }

private:
  /// Of a fact, but for the claims: they are read again when it is taken.
  struct known_child {
    core::child_kind kind = core::child_kind::pod;
    k8s::object_ptr item; ///< nullptr: it is not kept.
    std::uint64_t list_number = 0;
  };

  struct family {
    const core::framework* job_kind = nullptr;
    std::map<core::uid_key, known_child> facts;
  };

  std::map<std::string, family> by_job_; ///< By the job's key.
  std::set<const core::framework*> listed_;
  std::size_t kept_ = 0;
};

/// What is kept of a child until its job is seen: the object itself, one
/// without the annotations that nobody here reads, or nullptr if it is larger
/// than that.
k8s::object_ptr child_within_limit_or_null(const k8s::object_ptr& child,
                                           std::size_t most_bytes);

} // namespace troupe::actors
