#pragma once

#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/model/framework.hpp"
#include "k8s/api.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace troupe::actors {

/// What --kueue says.
enum class kueue_mode : std::uint8_t {
  off,
  automatic, ///< Where Kueue is, and its own integration of the kind is off.
  own,       ///< Always.
};

/// "off", "auto", "own"; anything else is `off`.
kueue_mode parse_kueue_mode(const std::string& text);

struct queueing_probe_config {
  kueue_mode mode = kueue_mode::off;
  std::vector<const core::framework*> kinds;
  std::string ns; ///< Where a job is tried without being made.
};

/// Finds out whether jobs are to wait for queues of Kueue's. A value.
///
/// Whether Kueue looks after a kind itself cannot be read anywhere. What tells
/// is a job that is created with dryRun: its integration suspends it.
class queueing_probe {
public:
  explicit queueing_probe(queueing_probe_config config)
      : config_(std::move(config)) {}

  /// The next call; what was found out; or why nothing can be said now.
  using step = std::variant<k8s::request, core::queueing_options, k8s::failure>;

  step begin();
  step on_answer(const k8s::result<std::string>& answer);

private:
  enum class phase : std::uint8_t { discovery, rights, trial };

  step on_discovered(const k8s::result<std::string>& answer);
  step on_rights(const k8s::result<std::string>& answer);
  step on_tried(const k8s::result<std::string>& answer);
  step try_next_kind();

  queueing_probe_config config_;
  phase at_ = phase::discovery;
  std::size_t next_kind_ = 0;
  core::queueing_options found_;
};

} // namespace troupe::actors
