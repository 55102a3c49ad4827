#include "actors/reports/log_reader.hpp"

#include "config/logging.hpp"
#include "k8s/calls.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace troupe::actors {

namespace {

/// A program may say nothing for as long as it likes; but a connection that is
/// dead says nothing, either.
constexpr std::chrono::minutes idle_limit{10};

/// For the read of the pod.
constexpr std::chrono::seconds pod_patience{10};

} // namespace

void log_reader_state::init(log_reader_config config) {
  client_ = std::move(config.client);
  places_ = log_places{config.most_streams};
}

void log_reader_state::on_follow(const follow_log& what) {
  auto owner = what.owner.id();
  auto found = readings_.find(owner);
  if (found == readings_.end())
    found = readings_.emplace(owner, reading{what, now()}).first;
  else
    replace_log(found->second, what);
  auto& r = found->second;
  if (what.log.pod_ended)
    r.course.note_pod_ended();
  begin_or_wait(owner, r);
  schedule_tick();
}

void log_reader_state::replace_log(reading& r, const follow_log& what) {
  const auto& known = r.what.log;
  bool is_same = known.pod_uid == what.log.pod_uid
                 && known.container == what.log.container;
  if (!is_same) {
    close_stream(r);
    r = reading{what, now()};
    return;
  }
  if (what.rules != r.what.rules)
    r.progress = core::log_progress{what.rules};
  r.ends_at.reset();
  r.what = what;
}

void log_reader_state::begin_or_wait(caf::actor_id owner, reading& r) {
  if (!places_.enter(owner))
    tell(r, places_.most() == 0
                ? "the operator reads no logs (log-streams is 0)"
                : "as many logs are read as log-streams allows ("
                      + std::to_string(places_.most())
                      + "); it is read when another job has ended");
  else if (r.course.is_due(now()))
    request(owner, r);
}

void log_reader_state::request(caf::actor_id owner, reading& r) {
  k8s::log_selection which;
  which.pod = {k8s::resources::pods, r.what.ns, r.what.log.pod};
  which.container = r.what.log.container;
  which.follow = true;
  which.timestamps = true;
  which.since = r.lines.since();
  if (which.since)
    which.last_lines.reset();
  else
    which.last_lines = std::exchange(r.from_end, false) ? 0 : first_lines;
  r.course.on_requested();
  r.stream = next_stream_++;
  r.pipe = std::make_shared<log_pipe>();
  k8s::watch_sink to;
  to.bytes = [me = log_reader_actor{self_}, owner, stream = r.stream,
              pipe = r.pipe](std::string_view bytes) {
    if (pipe->put(bytes))
      caf::anon_send(me, log_bytes_arrived{owner, stream});
  };
  to.opened = [me = log_reader_actor{self_}, owner, stream = r.stream] {
    caf::anon_send(me, log_stream_opened{owner, stream});
  };
  to.pause = [pipe = r.pipe] { return pipe->wanted_pause(); };
  to.ended = [me = log_reader_actor{self_}, owner,
              stream = r.stream](k8s::result<k8s::nothing> how) {
    caf::anon_send(me, log_stream_ended{owner, stream, std::move(how)});
  };
  r.session = client_->watch(k8s::read_log(which), idle_limit, std::move(to));
}

void log_reader_state::close_stream(reading& r) {
  r.session.reset();
  r.pipe.reset();
  r.is_opened = r.is_checked = false;
  r.ended.reset();
  r.stream = 0;
  r.lags = false;
  r.lagging_ticks = 0;
}

void log_reader_state::on_end(const end_log& which) {
  auto found = readings_.find(which.owner);
  if (found == readings_.end())
    return;
  if (which.soon && places_.has_place(which.owner))
    found->second.ends_at = now() + time_to_end;
  else
    forget(which.owner);
}

void log_reader_state::forget(caf::actor_id owner) {
  readings_.erase(owner);
  auto next = places_.leave(owner);
  if (!next)
    return;
  begin_or_wait(*next, readings_.at(*next));
}

log_reader_state::reading*
log_reader_state::find_with_stream(caf::actor_id owner, std::uint64_t stream) {
  auto found = readings_.find(owner);
  return found != readings_.end() && found->second.stream == stream
             ? &found->second
             : nullptr;
}

void log_reader_state::on_opened(const log_stream_opened& m) {
  auto* r = find_with_stream(m.owner, m.stream);
  if (!r)
    return;
  r->is_opened = true;
  client_->send(
      k8s::get({k8s::resources::pods, r->what.ns, r->what.log.pod}),
      pod_patience,
      [me = log_reader_actor{self_}, owner = m.owner,
       stream = m.stream](k8s::result<std::string> pod) {
        caf::anon_send(me, log_pod_read{owner, stream, std::move(pod)});
      });
}

// Between what the supervisor has seen and the request, another pod may have
// taken the name.
void log_reader_state::on_pod_read(const log_pod_read& m) {
  auto* r = find_with_stream(m.owner, m.stream);
  if (!r)
    return;
  auto mine = check_pod_of_log(m.pod, r->what.log.pod_uid);
  if (!mine) {
    r->session.reset(); // After this it says nothing more.
    r->pipe->take_all();
    return finish_stream(m.owner, *r, mine);
  }
  r->is_checked = true;
  r->course.on_opened(now());
  tell(*r, r->course.problem());
  read(*r);
  if (r->ended)
    finish_stream(m.owner, *r, k8s::result<k8s::nothing>{*r->ended});
}

