#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/queueing/queue_reading.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Reads what queues of Kueue's tell, each once for all jobs that ask at about
/// the same time: a thousand jobs may wait in one.
class queue_news_reader_state {
public:
  static inline const char* name = "queue-news-reader";
  /// What is known of more queues is forgotten first.
  static constexpr std::size_t most_queues = 1000;

  explicit queue_news_reader_state(queue_news_reader_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context) { context_ = std::move(context); }
  void on_question(const ask_for_queue_news& q);
  void on_api_response(const api_response& a);
  void on_timer(const timer_fired& fired);
  report_ptr report() const;

private:
  using queue = std::pair<std::string, std::string>; ///< Namespace, name.

  struct question {
    queue_news_listener_actor listener;
    std::string workload;
  };
  struct entry {
    queue_reading reading;
    std::vector<question> open;
  };

  void send_or_answer(const queue& of, std::optional<k8s::request> call);
  void forget_queues_if_too_many();

  queue_news_reader_actor::pointer self_;
  context_ptr context_;
  std::map<queue, entry> all_;
  std::map<std::uint64_t, queue> calls_;  ///< Under way, by tag.
  std::map<std::uint64_t, queue> timers_; ///< Of what is fresh until then.
  std::uint64_t last_number_ = 0;
};

queue_news_reader_actor::behavior_type queue_news_reader(
    self_pointer<queue_news_reader_actor, queue_news_reader_state> self,
    context_ptr context);

} // namespace troupe::actors
