#pragma once

#include "frameworks/core/model/framework.hpp"
#include "tests/simulation/json_access.hpp"
#include "tests/simulation/replica_types/recovery_rules.hpp"

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

/// The CPUs that each replica requests, if the manifest says anything.
inline constexpr int cpus_of_replica = 2;

/// One replica type of a job, read from its manifest.
struct replica_spec {
  int replicas = 0;
  std::string policy;
};

/// What a manifest asks for, by a reader that shares nothing with the core.
struct manifest {
  json spec;
  std::map<std::string, replica_spec> replica_specs; ///< By label, "worker".
  bool invalid = false;                              ///< Fails validation.
  /// Nothing but its policies does: a job that has begun goes on without them.
  bool wrong_policy = false;
  bool suspended = false;
  bool foreign = false; ///< Managed by somebody else.
  std::string cleanup = "None";
  std::optional<int> limit; ///< backoffLimit.
  std::optional<int> deadline;
  std::optional<int> ttl;
  std::optional<int> min_available; ///< Of the gang; else all pods.
  bool requests_cpus = false;       ///< cpus_of_replica, each replica.
  json policies;                    ///< Those in annotations, as they are.
  recovery_policy recovery;

  const replica_spec* find(const std::string& type) const {
    auto i = replica_specs.find(type);
    return i == replica_specs.end() ? nullptr : &i->second;
  }
  int replicas(const std::string& type) const {
    const auto* p = find(type);
    return p ? p->replicas : 0;
  }
  /// Whether it wants a pod there, as long as the job is not over.
  bool wants(const std::string& type, int index) const {
    return wants_any() && index < replicas(type);
  }
  /// Whether it wants anything, as long as the job is not over.
  bool wants_any() const { return !invalid && !suspended && !foreign; }
  int all_replicas() const;
  /// The pods of its gang that must be placed together.
  int min_member() const { return min_available.value_or(all_replicas()); }
};

/// The state of one replica.
struct replica {
  std::string type;
  int index = 0;
  std::string phase;
  std::optional<int> exit_code;
  bool deleting = false;
  bool disrupted = false; ///< Failed by the cluster, not by itself.
  int attempt = 0;
  std::shared_ptr<const json> status = {}; ///< Of one that has failed.
};

using replica_list = std::vector<replica>;

/// The replica with this type and index, or nullptr.
const replica* find(const replica_list& all, const std::string& type,
                    int index);

struct kind_row;

/// What the documentation of a job kind says, in code that shares nothing with
/// the operator's, so that the tests can compare the two. Only names come from
/// the operator's table.
class kind_rules {
public:
  /// Throws if there is no row for the kind.
  kind_rules(const core::framework& row, core::gang gang);

  const core::framework& row() const { return row_; }
  /// The scheduler of all jobs.
  core::gang gang() const { return gang_; }
  const std::string& plural() const { return row_.names.type.plural; }

  manifest read(const json& job) const;
  /// The same for a process that begins with it.
  manifest read_at_start(const json& job) const;

  /// The types whose success is the job's.
  std::vector<std::string> leaders(const manifest& m) const;
  /// Whether the job has succeeded with these replicas.
  bool succeeded(const manifest& m, const replica_list& all) const;
  /// Whether the failure of this replica fails the job.
  bool fatal(const manifest& m, const replica& r) const;
  /// Whether this failed replica is replaced alone.
  bool replaced(const manifest& m, const replica& r) const;
  /// What its failure asks for.
  verdict on_failure(const manifest& m, const replica& r) const;
  /// The same of one that is being deleted, had it failed before.
  verdict on_earlier_failure(const manifest& m, const replica& r) const;

  /// The spec of a random job, valid in most cases.
  json random_manifest(std::mt19937_64& random) const;
  const char* types_field() const { return row_.names.spec_field; }
  /// A valid count of replicas for a type.
  int random_replica_count(const std::string& type,
                           std::mt19937_64& random) const;

private:
  bool succeeded_by_policy(const manifest& m, const replica_list& all) const;

  const core::framework& row_;
  core::gang gang_;
  const kind_row* entry_;
};

} // namespace troupe::simulation
