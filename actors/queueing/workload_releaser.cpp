#include "actors/queueing/workload_releaser.hpp"

#include "actors/metrics/metrics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::size_t most_calls = 8;
/// Between two looks at the pods of one job; pods need a while to end.
constexpr std::chrono::milliseconds first_pause{300};
constexpr std::chrono::milliseconds longest_pause{5'000};
constexpr std::chrono::seconds until_search_again{30};

std::chrono::milliseconds pause_after(int looks, double jitter) {
  auto pause = first_pause * (1 << std::min(looks, 4));
  return std::min(pause, longest_pause)
         + std::chrono::milliseconds{static_cast<int>(jitter * 100)};
}

} // namespace

void workload_releaser_state::on_release(const release_workload& r) {
  auto key = r.uid.empty() ? r.ns + "/" + r.name : r.uid;
  if (!all_.emplace(key, entry{workload_release{r}, context_->clock()}).second)
    return;
  update_metrics();
  waiting_.push_back(std::move(key));
  begin_next();
}

void workload_releaser_state::on_start() {
  if (search_)
    return; // Another directory has told it.
  search_.emplace(context_->options->namespaces, context_->options->cluster);
  execute_search(search_->next());
}

void workload_releaser_state::execute_search(
    const leaving_workloads_search::step& next) {
  for (const auto& one : search_->take_found())
    on_release(one);
  search_number_ = ++last_number_;
  if (const auto* call = std::get_if<k8s::request>(&next))
    send_call(search_number_, *call, "", "");
  else if (std::holds_alternative<leaving_workloads_search::look_again>(next))
    self_->delayed_send(self_, until_search_again, timer_fired{search_number_});
}

void workload_releaser_state::send_call(std::uint64_t tag, k8s::request call,
                                        const std::string& about,
                                        const std::string& ns) {
  self_->send(context_->gateway_for(about),
              api_call{tag,
                       std::move(call),
                       about,
                       call_priority::normal,
                       caf::actor_cast<api_caller_actor>(self_),
                       0,
                       {},
                       ns});
}

void workload_releaser_state::update_metrics() const {
  std::optional<k8s::time_point> oldest;
  for (const auto& [uid, one] : all_)
    oldest = std::min(oldest.value_or(one.since), one.since);
  context_->counters->set_releases_of_gone_jobs(all_.size(), oldest);
}

void workload_releaser_state::begin_next() {
  while (!waiting_.empty() && calls_.size() < most_calls) {
    auto uid = std::move(waiting_.front());
    waiting_.pop_front();
    if (auto i = all_.find(uid); i != all_.end())
      execute(uid, i->second.course.begin());
  }
}

void workload_releaser_state::execute(const std::string& uid,
                                      workload_release::step next) {
  auto i = all_.find(uid);
  if (auto* call = std::get_if<k8s::request>(&next)) {
    auto tag = ++last_number_;
    calls_.emplace(tag, uid);
    send_call(tag, std::move(*call), uid, i->second.course.of().ns);
  } else if (std::holds_alternative<workload_release::done>(next)) {
    all_.erase(i);
    update_metrics();
  } else {
    auto timer = ++last_number_;
    timers_.emplace(timer, uid);
    self_->delayed_send(self_,
                        pause_after(i->second.looks++, context_->jitter()),
                        timer_fired{timer});
  }
}

void workload_releaser_state::on_api_response(const api_response& a) {
  if (a.tag == search_number_) {
    if (*a.outcome || a.outcome->error().code != k8s::ec::cancelled)
      execute_search(search_->on_answer(*a.outcome));
    return;
  }
  auto call = calls_.find(a.tag);
  if (call == calls_.end())
    return;
  auto uid = std::move(call->second);
  calls_.erase(call);
  if (!*a.outcome && a.outcome->error().code == k8s::ec::cancelled)
    return; // The operator is stopping.
  if (auto i = all_.find(uid); i != all_.end())
    execute(uid, i->second.course.on_answer(*a.outcome, context_->clock()));
  begin_next();
}

void workload_releaser_state::on_timer(const timer_fired& fired) {
  if (fired.timer == search_number_)
    return execute_search(search_->next());
  auto timer = timers_.find(fired.timer);
  if (timer == timers_.end())
    return;
  waiting_.push_back(std::move(timer->second));
  timers_.erase(timer);
  begin_next();
}

report_ptr workload_releaser_state::report() const {
  auto rows = nlohmann::json::array();
  for (const auto& [uid, one] : all_)
    rows.push_back(
        {{"workload", one.course.of().ns + "/" + one.course.of().name},
         {"looks", one.looks}});
  auto out = own_report(*self_, {{"awaitingRelease", std::move(rows)}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

workload_releaser_actor::behavior_type workload_releaser(
    self_pointer<workload_releaser_actor, workload_releaser_state> self,
    context_ptr context) {
  self->state.init(std::move(context));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](atom::start) { self->state.on_start(); },
      [self](const release_workload& r) { self->state.on_release(r); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
