#pragma once

#include "frameworks/core/model/job.hpp"
#include "frameworks/core/spec/checked_fields.hpp"
#include "k8s/text_pattern.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace troupe::core {

// What several policies of a job have.

inline constexpr std::size_t longest_pattern = 1'024;

/// The type of this job that a user spells so, or nullptr.
const replica_spec* find_spelled_type(const job& of,
                                      const std::string& spelled);

/// As the job spells them.
std::vector<std::string> types_of(const job& of);

/// What the patterns of a policy may have together, as k8s::step_count counts
/// it.
struct pattern_limits {
  std::size_t steps = 0;
  /// A pattern gets the memory of twice its steps, and at least of so many.
  std::size_t least_share = 0;
};

/// Reads the patterns of one policy, which share a limit.
class pattern_budget {
public:
  explicit pattern_budget(pattern_limits most)
      : most_(most) {}

  /// nullptr: it is absent, or wrong, which is told.
  std::shared_ptr<const k8s::text_pattern> read(const checked_object& fields,
                                                const char* field);

private:
  std::shared_ptr<const k8s::text_pattern>
  with_share_of_memory(std::shared_ptr<const k8s::text_pattern> pattern,
                       const std::string& text, std::size_t steps) const;

  pattern_limits most_;
  std::size_t steps_ = 0; ///< Of those that were read.
};

} // namespace troupe::core
