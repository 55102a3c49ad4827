#include "actors/base/other_operator.hpp"

#include "frameworks/core/model/names.hpp"

namespace troupe::actors {

std::string unknown_operator_reason(const std::string& lease) {
  return "whether " + lease + " runs is not known yet";
}

std::optional<core::job_event> left_to_other_event(const core::framework& kind,
                                                   const std::string& before,
                                                   const std::string& now) {
  auto unknown = unknown_operator_reason(kind.names.other_operator_lease);
  bool told = !before.empty() && before != unknown;
  if (told || now.empty() || now == unknown)
    return std::nullopt;
  return core::job_event{
      true, core::kind_prefixed_reason(kind, "LeftToOther"),
      "The job is left alone, as " + now
          + ". To have this operator run it, scale the Deployment of that one "
            "to 0"};
}

} // namespace troupe::actors
