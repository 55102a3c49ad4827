#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

#include <caf/all.hpp>

#include <string>

// Messages about what queues of Kueue's tell.

namespace troupe::actors {

/// What the queues of a job tell, and the place of its Workload there.
struct queue_news_read {
  core::queue_news news;
};

/// Receives what is read of a queue.
using queue_news_listener_actor = caf::typed_actor<
    // The answer to its question.
    caf::reacts_to<queue_news_read>>;

/// What do the queues of this Workload tell?
struct ask_for_queue_news {
  queue_news_listener_actor listener;
  std::string ns;
  std::string queue; ///< The LocalQueue's name.
  std::string workload;
};

} // namespace troupe::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::queue_news_read)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::ask_for_queue_news)
