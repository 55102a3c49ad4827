#include "actors/admin/log_streams.hpp"

#include "actors/admin/admin_responses.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// A program may say nothing for as long as it likes.
constexpr std::chrono::hours log_idle_limit{24};

} // namespace

// -- one log ------------------------------------------------------------------

void log_relay::on_bytes(std::string_view bytes,
                         byte_pace::clock::time_point now) {
  pace_.count(bytes.size(), now);
  send_text(text_.feed(bytes));
}

std::chrono::milliseconds
log_relay::wanted_pause(byte_pace::clock::time_point now) {
  auto wait = pace_.delay_before_next_read(now);
  return back_->backlog() > most_backlog ? std::max(wait, slow_client_pause)
                                         : wait;
}

void log_relay::on_end(const k8s::result<k8s::nothing>& how) {
  send_text(text_.finish());
  back_->write(
      how ? format_stream_event("end", nullptr)
          : format_stream_event("problem", pod_log_problem_json(how.error())));
  back_->finish();
}

void log_relay::send_text(const std::string& text) {
  if (!text.empty())
    back_->write(format_stream_event("text", text));
}

// -- all of them --------------------------------------------------------------

k8s::result<std::uint64_t> log_streams::open_stream(log_stream s) {
  auto of_client =
      std::count_if(streams_.begin(), streams_.end(), [&](const auto& entry) {
        return entry.second.client == s.client;
      });
  if (streams_.size() >= most_streams
      || static_cast<std::size_t>(of_client) >= most_streams_of_client)
    return k8s::failure{k8s::ec::overloaded,
                        "too many logs are being shown; close one, or try "
                        "again later"};
  streams_.emplace(next_stream_, std::move(s));
  return next_stream_++;
}

log_streams::log_stream* log_streams::find(std::uint64_t stream) {
  auto i = streams_.find(stream);
  return i == streams_.end() ? nullptr : &i->second;
}

void log_streams::refuse_and_close(std::uint64_t stream,
                                   k8s::http::response why) {
  if (auto* s = find(stream))
    s->back->reply(std::move(why));
  close_stream(stream);
}

void log_streams::start_log(std::uint64_t stream, const nlohmann::json& choice,
                            k8s::api& client, std::function<void()> ended) {
  auto* s = find(stream);
  if (!s)
    return;
  s->started = true;
  s->back->start(make_stream_head());
  s->back->write(format_stream_event("pod", choice));
  k8s::log_selection which;
  which.pod = {k8s::resources::pods, s->ns, s->pod};
  which.container = k8s::text_at(choice, {"container"});
  which.last_lines = s->query.lines;
  which.follow = !s->query.previous;
  which.previous = s->query.previous;
  auto relay = std::make_shared<log_relay>(s->back);
  k8s::watch_sink to;
  to.bytes = [relay](std::string_view bytes) {
    relay->on_bytes(bytes, byte_pace::clock::now());
  };
  to.pause = [relay] { return relay->wanted_pause(byte_pace::clock::now()); };
  to.ended = [relay, ended = std::move(ended)](k8s::result<k8s::nothing> how) {
    relay->on_end(how);
    ended();
  };
  s->session =
      client.watch(k8s::read_log(which), log_idle_limit, std::move(to));
}

void log_streams::send_heartbeats() {
  for (auto& [number, s] : streams_)
    if (s.started)
      s.back->write(stream_heartbeat);
}

} // namespace troupe::actors
