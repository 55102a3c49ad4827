#pragma once

#include <chrono>

namespace troupe::cli {

/// Takes SIGINT and SIGTERM from all threads and gives them to the thread that
/// waits. `with_hangup` takes SIGHUP, too, which otherwise ends the program.
/// Ignores SIGPIPE, so that a write into a closed pipe fails instead of ending
/// the program. Must be made before any other thread starts.
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
