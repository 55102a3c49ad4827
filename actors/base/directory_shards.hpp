#pragma once

#include "actors/base/protocols.hpp"

#include <string>
#include <vector>

namespace troupe::actors {

/// The directories. Each has a share of the jobs, which follows from a job's
/// namespace, kind and name. A child's owner reference or labels contain the
/// same three, so all facts about a job reach one directory.
class directory_shards {
public:
  directory_shards() = default; ///< None.
  explicit directory_shards(std::vector<directory_actor> all);

  const std::vector<directory_actor>& all() const { return all_; }
  bool empty() const { return all_.empty(); }

  /// `kind` is the job's kind as in a manifest ("TFJob"). Must not be called if
  /// empty().
  const directory_actor& directory_of_job(const std::string& ns,
                                          const std::string& kind,
                                          const std::string& name) const;

  /// The directory of the job that controls the child, or, if it has no
  /// controller, of the job that its labels name. nullptr if that is not a job
  /// of a known kind and there are several directories: each of them may have
  /// known the child before.
  const directory_actor* directory_of_child(const child_fact& fact) const;

private:
  std::vector<directory_actor> all_;
};

} // namespace troupe::actors
