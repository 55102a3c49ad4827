#pragma once

#include "actors/api/watcher.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

namespace troupe::fixtures {

inline actors::watch_target target_pods() {
  return {nullptr, core::child_kind::pod, "ns"};
}
inline actors::watch_target target_roles() {
  return {nullptr, core::child_kind::role, ""};
}
inline actors::watch_target target_tf_jobs() {
  return {frameworks::find("TFJob"), core::child_kind::pod, ""};
}

using event_kind = k8s::watch_event::kind;

/// A session that notes its end.
struct noted_session : k8s::watch_session {
  explicit noted_session(int& open)
      : open_{open} {
    ++open_;
  }
  ~noted_session() override { --open_; }
  int& open_;
};

/// A watcher; what it tells the directory is noted.
struct watcher_fixture : single_actor_fixture {
  explicit watcher_fixture(const actors::watch_target& about = target_pods()) {
    auto directory = spawn([this]() -> caf::behavior {
      return {
          [this](const actors::job_seen& f) {
            note("job", f.item, f.list_number);
          },
          [this](const actors::job_deleted& f) { note("job gone", f.item); },
          [this](const actors::child_seen& f) {
            note("seen", f.item, f.list_number);
          },
          [this](const actors::child_deleted& f) { note("gone", f.item); },
          [this](const actors::list_complete& f) {
            facts.push_back("complete " + std::to_string(f.version)
                            + list_of(f.list_number));
          },
      };
    });
    auto listener = spawn([this]() -> caf::behavior {
      return {[this](const actors::watcher_synced&) { ++synced; },
              [this](const actors::server_went_back&) { ++went_back; }};
    });
    const auto& resource = about.job_kind ? about.job_kind->names.type
                                          : core::resource_of(about.children);
    subject = spawn(actors::watcher, context,
                    actors::watcher_config{7, about, resource, "app"},
                    actors::directory_shards{
                        {caf::actor_cast<actors::directory_actor>(directory)}},
                    caf::actor_cast<actors::sync_listener_actor>(listener));
    send(subject, actors::atom::start::value);
  }

  void note(const std::string& what, const k8s::object_ptr& item,
            std::uint64_t list_number = 0) {
    facts.push_back(what + " " + item->meta.name
                    + (list_number > 0 ? list_of(list_number) : ""));
  }

  /// " in list 1": list numbers as they come, since they count all watchers'.
  std::string list_of(std::uint64_t number) {
    lists.insert(number);
    return " in list "
           + std::to_string(std::distance(lists.begin(), lists.find(number))
                            + 1);
  }

  std::string resource() { return streams.back().request.resource; }

  /// Answers the list; the watch is opened and accepted.
  void list(int version) {
    answer("list", list_text(version));
    open();
  }

  void open() {
    auto id = streams.back().stream;
    send(subject,
         actors::stream_opened{id,
                               std::make_shared<noted_session>(open_sessions)},
         actors::stream_accepted{id});
  }

  void deliver(k8s::watch_event event) {
    send(subject, actors::events_arrived{
                      streams.back().stream,
                      std::make_shared<const std::vector<k8s::watch_event>>(
                          1, std::move(event))});
  }

  void deliver(k8s::watch_event::kind type, const char* name, int version) {
    auto item = std::make_shared<k8s::object>();
    item->meta.name = item->meta.uid = name;
    item->meta.resource_version = static_cast<std::uint64_t>(version);
    k8s::watch_event event;
    event.type = type;
    event.item = item;
    deliver(event);
  }

  void deliver_unreadable(const char* uid, int version, bool for_good,
                          event_kind type = event_kind::modified) {
    auto item = std::make_shared<k8s::object>();
    item->meta.name = item->meta.uid = uid;
    item->meta.resource_version = static_cast<std::uint64_t>(version);
    item->state = k8s::unreadable_state{"why", for_good};
    k8s::watch_event event;
    event.type = type;
    event.item = item;
    deliver(event);
  }

  void deliver_error(int code) {
    k8s::watch_event event;
    event.code = code;
    deliver(event);
  }

  void end_stream(std::uint64_t stream, k8s::result<k8s::nothing> why) {
    send(subject,
         actors::stream_ended{
             stream, std::make_shared<const k8s::result<k8s::nothing>>(why)});
  }

  void end_stream(k8s::result<k8s::nothing> why) {
    end_stream(streams.back().stream, why);
  }

  std::string resumed_from() {
    return parse_request_path(streams.back().request.path)
        .query["resourceVersion"];
  }

  /// Of the list that is asked for: at most so many objects.
  std::string limit_of_list() {
    auto query = parse_request_path(find_call("list pods").request->path).query;
    BOOST_TEST(query.count("resourceVersion") == 0u); // Not of a cache.
    return query["limit"];
  }

  /// How long until it lists or watches again, in ms.
  int delay() {
    auto begun = now();
    auto before = streams.size();
    advance(0s);
    for (int i = 0; i < 120'000; ++i) {
      if (!calls.empty() || streams.size() > before)
        break;
      advance(1ms);
    }
    return static_cast<int>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now() - begun)
            .count());
  }

  actors::watcher_actor subject;
  strings facts;
  std::set<std::uint64_t> lists;
  int synced = 0;
  int went_back = 0;
  int open_sessions = 0;
};

} // namespace troupe::fixtures
