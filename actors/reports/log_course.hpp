#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <optional>
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

  /// A stream that was open for so long is read, whether or not it says
  /// anything.
  static constexpr std::chrono::seconds steady_time{10};

  /// The pod has ended: what is on the server now is all.
  void note_pod_ended() { pod_ended_ = true; }

  bool is_due(time_point now) const;
  void on_requested();
  /// The server has accepted the request, and it is the log of the pod. It may
  /// still break at once, as it did before.
  void on_opened(time_point now) { opened_ = now; }
  /// It has said something that was not read before.
  void on_news();
  void on_time(time_point now);
  void on_ended(const k8s::result<k8s::nothing>& result, time_point now);

  /// Whether everything was read, or never will be.
  bool is_done() const { return done_; }
  /// Why the log cannot be read; "": it can, or it is not known yet.
  const std::string& problem() const { return problem_; }
  bool is_forbidden() const { return forbidden_; }

private:
  void note_read();

  bool open_ = false;
  bool pod_ended_ = false;
  bool last_request_ = false; ///< The pod had ended before it was sent.
  bool done_ = false;
  bool forbidden_ = false;
  int failures_ = 0;                 ///< Since the log was read last.
  std::optional<time_point> opened_; ///< The present stream.
  time_point due_{};
  std::chrono::seconds wait_ = first_wait;
  std::string problem_;
};

/// A log is requested by the pod's name. `pod` is the answer to a read of the
/// pod of that name, asked for after the request was accepted. A failure: the
/// lines do not count, because that is another pod, or nobody knows.
k8s::result<k8s::nothing> check_pod_of_log(const k8s::result<std::string>& pod,
                                           const std::string& expected_uid);

} // namespace troupe::actors
