#include "k8s/reflector.hpp"

#include "k8s/watch_lines.hpp"

#include <boost/asio/post.hpp>

#include <set>

namespace troupe::k8s {

namespace {

std::string object_uid(const json& object) {
  return k8s::text_at(object, {"metadata", "uid"});
}

} // namespace

reflector::reflector(std::shared_ptr<boost::asio::io_context> io,
                     std::shared_ptr<api> client, selection what,
                     handler changed, handler deleted,
                     failure_handler list_failed, reflector_options options)
    : io_(std::move(io))
    , client_(std::move(client))
    , what_(std::move(what))
    , changed_(std::move(changed))
    , deleted_(std::move(deleted))
    , list_failed_(std::move(list_failed))
    , options_(options)
    , pause_(*io_) {
  // nop
}

/// `f(me, x)` on the io_context, unless this turn is over by then. Keeps the
/// io_context alive, not the reflector: an api may still answer.
template <class F>
auto reflector::make_handler_unless_restarted(F f) {
  return [io = io_, weak = weak_from_this(), turn = turn_, f](auto x) {
    boost::asio::post(*io, [weak, turn, f, x = std::move(x)] {
      auto me = weak.lock();
      if (me && me->turn_ == turn)
        f(*me, x);
    });
  };
}

void reflector::start() {
  ++turn_;
  client_->send(k8s::list(what_, 0, ""), options_.list_limit,
                make_handler_unless_restarted(
                    [](reflector& me, const result<std::string>& answer) {
                      me.handle_list_answer(answer);
                    }));
}

void reflector::stop() {
  ++turn_;
  session_.reset();
  pause_.cancel();
}

void reflector::handle_list_answer(const result<std::string>& answer) {
  auto root = answer ? parse_json(*answer) : answer.error();
  if (!answer && list_failed_)
    list_failed_(answer.error());
  if (!root || !find_value(*root, {"items"})) {
    restart_after_pause();
    return;
  }
  std::set<std::string> there;
  auto turn = turn_; // A handler may stop us.
  for (auto& item : (*root)["items"]) {
    there.insert(object_uid(item));
    remember_and_report_change(std::move(item));
    if (turn != turn_)
      return;
  }
  for (auto i = known_.begin(); turn == turn_ && i != known_.end();) {
    if (there.count(i->first) > 0) {
      ++i;
      continue;
    }
    auto old = std::move(i->second);
    i = known_.erase(i);
    deleted_(old);
  }
  if (turn == turn_)
    start_watch(parse_resource_version(
        text_at(*root, {"metadata", "resourceVersion"})));
}

void reflector::start_watch(std::uint64_t version) {
  ++turn_;
  auto take =
      make_handler_unless_restarted([](reflector& me, const std::string& line) {
        me.handle_watch_event(line);
      });
  watch_sink sink;
  sink.bytes = [lines = std::make_shared<watch_lines>(),
                take](std::string_view chunk) {
    lines->feed(chunk, [&](std::string_view one) { take(std::string{one}); });
  };
  sink.ended = make_handler_unless_restarted(
      [](reflector& me, const result<nothing>&) { me.restart_after_pause(); });
  session_ = client_->watch(k8s::watch(what_, version, options_.watch_limit),
                            options_.idle_limit, std::move(sink));
}

void reflector::handle_watch_event(const std::string& line) {
  auto event = parse_json(line);
  if (!event || !find_value(*event, {"object"}))
    return;
  const auto& type = text_at(*event, {"type"});
  auto& object = (*event)["object"];
  if (type == "ERROR")
    restart_after_pause();
  else if (type == "ADDED" || type == "MODIFIED")
    remember_and_report_change(std::move(object));
  else if (type == "DELETED" && known_.erase(object_uid(object)) > 0)
    deleted_(object);
}

void reflector::remember_and_report_change(json object) {
  auto uid = object_uid(object);
  if (uid.empty())
    return;
  known_[uid] = {{"metadata", object["metadata"]}};
  changed_(object);
}

void reflector::restart_after_pause() {
  stop();
  pause_.expires_after(options_.pause);
  pause_.async_wait(
      [weak = weak_from_this(), turn = turn_](boost::system::error_code error) {
        auto me = weak.lock();
        if (me && !error && me->turn_ == turn)
          me->start();
      });
}

} // namespace troupe::k8s
