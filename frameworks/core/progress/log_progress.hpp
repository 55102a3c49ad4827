#pragma once

#include "frameworks/core/progress/progress_policy.hpp"
#include "frameworks/core/progress/progress_status.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::core {

/// How far a job is, as the lines of a log tell by its rules. What several
/// lines tell is put together: of each group the latest text counts. `percent`
/// is a group's own, or that of `step` and `total`; every other group, and
/// those two, are metrics. A value.
class log_progress {
public:
  explicit log_progress(std::shared_ptr<const log_policy> policy);

  /// Whether a rule matched.
  bool read_line(std::string_view line);

  /// What the lines have told, without time and source; nullopt if no rule has
  /// matched since the last call.
  std::optional<progress_status> take();
  bool has_news() const { return has_news_; }

  /// How long a byte of a log takes, in proportion to that of a simple rule.
  std::size_t cost_of_byte() const { return cost_of_byte_; }

private:
  struct known_rule {
    std::shared_ptr<const k8s::text_pattern> pattern;
    std::vector<std::string> groups;
  };

  bool read_by_rule(const known_rule& rule, std::string_view line);
  void note(const std::string& group, std::string_view text);
  void note_metric(const std::string& name, std::string_view text);
  void compute_percent();

  std::vector<known_rule> rules_;
  std::size_t cost_of_byte_ = 1;
  progress_status told_;
  std::optional<double> step_;
  std::optional<double> total_;
  bool has_news_ = false;
};

} // namespace troupe::core
