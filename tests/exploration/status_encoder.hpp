#pragma once

#include "tests/exploration/encoder.hpp"
#include "tests/exploration/setting.hpp"

#include <array>
#include <map>
#include <string>

namespace troupe::exploration {

/// Statuses that were written: most are equal, and then the number is enough.
class statuses {
public:
  statuses(encoder& e, const setting& s)
      : e_(e)
      , s_(s) {}
  void encode(const core::shared_status& s);
  /// What annotations say in place of a status.
  void encode_note(const std::map<std::string, std::string>& annotations);

private:
  void encode_new(const core::job_status& s);
  void encode_recovery(const core::recovery_status& r, std::size_t of);

  encoder& e_;
  const setting& s_;
  std::array<const core::job_status*, 64> known_{};
  std::size_t count_ = 0;
  std::size_t notes_ = 0;
};

void encode_due(encoder& e, const std::optional<k8s::time_point>& t);

} // namespace troupe::exploration