void log_reader_state::on_bytes_arrived(const log_bytes_arrived& m) {
  if (auto* r = find_with_stream(m.owner, m.stream))
    read(*r);
}

/// What it does not take stays in the pipe until the next tick.
void log_reader_state::read(reading& r) {
  if (!r.pipe || !r.is_checked)
    return;
  r.lags |=
      r.pace.delay_before_next_read(now()) > std::chrono::milliseconds::zero();
  if (r.lags)
    return;
  auto bytes = r.pipe->take_all();
  if (!bytes.empty())
    read_bytes(r, bytes);
}

void log_reader_state::read_bytes(reading& r, const std::string& bytes) {
  auto share = std::max<std::size_t>(1, places_.taken() / full_shares);
  r.pace.count(bytes.size() * r.progress.cost_of_byte() * share, now());
  bool has_news = false;
  r.lines.feed(bytes, [&](std::string_view line) {
    has_news = true;
    r.progress.read_line(line);
  });
  if (has_news)
    r.course.on_news();
  tell(r, r.course.problem());
  report_if_due(r);
}

void log_reader_state::on_stream_ended(const log_stream_ended& m) {
  auto* r = find_with_stream(m.owner, m.stream);
  if (!r)
    return;
  // Whoever was accepted waits until it is known whose log it is.
  if (r->is_opened && !r->is_checked)
    r->ended = m.how;
  else
    finish_stream(m.owner, *r, m.how);
}

void log_reader_state::finish_stream(caf::actor_id owner, reading& r,
                                     const k8s::result<k8s::nothing>& how) {
  if (auto bytes = r.pipe->take_all(); !bytes.empty())
    read_bytes(r, bytes);
  if (how)
    r.lines.finish([&r](std::string_view line) { r.progress.read_line(line); });
  close_stream(r);
  r.lines.begin_again();
  r.course.on_ended(how, now());
  report_if_due(r, true); // The pod may have ended.
  if (r.course.is_forbidden() && !std::exchange(was_forbidden_, true))
    log::warn("logs of pods may not be read, so log rules have no effect",
              {{"why", how.error().message}});
  if (how || !r.course.problem().empty())
    tell(r, r.course.problem());
  if (r.course.is_done())
    forget(owner);
}

void log_reader_state::on_tick() {
  ticks_ = false;
  std::vector<caf::actor_id> over;
  for (auto& [owner, r] : readings_) {
    if (r.ends_at && *r.ends_at <= now()) {
      over.push_back(owner);
      continue;
    }
    r.lagging_ticks = std::exchange(r.lags, false) ? r.lagging_ticks + 1 : 0;
    read(r);
    if (r.is_checked && !r.course.problem().empty()) {
      r.course.on_time(now());
      tell(r, r.course.problem());
    }
    skip_to_end_if_lagging(owner, r);
    report_if_due(r);
    if (places_.has_place(owner) && r.course.is_due(now()))
      request(owner, r);
  }
  for (auto owner : over) {
    report_if_due(readings_.at(owner), true);
    forget(owner);
  }
  schedule_tick();
}

/// What is told of it would be older and older.
void log_reader_state::skip_to_end_if_lagging(caf::actor_id owner, reading& r) {
  if (r.lagging_ticks < most_lagging_ticks)
    return;
  ++skipped_;
  close_stream(r);
  r.lines.skip_ahead();
  r.from_end = true;
  r.course.on_ended(k8s::nothing{}, now());
  request(owner, r); // At once: what comes in between is not read.
}

void log_reader_state::report_if_due(reading& r, bool at_once) {
  if (!r.progress.has_news() || (!at_once && now() - r.reported < tick))
    return;
  r.reported = now();
  self_->send(r.what.owner, log_report{r.what.log.pod_uid, *r.progress.take()});
}

void log_reader_state::tell(reading& r, const std::string& problem) {
  if (std::exchange(r.told, problem) != problem)
    self_->send(r.what.owner, log_reading{r.what.log.pod_uid, problem});
}

void log_reader_state::schedule_tick() {
  if (!readings_.empty() && !std::exchange(ticks_, true))
    self_->delayed_send(self_, tick, timer_fired{});
}

report_ptr log_reader_state::report() const {
  std::size_t open = 0;
  for (const auto& [owner, r] : readings_)
    open += r.session ? 1 : 0;
  return std::make_shared<const nlohmann::json>(
      own_report(*self_, {{"most", places_.most()},
                          {"open", open},
                          {"waiting", places_.waiting()},
                          {"skippedToEnd", skipped_}}));
}

log_reader_actor::behavior_type
log_reader(self_pointer<log_reader_actor, log_reader_state> self,
           log_reader_config config) {
  self->state.init(std::move(config));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](const follow_log& f) { self->state.on_follow(f); },
      [self](const end_log& e) { self->state.on_end(e); },
      [self](const log_stream_opened& m) { self->state.on_opened(m); },
      [self](const log_bytes_arrived& m) { self->state.on_bytes_arrived(m); },
      [self](const log_pod_read& m) { self->state.on_pod_read(m); },
      [self](const log_stream_ended& m) { self->state.on_stream_ended(m); },
      [self](const timer_fired&) { self->state.on_tick(); },
  };
}

} // namespace troupe::actors
