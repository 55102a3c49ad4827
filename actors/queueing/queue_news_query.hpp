#pragma once

#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/waiting/waiting_reason.hpp"
#include "k8s/objects.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// When to ask what the queues of a job that waits for quota tell, and what
/// they told. It asks only after the job has waited for some time, and at
/// growing intervals. A value: its owner asks the reader of queues.
class queue_news_query {
public:
  struct question {
    std::string queue;
    std::string workload;
  };
  struct step {
    std::optional<question> ask;
    std::optional<k8s::time_point> next_at; ///< When to ask again, if ever.
  };

  /// `jitter` in [0, 1).
  step begin_if_due(const core::job& j, const core::observed_children& seen,
                    const core::cluster_options& cluster, k8s::time_point now,
                    double jitter);

  void on_answer(core::queue_news news, k8s::time_point now);

  const core::queue_news& news() const { return news_; }
  /// It never asked, or has forgotten it.
  bool is_idle() const { return asked_ == 0 && !in_flight_; }

private:
  bool in_flight_ = false;
  int asked_ = 0;
  k8s::time_point last_{};
  k8s::time_point not_before_{};
  core::queue_news news_;
};

} // namespace troupe::actors
