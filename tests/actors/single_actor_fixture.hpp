#pragma once

#include "actors/admin/job_list.hpp"
#include "actors/base/other_operator.hpp"
#include "actors/base/protocols.hpp"
#include "actors/jobs/job_timers.hpp"
#include "actors/metrics/metrics.hpp"
#include "tests/fixtures/builders.hpp"
#include "tests/fixtures/default_options.hpp"
#include "tests/fixtures/fake_api_requests.hpp"

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <algorithm>
#include <deque>

namespace troupe::fixtures {

/// "create pods job-worker-0", "list pods", "get tfjobs job".
inline std::string describe(const k8s::request& r) {
  auto name = parse_request_path(r.path).name;
  if (r.method == k8s::verb::create)
    name = json::parse(r.body).value(json::json_pointer{"/metadata/name"}, "");
  return std::string{k8s::to_string(r.method)} + " " + r.resource
         + (name.empty() ? "" : " " + name);
}

/// An object of a job's, as JSON text that the codec reads.
inline std::string object_text(const std::string& name, const std::string& uid,
                               int version, json meta = json::object()) {
  meta.update({{"name", name},
               {"namespace", "ns"},
               {"uid", uid},
               {"resourceVersion", std::to_string(version)}});
  return json{{"metadata", meta}}.dump();
}

inline std::string list_text(int version,
                             const std::vector<std::string>& items = {},
                             const std::string& continue_token = "") {
  json list{{"metadata",
             {{"resourceVersion", std::to_string(version)},
              {"continue", continue_token}}},
            {"items", json::array()}};
  for (const auto& item : items)
    list["items"].push_back(json::parse(item));
  return list.dump();
}

/// Labels and owner of the pod of a worker of the TFJob `job`.
inline json worker_meta(int index, const char* owner_uid = "job-uid") {
  return {{"ownerReferences",
           {{{"apiVersion", "kubeflow.org/v1"},
             {"kind", "TFJob"},
             {"name", "job"},
             {"uid", owner_uid},
             {"controller", true}}}},
          {"labels",
           {{"training.kubeflow.org/operator-name", "tfjob-controller"},
            {"training.kubeflow.org/job-name", "job"},
            {"training.kubeflow.org/replica-type", "worker"},
            {"training.kubeflow.org/replica-index", std::to_string(index)}}}};
}

/// One actor, with those that it starts, on virtual time. The gateway and the
/// event recorder only keep what they receive; the test answers.
class single_actor_fixture {
public:
  /// Starts an actor that ends with the fixture.
  template <class... Arguments>
  auto spawn(Arguments&&... arguments) {
    auto result = system_.spawn(std::forward<Arguments>(arguments)...);
    actors_.push_back(result.address());
    return result;
  }

  single_actor_fixture() {
    auto gateway = spawn([this]() -> caf::behavior {
      return {
          [this](const actors::api_call& c) { on_call(c); },
          [this](const actors::open_stream& s) { streams.push_back(s); },
      };
    });
    auto recorder = spawn([this]() -> caf::behavior {
      return {[this](const actors::record_event& e) {
        events.push_back(e.event.reason);
      }};
    });
    auto links = std::make_shared<actors::actor_context>();
    links->gateways = {caf::actor_cast<actors::gateway_actor>(gateway)};
    links->recorder = caf::actor_cast<actors::event_recorder_actor>(recorder);
    links->timers = spawn(actors::job_timers);
    links->clock = [this] { return now(); };
    links->jitter = [this] { return jitter; };
    links->jobs = spawn(actors::job_list);
    links->counters = std::make_shared<actors::metrics>();
    links->options = options;
    links->other = other;
    context = links;
  }

  ~single_actor_fixture() {
    for (const auto& a : actors_)
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
    run();
    clock().cancel_all();
    run();
  }

  single_actor_fixture(const single_actor_fixture&) = delete;
  single_actor_fixture& operator=(const single_actor_fixture&) = delete;

  /// Handles messages until there are none; no time passes.
  void run() {
    while (scheduler().try_run_once())
      ;
  }

  template <class Actor, class... Messages>
  void send(const Actor& to, Messages&&... messages) {
    (caf::anon_send(to, std::forward<Messages>(messages)), ...);
    run();
  }

  /// Ends the actor with an error.
  template <class Actor>
  void fail(const Actor& who) {
    caf::anon_send_exit(who, caf::exit_reason::unknown);
    run();
  }

