#include "actors/cli/object_watch.hpp"

#include "actors/cli/json_text.hpp"
#include "k8s/watch_lines.hpp"

#include <boost/asio/post.hpp>

#include <cstdlib>
#include <set>

namespace troupe::cli {

using nlohmann::json;

namespace {

constexpr std::chrono::seconds call_limit{30};
constexpr std::chrono::seconds watch_limit{300};
/// More than the time between two bookmarks.
constexpr std::chrono::seconds watch_idle_limit{150};
constexpr std::chrono::milliseconds pause_length{500};

std::string uid_of(const json& object) {
  return text_at(object, "/metadata/uid");
}

} // namespace

object_watch::object_watch(std::shared_ptr<boost::asio::io_context> io,
                           std::shared_ptr<k8s::api> client,
                           k8s::selection what, handler seen, handler gone,
                           complaint trouble)
    : io_(std::move(io))
    , client_(std::move(client))
    , what_(std::move(what))
    , seen_(std::move(seen))
    , gone_(std::move(gone))
    , trouble_(std::move(trouble))
    , pause_(*io_) {
  // nop
}

/// `f(me, x)` on the io_context, unless this turn is over by then. Keeps the
/// io_context alive, not the feed: an api may answer after all.
template <class F>
auto object_watch::on_thread(F f) {
  return [io = io_, weak = weak_from_this(), turn = turn_, f](auto x) {
    boost::asio::post(*io, [weak, turn, f, x = std::move(x)] {
      auto me = weak.lock();
      if (me && me->turn_ == turn)
        f(*me, x);
    });
  };
}

void object_watch::start() {
  ++turn_;
  client_->send(
      k8s::list(what_, 0, ""), call_limit,
      on_thread([](object_watch& me, const k8s::result<std::string>& answer) {
        me.listed(answer);
      }));
}

void object_watch::stop() {
  ++turn_;
  session_.reset();
  pause_.cancel();
}

void object_watch::listed(const k8s::result<std::string>& answer) {
  if (!answer) {
    trouble_(answer.error());
    again();
    return;
  }
  auto root = json::parse(*answer, nullptr, false);
  std::set<std::string> there;
  for (const auto& item : array_at(root, "/items")) {
    there.insert(uid_of(item));
    saw(item);
  }
  std::map<std::string, json> lost;
  for (auto i = known_.begin(); i != known_.end();)
    if (there.count(i->first) != 0)
      ++i;
    else
      lost.insert(known_.extract(i++));
  for (const auto& [uid, object] : lost)
    gone_(object);
  watch(text_at(root, "/metadata/resourceVersion"));
}

void object_watch::watch(const std::string& version) {
  ++turn_;
  auto lines = std::make_shared<k8s::watch_lines>();
  auto take = on_thread(
      [](object_watch& me, const std::string& text) { me.line(text); });
  auto end = on_thread(
      [](object_watch& me, const k8s::result<k8s::nothing>&) { me.again(); });
  k8s::watch_sink sink;
  sink.bytes = [lines, take](std::string_view chunk) {
    lines->feed(chunk, [&](std::string_view one) { take(std::string{one}); });
  };
  sink.ended = end;
  session_ = client_->watch(
      k8s::watch(what_, std::strtoull(version.c_str(), nullptr, 10),
                 watch_limit),
      watch_idle_limit, std::move(sink));
}

void object_watch::line(const std::string& text) {
  auto event = json::parse(text, nullptr, false);
  auto type = text_at(event, "/type");
  if (type == "ERROR")
    again();
  else if (type == "ADDED" || type == "MODIFIED")
    saw(event["object"]);
  else if (type == "DELETED" && known_.erase(uid_of(event["object"])) != 0)
    gone_(event["object"]);
}

void object_watch::saw(const json& object) {
  known_[uid_of(object)] = {
      {"metadata", object.value("metadata", json::object())}};
  seen_(object);
}

void object_watch::again() {
  stop();
  pause_.expires_after(pause_length);
  pause_.async_wait(
      [weak = weak_from_this(), turn = turn_](boost::system::error_code error) {
        auto me = weak.lock();
        if (!error && me && me->turn_ == turn)
          me->start();
      });
}

} // namespace troupe::cli
