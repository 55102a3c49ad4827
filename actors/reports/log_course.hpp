#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <string>

namespace troupe::actors {

/// When the log of a pod is requested: at once, again when the stream has
/// ended, and a last time when the pod has. A value; time is an argument.
class log_course {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds first_wait{1};
  static constexpr std::chrono::seconds longest_wait{30};
  /// Somebody may grant the right.
  static constexpr std::chrono::seconds wait_without_right{60};
  /// So many failures in a row are a problem; and of a pod that has ended, they
  /// are the end.
  static constexpr int most_failures = 4;

  /// The pod has ended: what is on the server now is all.
  void note_pod_ended() { pod_ended_ = true; }

  bool is_due(time_point now) const;
  void on_requested();
  /// The server has accepted the request.
  void on_opened() { problem_.clear(); }
  void on_bytes();
  /// Of these bytes, some were not read before.
  void on_news() { wait_ = first_wait; }
  void on_ended(const k8s::result<k8s::nothing>& result, time_point now);

  /// Whether everything was read, or never will be.
  bool is_done() const { return done_; }
  /// Why the log cannot be read; "": it can, or it is not known yet.
  const std::string& problem() const { return problem_; }
  bool is_forbidden() const { return forbidden_; }

private:
  bool open_ = false;
  bool pod_ended_ = false;
  bool last_request_ = false; ///< The pod had ended before it was sent.
  bool done_ = false;
  bool forbidden_ = false;
  int failures_ = 0; ///< Since the log was read last.
  time_point due_{};
  std::chrono::seconds wait_ = first_wait;
  std::string problem_;
};

} // namespace troupe::actors
