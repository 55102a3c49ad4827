#include "k8s/node/object_watch.hpp"

#include "k8s/calls.hpp"
#include "k8s/node/pod_fields.hpp"
#include "k8s/watch_lines.hpp"

#include <boost/asio/post.hpp>

#include <set>

namespace troupe::k8s::node {

namespace {

constexpr std::chrono::seconds list_limit{30};
constexpr std::chrono::hours watch_limit{24};
constexpr std::chrono::milliseconds pause_length{200};

std::uint64_t version_of(const json& object) {
  return std::strtoull(text_at(object, {"metadata", "resourceVersion"}).c_str(),
                       nullptr, 10);
}

} // namespace

object_watch::object_watch(std::shared_ptr<boost::asio::io_context> io,
                           std::shared_ptr<api> client, resource what,
                           handler seen, handler gone)
    : io_(std::move(io))
    , client_(std::move(client))
    , what_(std::move(what))
    , seen_(std::move(seen))
    , gone_(std::move(gone))
    , pause_(*io_) {
  // nop
}

/// `f(me, x)` on the io_context, unless this turn is over by then.
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
      k8s::list({what_, "", "", ""}, 0, ""), list_limit,
      on_thread([](object_watch& me, const result<std::string>& answer) {
        me.listed(answer);
      }));
}

void object_watch::stop() {
  ++turn_;
  session_.reset();
  pause_.cancel();
}

void object_watch::listed(const result<std::string>& answer) {
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

void object_watch::watch(std::uint64_t version) {
  ++turn_;
  auto take = on_thread(
      [](object_watch& me, const std::string& text) { me.line(text); });
  auto end =
      on_thread([](object_watch& me, const result<nothing>&) { me.again(); });
  watch_sink sink;
  sink.bytes = [lines = std::make_shared<watch_lines>(),
                take](std::string_view chunk) {
    lines->feed(chunk, [&](std::string_view one) { take(std::string{one}); });
  };
  sink.ended = end;
  session_ =
      client_->watch(k8s::watch({what_, "", "", ""}, version, watch_limit),
                     watch_limit, std::move(sink));
}

void object_watch::line(const std::string& text) {
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

void object_watch::saw(json object) {
  auto uid = uid_of(object);
  if (uid.empty())
    return;
  known_[uid] = {{"metadata", object["metadata"]}};
  seen_(object);
}

void object_watch::again() {
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
