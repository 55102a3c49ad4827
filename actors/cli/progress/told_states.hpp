#pragma once

#include <chrono>
#include <map>
#include <string>

namespace troupe::cli {

/// Decides which states of a line that overwrites itself are written to an
/// output where nothing can be overwritten: at most one new state per second,
/// and the last state. A value; a key identifies a line.
class told_states {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The line looks like this now, and may go on. Returns whether to write it:
  /// never in its first second.
  bool record_state_and_check_due(const std::string& line,
                                  const std::string& state, time_point now);
  /// The line has ended like this, and is forgotten. Returns whether this state
  /// must still be written.
  bool forget_line_and_check_unwritten(const std::string& line,
                                       const std::string& state);

private:
  struct told {
    std::string state;
    time_point at;
  };
  std::map<std::string, told> lines_;
};

} // namespace troupe::cli
