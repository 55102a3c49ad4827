#include "frameworks/core/progress/progress_policy.hpp"

namespace troupe::core {

const char* to_string(stall_action a) {
  switch (a) {
  case stall_action::report:
    return "Report";
  case stall_action::restart_job:
    return "RestartJob";
  case stall_action::fail_job:
    return "FailJob";
  }
  return "";
}

} // namespace troupe::core
