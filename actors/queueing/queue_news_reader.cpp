#include "actors/queueing/queue_news_reader.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe::actors {

void queue_news_reader_state::on_question(const ask_for_queue_news& q) {
  const auto now = context_->clock();
  queue of{q.ns, q.queue};
  auto i = all_.find(of);
  if (i == all_.end()) {
    forget_queues_if_too_many();
    i = all_.emplace(of, entry{queue_reading{q.ns, q.queue}, {}}).first;
  }
  auto& [reading, open] = i->second;
  if (reading.is_fresh(now)) {
    self_->send(q.listener, queue_news_read{reading.news_of(q.workload)});
    return;
  }
  open.push_back({q.listener, q.workload});
  if (!reading.is_under_way())
    send_or_answer(of, reading.begin(now));
}

void queue_news_reader_state::forget_queues_if_too_many() {
  if (all_.size() < most_queues)
    return;
  const auto now = context_->clock();
  for (auto i = all_.begin(); i != all_.end();) {
    const auto& reading = i->second.reading;
    bool is_in_use = reading.is_under_way() || reading.is_fresh(now);
    i = is_in_use ? std::next(i) : all_.erase(i);
  }
}

void queue_news_reader_state::send_or_answer(const queue& of,
                                             std::optional<k8s::request> call) {
  if (call) {
    auto tag = ++last_number_;
    calls_.emplace(tag, of);
    auto key = of.first + "/" + of.second;
    self_->send(context_->gateway_for(key),
                api_call{tag,
                         std::move(*call),
                         key,
                         call_priority::low,
                         caf::actor_cast<api_caller_actor>(self_),
                         0,
                         {},
                         of.first});
    return;
  }
  auto& known = all_.at(of);
  for (const auto& q : std::exchange(known.open, {}))
    self_->send(q.listener, queue_news_read{known.reading.news_of(q.workload)});
  timers_.emplace(++last_number_, of);
  self_->delayed_send(self_, queue_reading::fresh_for,
                      timer_fired{last_number_});
}

void queue_news_reader_state::on_api_response(const api_response& a) {
  auto call = calls_.find(a.tag);
  if (call == calls_.end())
    return;
  auto of = std::move(call->second);
  calls_.erase(call);
  if (!*a.outcome && a.outcome->error().code == k8s::ec::cancelled)
    return; // The operator is stopping.
  auto next = all_.at(of).reading.on_answer(*a.outcome, context_->clock());
  send_or_answer(of, std::move(next));
}

void queue_news_reader_state::on_timer(const timer_fired& fired) {
  auto timer = timers_.find(fired.timer);
  if (timer == timers_.end())
    return;
  auto i = all_.find(timer->second);
  timers_.erase(timer);
  if (i != all_.end() && !i->second.reading.is_under_way())
    i->second.reading.forget_what_was_read();
}

report_ptr queue_news_reader_state::report() const {
  auto rows = nlohmann::json::array();
  for (const auto& [of, one] : all_)
    rows.push_back({{"queue", of.first + "/" + of.second},
                    {"openQuestions", one.open.size()}});
  auto out = own_report(*self_, {{"queues", std::move(rows)}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

queue_news_reader_actor::behavior_type queue_news_reader(
    self_pointer<queue_news_reader_actor, queue_news_reader_state> self,
    context_ptr context) {
  self->state.init(std::move(context));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](const ask_for_queue_news& q) { self->state.on_question(q); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
