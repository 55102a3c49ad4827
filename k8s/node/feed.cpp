#include "k8s/node/feed.hpp"

#include "k8s/calls.hpp"
#include "k8s/node/pod_fields.hpp"
#include "k8s/watch_lines.hpp"

#include <boost/asio/post.hpp>

#include <set>

namespace troupe::k8s::node {

namespace {

constexpr std::chrono::seconds feed_limit{30};
constexpr std::chrono::hours watch_limit{24};
constexpr std::chrono::milliseconds pause_length{200};

std::uint64_t version_of(const json& object) {
  return std::strtoull(text_at(object, {"metadata", "resourceVersion"}).c_str(),
                       nullptr, 10);
}

} // namespace

feed::feed(std::shared_ptr<boost::asio::io_context> io,
           std::shared_ptr<api> door, resource what, handler seen, handler gone)
    : io_(std::move(io))
    , door_(std::move(door))
    , what_(std::move(what))
    , seen_(std::move(seen))
    , gone_(std::move(gone))
    , pause_(*io_) {
  // nop
}

/// `f(me, x)` on the io_context, unless this turn is over by then.
template <class F>
auto feed::on_thread(F f) {
  return [io = io_, weak = weak_from_this(), turn = turn_, f](auto x) {
    boost::asio::post(*io, [weak, turn, f, x = std::move(x)] {
      auto me = weak.lock();
      if (me && me->turn_ == turn)
        f(*me, x);
    });
  };
}

void feed::start() {
  ++turn_;
  door_->send(k8s::list({what_, "", "", ""}, 0, ""), feed_limit,
              on_thread([](feed& me, const result<std::string>& answer) {
                me.listed(answer);
              }));
}

void feed::stop() {
  ++turn_;
  session_.reset();
  pause_.cancel();
}

void feed::listed(const result<std::string>& answer) {
  auto root = answer ? parse_json(*answer) : answer.error();
  if (!root || !look(*root, {"items"})) {
    again();
    return;
  }
  std::set<std::string> there;
  auto turn = turn_;
  for (auto& item : (*root)["items"]) {
    there.insert(uid_of(item));
    saw(std::move(item));
  }
  for (auto i = known_.begin(); i != known_.end();) {
    if (there.count(i->first) > 0) {
      ++i;
      continue;
    }
    auto old = std::move(i->second);
    i = known_.erase(i);
    gone_(old);
  }
  if (turn == turn_)
    watch(version_of(*root));
}

void feed::watch(std::uint64_t version) {
  ++turn_;
  auto take =
      on_thread([](feed& me, const std::string& text) { me.line(text); });
  auto end = on_thread([](feed& me, const result<nothing>&) { me.again(); });
  watch_sink sink;
  sink.bytes = [lines = std::make_shared<watch_lines>(),
                take](std::string_view chunk) {
    lines->feed(chunk, [&](std::string_view one) { take(std::string{one}); });
  };
  sink.ended = end;
  session_ = door_->watch(k8s::watch({what_, "", "", ""}, version, watch_limit),
                          watch_limit, std::move(sink));
}

void feed::line(const std::string& text) {
  auto event = parse_json(text);
  if (!event || !look(*event, {"object"}))
    return;
  const auto& type = text_at(*event, {"type"});
  auto& object = (*event)["object"];
  if (type == "ERROR") {
    again();
  } else if (type == "DELETED") {
    known_.erase(uid_of(object));
    gone_(object);
  } else if (type == "ADDED" || type == "MODIFIED") {
    saw(std::move(object));
  }
}

void feed::saw(json object) {
  auto uid = uid_of(object);
  if (uid.empty())
    return;
  known_[uid] = {{"metadata", object["metadata"]}};
  seen_(object);
}

void feed::again() {
  ++turn_;
  session_.reset();
  pause_.expires_after(pause_length);
  pause_.async_wait(
      [weak = weak_from_this(), turn = turn_](boost::system::error_code error) {
        auto me = weak.lock();
        if (me && !error && me->turn_ == turn)
          me->start();
      });
}

} // namespace troupe::k8s::node
