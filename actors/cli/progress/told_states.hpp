#pragma once

#include <chrono>
#include <map>
#include <string>

namespace troupe::cli {

/// Which states of lines that overwrite themselves are told where they cannot
/// be overwritten: new ones, of each line one a second at most, and the last. A
/// value; lines are told apart by a key.
class told_states {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The line looks like this now, and may go on. Whether to tell it: not in
  /// its first second.
  bool should_tell(const std::string& line, const std::string& state,
                   time_point now);
  /// The line has ended so; it is forgotten. Whether that is still to be told.
  bool should_tell_end(const std::string& line, const std::string& state);

private:
  struct told {
    std::string state;
    time_point at;
  };
  std::map<std::string, told> lines_;
};

} // namespace troupe::cli
