#pragma once

#include <chrono>

namespace troupe::cli {

/// Takes SIGINT and SIGTERM from all threads and hands them to whoever waits;
/// with_hangup: SIGHUP, too, which ends a program otherwise.
/// To be made before any other thread starts.
class signals {
public:
  enum class kind { termination, with_hangup };
  explicit signals(kind which = kind::termination);

  /// Waits for a signal, at most for `limit`. Returns its number, or 0.
  int wait_for_signal(std::chrono::milliseconds limit);
  /// Waits for a signal.
  int wait_for_signal();

private:
  kind which_;
};

} // namespace troupe::cli
