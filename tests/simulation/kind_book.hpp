#pragma once

#include "frameworks/core/framework.hpp"
#include "tests/simulation/reading.hpp"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

/// One replica type of a job, read from its manifest.
struct post {
  int replicas = 0;
  std::string policy;
};

/// What a manifest asks for, by a reader that shares nothing with the core.
struct manifest {
  json spec;
  std::map<std::string, post> posts; ///< By label, "worker".
  bool broken = false;               ///< Breaks a rule: can never run.
  bool suspended = false;
  bool foreign = false; ///< Managed by somebody else.
  std::string cleanup = "None";
  std::optional<int> limit; ///< backoffLimit.
  std::optional<int> deadline;
  std::optional<int> ttl;

  const post* find(const std::string& type) const {
    auto i = posts.find(type);
    return i == posts.end() ? nullptr : &i->second;
  }
  int replicas(const std::string& type) const {
    const auto* p = find(type);
    return p ? p->replicas : 0;
  }
  /// Whether it wants a pod there, as long as the job is not over.
  bool wants(const std::string& type, int index) const {
    return !broken && !suspended && !foreign && index < replicas(type);
  }
};

/// How one replica stands.
struct replica {
  std::string type;
  int index = 0;
  std::string phase;
  std::optional<int> exit_code;
  bool leaving = false;
  bool disrupted = false; ///< Failed by the cluster, not by itself.
};

using cast = std::vector<replica>;

/// The one in this place, or nullptr.
const replica* find(const cast& all, const std::string& type, int index);

struct kind_words;

/// What the documentation of a job kind says, put into code a second time and
/// apart from the operator, so that the two can be held against each other.
/// Names alone come from the operator's table.
class kind_book {
public:
  /// Throws if the kind is not in the book.
  explicit kind_book(const core::framework& row);

  const core::framework& row() const { return row_; }
  const std::string& plural() const { return row_.type.plural; }

  manifest read(const json& spec) const;

  /// The types whose success is the job's.
  std::vector<std::string> leaders(const manifest& m) const;
  /// Whether replicas that stand like this make the job a success.
  bool succeeded(const manifest& m, const cast& all) const;
  /// Whether the failure of this replica is the job's.
  bool fatal(const manifest& m, const replica& r) const;
  /// Whether a failed replica of this type and end is made anew; a disrupted
  /// one always is.
  bool replaced(const manifest& m, const replica& r) const;

  /// A manifest at random, within the rules more often than not.
  json draw(std::mt19937_64& random) const;
  /// Another count of replicas for a type, within the rules.
  int draw_count(const std::string& type, std::mt19937_64& random) const;

private:
  const core::framework& row_;
  const kind_words* words_;
};

} // namespace troupe::simulation
