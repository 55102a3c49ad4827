#pragma once

#include "k8s/result.hpp"

namespace troupe::actors {

/// Decides whether calls are sent or wait for the API server: from the results
/// of calls and streams, and from what the server probe reports. A value: no
/// actor, no timer, no clock.
///
/// A failed connection makes calls wait until the probe has reported: a read
/// that is to learn what became of a lost call would only be lost as well.
/// Errors in responses may concern one resource only: after some in a row the
/// probe is asked, and calls wait only if it reports that the server is
/// unavailable.
class outage_detector {
public:
  /// What to do next; several of these, in this order, or nothing.
  struct step {
    bool ask_probe = false;     ///< To poll the server until it is ready.
    bool dismiss_probe = false; ///< It need not poll any longer.
    /// Send one call that waits now and then, to try: the server responds, but
    /// is not ready.
    bool begin_trials = false;
    bool outage_is_over = false; ///< The server was unavailable.
    bool send_waiting = false;   ///< Send all calls that wait.
  };

  /// `most_errors`: in responses, in a row, before the probe is asked.
  explicit outage_detector(int most_errors = 3)
      : most_errors_(most_errors) {}

  /// How a call or a stream has ended, or begun; nullptr: well.
  step on_result(const k8s::failure* why);
  /// The probe reports that the server is not ready. `answers`: it responds.
  step on_unavailable(bool answers);
  /// The probe reports that the server is ready; it polls no longer.
  step on_available();

  bool holds_calls() const { return away_ || awaits_probe_; }
  /// The server is unavailable, according to the probe.
  bool is_away() const { return away_; }
  bool sends_trials() const { return trials_; }

private:
  int most_errors_;
  int failures_ = 0;       ///< Of the server, in a row.
  bool suspected_ = false; ///< The probe polls for us.
  bool away_ = false;
  /// A connection has failed, and the probe has not reported since.
  bool awaits_probe_ = false;
  bool trials_ = false;
};

} // namespace troupe::actors
