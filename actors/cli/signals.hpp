#pragma once

#include <chrono>

namespace troupe::cli {

/// Takes SIGINT and SIGTERM from all threads and hands them to whoever waits.
/// To be made before any other thread starts.
class signals {
public:
  signals();

  /// Waits for a signal, at most for `limit`. Returns its number, or 0.
  int wait(std::chrono::milliseconds limit);
  /// Waits for a signal.
  int wait();
};

} // namespace troupe::cli
