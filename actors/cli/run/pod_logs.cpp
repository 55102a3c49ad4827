#include "actors/cli/run/pod_logs.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <tuple>

namespace troupe::cli {

namespace {

/// A program may say nothing for as long as it likes.
constexpr std::chrono::hours log_idle_limit{24};
/// Bytes of one log that wait for the thread which shows them.
constexpr std::size_t most_waiting = 16u << 20;

} // namespace

pod_logs::pod_logs(std::shared_ptr<boost::asio::io_context> io,
                   std::shared_ptr<k8s::api> client, std::string ns, sink line,
                   bool timestamps)
    : io_(std::move(io))
    , client_(std::move(client))
    , ns_(std::move(ns))
    , line_(std::move(line))
    , timestamps_(timestamps) {
  // nop
}

pod_logs::~pod_logs() {
  streams_.clear();
}

void pod_logs::follow_container_logs(const replica_view& pod) {
  if (pod.log_of.empty() || streams_.count(pod.log_of) != 0)
    return;
  auto log = pod.log_of;
  auto& s = streams_[log];
  s.whose = pod;
  s.lines = log_lines{timestamps_};
  k8s::request r;
  r.method = k8s::verb::watch;
  r.path = "/api/v1/namespaces/" + ns_ + "/pods/" + pod.pod
           + "/log?follow=true&container=" + pod.container
           + (timestamps_ ? "&timestamps=true" : "");
  r.resource = "pods/log";
  k8s::watch_sink to;
  to.bytes = [this, log, waiting = s.waiting](std::string_view bytes) {
    post_or_drop_bytes(log, *waiting, bytes);
  };
  to.ended = [this, log, waiting = s.waiting](k8s::result<k8s::nothing>) {
    boost::asio::post(*io_, [this, log, lost = waiting->dropped_lines] {
      drop_unfinished_line_and_deliver_notice(log, lost);
      on_log_stream_ended(log);
    });
  };
  s.session = client_->watch(std::move(r), log_idle_limit, std::move(to));
}

/// Where what is dropped ends: with a line, or where a line overwrites itself;
/// npos if it goes on.
std::size_t pod_logs::end_of_dropped_bytes(const backlog& waiting,
                                           std::string_view bytes) const {
  if (waiting.bytes > most_waiting)
    return bytes.npos;
  // A line that has begun meanwhile needs its time.
  bool may_be_inside = !timestamps_ || waiting.dropped_lines == 0;
  auto end = bytes.find_first_of(may_be_inside ? "\r\n" : "\n");
  return end == bytes.npos || bytes[end] == '\r' ? end : end + 1;
}

/// What comes too fast is dropped up to the end of a line.
void pod_logs::post_or_drop_bytes(const std::string& log, backlog& waiting,
                                  std::string_view bytes) {
  if (waiting.bytes > most_waiting)
    waiting.is_dropping = true;
  if (waiting.is_dropping) {
    auto end = end_of_dropped_bytes(waiting, bytes);
    auto dropped = bytes.substr(0, end);
    waiting.dropped_lines += static_cast<std::size_t>(
        std::count(dropped.begin(), dropped.end(), '\n'));
    if (end == bytes.npos)
      return;
    waiting.is_dropping = false;
    bytes.remove_prefix(end);
    boost::asio::post(
        *io_, [this, log, lost = std::exchange(waiting.dropped_lines, 0)] {
          drop_unfinished_line_and_deliver_notice(log, lost);
        });
  }
  waiting.bytes += bytes.size();
  boost::asio::post(*io_, [this, log, text = std::string{bytes}] {
    deliver_complete_lines(log, text);
    streams_.at(log).waiting->bytes -= text.size();
  });
}

log_lines::handler pod_logs::make_line_handler(const stream& s) const {
  return [&](std::string_view one) { line_(s.whose, std::string{one}); };
}

void pod_logs::deliver_complete_lines(const std::string& log,
                                      const std::string& bytes) {
  auto& s = streams_.at(log);
  s.lines.feed(bytes, make_line_handler(s));
  if (s.lines.pending() > 0)
    unfinished_.insert(log);
  else
    unfinished_.erase(log);
}

void pod_logs::drop_unfinished_line_and_deliver_notice(const std::string& log,
                                                       std::size_t lines) {
  if (lines == 0)
    return;
  auto& s = streams_.at(log);
  s.lines.drop_line(); // Its end was dropped.
  unfinished_.erase(log);
  line_(s.whose, "... " + std::to_string(lines)
                     + " lines came too fast and are not shown");
}

void pod_logs::on_log_stream_ended(const std::string& log) {
  auto& s = streams_.at(log);
  // The last line may lack its end.
  if (s.lines.pending() > 0)
    s.lines.end_line(make_line_handler(s));
  unfinished_.erase(log);
  s.session.reset();
}

std::vector<unfinished_log_line> pod_logs::unfinished_lines() const {
  std::vector<unfinished_log_line> all;
  for (const auto& log : unfinished_) {
    const auto& s = streams_.at(log);
    all.push_back(
        {s.whose, s.lines.unfinished_line(), s.lines.is_overwritten()});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.whose.type, a.whose.index, a.whose.log_of)
           < std::tie(b.whose.type, b.whose.index, b.whose.log_of);
  });
  return all;
}

std::set<std::string> pod_logs::pods_with_open_logs() const {
  std::set<std::string> pods;
  for (const auto& [log, s] : streams_)
    if (s.session)
      pods.insert(s.whose.uid);
  return pods;
}

} // namespace troupe::cli
