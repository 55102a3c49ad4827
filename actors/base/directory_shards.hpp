#pragma once

#include "actors/base/protocols.hpp"

#include <string>
#include <vector>

namespace troupe::actors {

/// The directories. Each has a share of the jobs, which follows from a job's
/// namespace, kind and name; a child's owner reference or labels carry the
/// same, so that all facts about a job reach one directory.
class directory_shards {
public:
  directory_shards() = default; ///< None.
  explicit directory_shards(std::vector<directory_actor> all);

  const std::vector<directory_actor>& all() const { return all_; }
  bool empty() const { return all_.empty(); }

  /// `kind` is the job's kind as in a manifest ("TFJob"). Not if empty().
  const directory_actor& directory_of_job(const std::string& ns,
                                          const std::string& kind,
                                          const std::string& name) const;

  /// The directory of the job that controls the child, or that the labels of a
  /// child without a controller name. nullptr if that is no job of a known kind
  /// and there are several: any of them may have known the child before.
  const directory_actor* directory_of_child(const child_fact& fact) const;

private:
  std::vector<directory_actor> all_;
};

} // namespace troupe::actors
