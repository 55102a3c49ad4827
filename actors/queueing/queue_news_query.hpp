#pragma once

#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/waiting/waiting_reason.hpp"
#include "k8s/api.hpp"

#include <array>
#include <optional>
#include <string>

namespace troupe::actors {

/// Finds out whether the queues of a job that waits for quota are stopped, and
/// which place it has. It asks only after the job has waited for some time, and
/// at growing intervals; what may not be read, or is not served, is asked for
/// seldom. A value: its owner sends the calls.
class queue_news_query {
public:
  struct step {
    std::optional<k8s::request> call;
    std::optional<k8s::time_point> next_at; ///< When to ask again, if ever.
  };

  /// `jitter` in [0, 1).
  step begin_if_due(const core::job& j, const core::observed_children& seen,
                    const core::cluster_options& cluster, k8s::time_point now,
                    double jitter);

  /// The next call; nullopt: that was all.
  std::optional<k8s::request> on_answer(const k8s::result<std::string>& answer,
                                        k8s::time_point now);

  const core::queue_news& news() const { return news_; }
  /// It never asked, or has forgotten it.
  bool is_idle() const { return asked_ == 0 && !in_flight_; }

private:
  enum class part : std::uint8_t { local_queue, cluster_queue, place, end };

  std::optional<k8s::request> next_call(k8s::time_point now);
  void read_queue(const std::string& text, const char* kind,
                  const std::string& name);
  void read_place(const std::string& text);

  std::string ns_;
  std::string workload_;
  std::string queue_;
  std::string cluster_queue_; ///< Of the LocalQueue; "": not known.
  part at_ = part::end;
  bool in_flight_ = false;
  int asked_ = 0;
  k8s::time_point last_{};
  k8s::time_point not_before_{};
  /// Until when each part is not asked for.
  std::array<k8s::time_point, 3> held_until_{};
  core::queue_news found_; ///< So far.
  core::queue_news news_;
};

} // namespace troupe::actors