  /// Moves time to each timer due in between; handles all messages after each.
  void advance(std::chrono::nanoseconds by) {
    auto end = clock().now() + by;
    run();
    for (;;) {
      const auto& timers = clock().schedule();
      if (timers.empty() || timers.begin()->first > end)
        break;
      auto due = timers.begin()->first - clock().now();
      clock().advance_time(std::max(due, caf::actor_clock::duration_type{0}));
      run();
    }
    clock().advance_time(end - clock().now());
    run();
  }

  k8s::time_point now() {
    return base_time - set_back
           + std::chrono::duration_cast<k8s::time_point::duration>(
               clock().now().time_since_epoch());
  }

  /// The calls that have no answer yet, described.
  strings waiting() const {
    strings result;
    for (const auto& c : calls)
      result.push_back(describe(*c.request));
    return result;
  }

  bool waits(const std::string& what) const {
    auto all = waiting();
    return std::find(all.begin(), all.end(), what) != all.end();
  }

  /// The first call that waits and begins so.
  const actors::api_call& find_call(const std::string& what) const {
    for (const auto& c : calls)
      if (describe(*c.request).rfind(what, 0) == 0)
        return c;
    throw std::runtime_error("no such call: " + what);
  }

  void answer(const std::string& what, k8s::result<std::string> result) {
    auto tag = find_call(what).tag;
    auto who = find_call(what).caller;
    calls.erase(std::find_if(calls.begin(), calls.end(), [&](const auto& c) {
      return c.tag == tag && c.caller == who;
    }));
    send(who, response(tag, std::move(result)));
  }

  void fail_call(const std::string& what, k8s::ec code) {
    answer(what, k8s::failure{code, "failed"});
  }

  /// Answers with the body of the call, as the server stored it.
  void accept(const std::string& what) {
    auto stored = json::parse(find_call(what).request->body);
    if (stored.is_array()) // A JSON patch: what it sets.
      for (const auto& set : std::exchange(stored, json::object()))
        stored[json::json_pointer(set["path"].get<std::string>())] =
            set["value"];
    stored["metadata"]["uid"] = describe(*find_call(what).request);
    stored["metadata"]["resourceVersion"] = std::to_string(++last_version_);
    answer(what, stored.dump());
  }

  template <class Actor>
  bool is_alive(const Actor& who) {
    caf::scoped_actor self{system_};
    bool alive = false;
    auto reply = self->request(who, caf::infinite, actors::get_report{});
    run();
    reply.receive([&](const actors::report_ptr&) { alive = true; },
                  [](caf::error&) {});
    return alive;
  }

  template <class Actor, class Question>
  json ask(const Actor& who, Question question) {
    caf::scoped_actor self{system_};
    self->send(who, std::move(question));
    run();
    json result;
    self->receive([&](const actors::report_ptr& r) {
      if (r)
        result = *r;
    });
    return result;
  }

  std::deque<actors::api_call> calls; ///< Without an answer yet.
  std::deque<actors::open_stream> streams;
  strings events; ///< Reasons.
  std::shared_ptr<actors::actor_options> options =
      std::make_shared<actors::actor_options>(default_options());
  /// Nobody, unless a test says so.
  std::shared_ptr<actors::other_operator> other =
      std::make_shared<actors::other_operator>("");
  actors::context_ptr context;
  double jitter = 0;
  std::chrono::hours set_back{0}; ///< The wall clock: by so much.

private:
  struct test_config : caf::actor_system_config {
    test_config() { set("scheduler.policy", caf::atom("testing")); }
  };

  static actors::api_response response(std::uint64_t tag,
                                       k8s::result<std::string> result) {
    return {tag, std::make_shared<const k8s::result<std::string>>(
                     std::move(result))};
  }

  void on_call(actors::api_call c) {
    if (c.make_request) {
      auto made = c.make_request();
      if (!made) {
        caf::anon_send(c.caller, response(c.tag, made.error()));
        return;
      }
      c.request = *made;
    }
    calls.push_back(std::move(c));
  }

  caf::scheduler::test_coordinator& scheduler() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }
  caf::detail::test_actor_clock& clock() { return scheduler().clock(); }

  test_config config_;
  caf::actor_system system_{config_};
  std::vector<caf::actor_addr> actors_;
  int last_version_ = 1000; ///< Of what was accepted.
};

} // namespace troupe::fixtures
