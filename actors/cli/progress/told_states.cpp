#include "actors/cli/progress/told_states.hpp"

namespace troupe::cli {

namespace {

constexpr std::chrono::seconds told_distance{1};

} // namespace

bool told_states::record_state_and_check_due(const std::string& line,
                                             const std::string& state,
                                             time_point now) {
  auto [known, is_new] = lines_.try_emplace(line, told{"", now});
  auto& last = known->second;
  if (is_new || now - last.at < told_distance || state == last.state)
    return false;
  last = {state, now};
  return true;
}

bool told_states::forget_line_and_check_unwritten(const std::string& line,
                                                  const std::string& state) {
  auto known = lines_.find(line);
  if (known == lines_.end())
    return true;
  bool is_new = known->second.state != state;
  lines_.erase(known);
  return is_new;
}

} // namespace troupe::cli
