#include "k8s/watch/reflector.hpp"

#include "k8s/json_parts.hpp"
#include "k8s/watch/watch_lines.hpp"

#include <boost/asio/post.hpp>

namespace troupe::k8s {

namespace {

constexpr int page_size = 200; ///< Objects in each page of a list.

std::string object_uid(const json& object) {
  return k8s::text_at(object, {"metadata", "uid"});
}

/// Of an object or a list.
std::uint64_t resource_version_of(const json& object) {
  return parse_resource_version_or_zero(
      k8s::text_at(object, {"metadata", "resourceVersion"}));
}

watch_course::time_point now() {
  return std::chrono::steady_clock::now();
}

/// A page with the items that can be read: one that is nested too deeply for us
/// does not hide the others.
result<json> parse_readable_items_of_page(std::string_view text) {
  json page{{"items", json::array()}};
  bool has_items = false;
  std::optional<failure> broken;
  bool whole = for_each_json_member(
      text, [&](std::string_view key, std::string_view value) {
        if (key == "metadata") {
          auto meta = parse_json(value);
          if (meta)
            page["metadata"] = std::move(*meta);
          else
            broken = meta.error();
        } else if (key == "items") {
          auto read = [&](std::string_view item) {
            if (auto object = parse_json(item))
              page["items"].push_back(std::move(*object));
          };
          has_items = value == "null" || for_each_json_element(value, read);
        }
      });
  if (broken)
    return *broken;
  if (!whole || !has_items)
    return failure{ec::garbage, "an answer to a list has no items"};
  return page;
}

/// An event whose object is null if it cannot be read; null if the line is no
/// event.
json parse_event_or_null(std::string_view line) {
  auto event = json::object();
  bool whole = for_each_json_member(
      line, [&](std::string_view key, std::string_view value) {
        event[std::string{key}] = parse_json_or_null(value);
      });
  return whole ? event : json{};
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

/// What reads a text by `parse` and calls `handle(me, value)` on the
/// io_context. What becomes smaller by it is read at once, all else there.
template <class Parse, class F>
auto reflector::make_parsing_handler(Parse parse, F handle) {
  auto reads_at_once = options_.reduce != nullptr;
  auto take_value = make_handler_unless_restarted(handle);
  auto take_text = make_handler_unless_restarted(
      [parse, handle](reflector& me, const auto& text) {
        handle(me, parse(text));
      });
  return [=](auto text) {
    if (reads_at_once)
      take_value(parse(text));
    else
      take_text(std::move(text));
  };
}

void reflector::start() {
  watch_course::limits limits;
  limits.page_objects = page_size;
  course_ = watch_course{limits};
  execute_step_in_new_turn(course_.begin());
}

/// Answers to what was asked for before are ignored from here on.
void reflector::execute_step_in_new_turn(const watch_course::step& next) {
  using action = watch_course::action;
  ++turn_;
  session_.reset();
  switch (next.what) {
  case action::list:
    listed_.clear();
    request_page();
    break;
  case action::next_page:
  case action::ask_version:
    request_page();
    break;
  case action::watch:
    listed_.clear();
    start_watch();
    break;
  case action::wait:
    wait_to_retry();
    break;
  case action::begin_anew:
    start(); // What the new list lacks was deleted.
    break;
  }
}

void reflector::request_page() {
  auto parse = [reduce = options_.reduce](const result<std::string>& answer) {
    auto page = answer ? parse_readable_items_of_page(*answer) : answer.error();
    if (page && reduce)
      for (auto& item : (*page)["items"])
        reduce(item);
    return page;
  };
  client_->send(
      k8s::list(what_, course_.page().objects, course_.page().token),
      options_.list_limit,
      make_parsing_handler(parse, [](reflector& me, const result<json>& page) {
        me.take_page_and_follow(page);
      }));
}

void reflector::stop() {
  ++turn_;
  session_.reset();
  pause_.cancel();
}

void reflector::take_page_and_follow(const result<json>& page) {
  if (!page) {
    auto next = course_.on_page_failed(page.error(), now());
    auto turn = turn_; // A handler may stop us.
    if (list_failed_ && next.what == watch_course::action::wait)
      list_failed_(page.error());
    if (turn == turn_)
      execute_step_in_new_turn(
          next); // Whatever it means, what is known is kept.
    return;
  }
  auto turn = turn_;
  const auto& items = array_at(*page, {"items"});
  if (course_.current_phase() == watch_course::phase::listing)
    for (const auto& item : items) {
      listed_.insert(object_uid(item));
      remember_and_report_change(item);
      if (turn != turn_)
        return;
    }
  watch_course::page_summary summary;
  summary.objects = items.size();
  summary.next_token = text_at(*page, {"metadata", "continue"});
  summary.list_version = resource_version_of(*page);
  auto next = course_.on_page(summary, now());
  if (next.complete)
    report_lacking_as_deleted();
  if (turn == turn_)
    execute_step_in_new_turn(next);
}

/// Those that were known and are not in the whole list.
void reflector::report_lacking_as_deleted() {
  auto turn = turn_;
  for (auto i = known_.begin(); turn == turn_ && i != known_.end();) {
    if (listed_.count(i->first) > 0) {
      ++i;
      continue;
    }
    auto old = std::move(i->second);
    i = known_.erase(i);
    deleted_(old);
  }
}

void reflector::start_watch() {
  auto parse = [reduce = options_.reduce](const std::string& line) {
    auto event = parse_event_or_null(line);
    if (reduce && value_at(event, {"object"}).is_object())
      reduce(event["object"]);
    return event;
  };
  auto take = make_parsing_handler(parse, [](reflector& me, const json& event) {
    me.take_event_and_follow(event);
  });
  auto accepted = make_handler_unless_restarted(
      [](reflector& me, nothing) { me.course_.on_watch_accepted(now()); });
  auto ended = make_handler_unless_restarted(
      [](reflector& me, const result<nothing>& how) {
        me.execute_step_in_new_turn(me.course_.on_watch_ended(how, now()));
      });
  watch_sink sink;
  sink.opened = [accepted] { accepted(nothing{}); };
  sink.bytes = [lines = std::make_shared<watch_lines>(), take,
                ended](std::string_view chunk) {
    bool whole = lines->feed(chunk, [&](std::string_view one) {
      if (!one.empty())
        take(std::string{one});
    });
    if (!whole)
      ended(result<nothing>{
          failure{ec::garbage, "an event of the watch is too long"}});
  };
  sink.ended = ended;
  session_ =
      client_->watch(k8s::watch(what_, course_.version(), options_.watch_limit),
                     options_.idle_limit, std::move(sink));
}

void reflector::take_event_and_follow(const json& event) {
  course_.on_events(now());
  const auto& type = text_at(event, {"type"});
  const auto& object = value_at(event, {"object"});
  if (type == "ERROR") {
    execute_step_in_new_turn(
        course_.on_error_event(int32_at(object, {"code"}).value_or(0),
                               text_at(object, {"message"}), now()));
  } else if (!event.is_object()) {
    execute_step_in_new_turn(
        course_.on_damaged_event("a line of the watch is no event", now()));
  } else if (type == "BOOKMARK") {
    if (auto next = course_.on_bookmark(resource_version_of(object), now()))
      execute_step_in_new_turn(*next);
  } else {
    course_.on_object(resource_version_of(object));
    if (type == "ADDED" || type == "MODIFIED")
      remember_and_report_change(object);
    else if (type == "DELETED" && known_.erase(object_uid(object)) > 0)
      deleted_(object);
  }
}

void reflector::remember_and_report_change(const json& object) {
  auto uid = object_uid(object);
  if (uid.empty())
    return;
  known_[uid] = {{"metadata", object["metadata"]}};
  changed_(object);
}

void reflector::wait_to_retry() {
  pause_.expires_after(options_.pause);
  pause_.async_wait(
      [weak = weak_from_this(), turn = turn_](boost::system::error_code error) {
        auto me = weak.lock();
        if (me && !error && me->turn_ == turn)
          me->execute_step_in_new_turn(me->course_.on_wait_over(now()));
      });
}

} // namespace troupe::k8s
