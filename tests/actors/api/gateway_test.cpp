#include "actors/api/gateway.hpp"
#include "actors/api/server_probe.hpp"
#include "k8s/calls.hpp"
#include "tests/actors/metric_value.hpp"
#include "tests/fixtures/operator_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(gateway_test)

namespace {

/// A gateway with one caller, which remembers its answers.
struct gateway_fixture {
  std::shared_ptr<fake_api> api = std::make_shared<fake_api>();
  operator_fixture op{std::make_shared<fake_api>()};
  std::map<std::uint64_t, std::string> answers; ///< By tag or stream.
  bool is_drained = false;
  std::shared_ptr<metrics> counters = std::make_shared<metrics>();
  caf::actor caller;
  gateway_actor gateway;

  explicit gateway_fixture(int window = 1) {
    op.start(); // Its actor system is used.
    auto& system = op.system();
    caller = system.spawn([this]() -> caf::behavior {
      return {
          [this](const api_response& a) { note(a.tag, *a.outcome); },
          [this](const stream_ended& e) { note(e.stream, *e.outcome); },
          [](const stream_opened&) {},
          [](const stream_accepted&) {},
          [this](drained) { is_drained = true; },
      };
    });
    gateway_config config;
    config.client = api;
    auto options = std::make_shared<actor_options>(fixtures::default_options());
    options->window_first = options->window_most = window;
    config.options = options;
    config.counters = counters;
    config.jitter = [] { return 0.0; };
    config.probe =
        system.spawn(server_probe, config.client, std::function{config.jitter});
    gateway = system.spawn(actors::gateway, std::move(config));
  }

  ~gateway_fixture() {
    caf::anon_send_exit(gateway, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(caller, caf::exit_reason::user_shutdown);
    op.run_messages();
  }

  template <class Result>
  void note(std::uint64_t id, const Result& result) {
    auto [i, is_new] = answers.emplace(
        id, result ? "ok" : k8s::to_string(result.error().code));
    BOOST_TEST(is_new, "a second answer to " << id);
  }

  void call(std::uint64_t tag, call_priority when) {
    caf::anon_send(
        gateway, api_call{tag, k8s::get({k8s::resources::pods, "ns", "p"}), "",
                          when, caf::actor_cast<api_caller_actor>(caller)});
    op.run_messages();
  }

  void open(std::uint64_t stream) {
    k8s::selection all{k8s::resources::pods, "", "", ""};
    caf::anon_send(gateway,
                   open_stream{stream, k8s::watch(all, 0, 60s),
                               k8s::object_detail::metadata,
                               caf::actor_cast<stream_reader_actor>(caller)});
    op.run_messages();
  }

  void start_drain() {
    caf::send_as(caller, gateway, drain{});
    op.run_messages();
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(bodies_in_flight_are_limited_in_bytes) {
  gateway_fixture f{64};
  int made = 0;
  constexpr std::size_t size = most_bytes_under_way / 4 + 1;
  for (std::uint64_t tag = 1; tag <= 10; ++tag) {
    auto make = [&made]() -> k8s::result<k8s::request> {
      ++made;
      return k8s::create(k8s::resources::pods, "ns", std::string(size, 'x'));
    };
    caf::anon_send(f.gateway,
                   api_call{tag,
                            {},
                            "",
                            call_priority::normal,
                            caf::actor_cast<api_caller_actor>(f.caller),
                            0,
                            make,
                            "ns"});
  }
  f.op.run_messages();
  BOOST_TEST(made == 4);
  BOOST_TEST(f.api->pending().size() == 4u);
  for (int ended = 1; ended <= 10; ++ended) {
    f.api->fail_call(0, {k8s::ec::invalid, ""});
    f.op.run_messages();
    BOOST_TEST(made == std::min(4 + ended, 10));
  }
  BOOST_TEST(f.answers.size() == 10u);
}

BOOST_AUTO_TEST_CASE(the_time_that_a_call_waits_is_observed) {
  gateway_fixture f;
  f.call(1, call_priority::normal);
  f.call(2, call_priority::low);
  f.op.advance_clock(3s);
  f.api->fail_call(0, {k8s::ec::not_found, ""});
  f.op.run_messages();
  auto wait = [&](const char* part, const char* priority) {
    return metric_value(*f.counters,
                        std::string{"troupe_api_call_wait_seconds_"} + part
                            + "{priority=\"" + priority + "\"}");
  };
  BOOST_TEST(wait("count", "normal") == 1);
  BOOST_TEST(wait("sum", "normal") == 0);
  BOOST_TEST(wait("count", "low") == 1);
  BOOST_TEST(wait("sum", "low") == 3);
}

BOOST_AUTO_TEST_CASE(calls_that_wait_at_a_drain_are_cancelled) {
  for (auto when : {call_priority::always, call_priority::normal,
                    call_priority::low, call_priority::event})
    for (auto code : {k8s::ec::not_found, k8s::ec::overloaded}) {
      gateway_fixture f;
      f.call(1, call_priority::normal);
      f.call(2, when);
      f.call(3, when);
      BOOST_TEST(f.answers.empty());
      f.start_drain();
      f.call(4, when);
      std::map<std::uint64_t, std::string> expected{
          {2, "cancelled"}, {3, "cancelled"}, {4, "cancelled"}};
      BOOST_TEST((f.answers == expected));
      BOOST_TEST(!f.is_drained); // The first one is under way.
      f.api->fail_call(0, {code, ""});
      f.op.run_messages();
      expected[1] = k8s::to_string(code);
      BOOST_TEST((f.answers == expected));
      BOOST_TEST(f.is_drained);
      BOOST_TEST(f.api->pending().empty());
    }
}

BOOST_AUTO_TEST_CASE(streams_that_wait_at_a_drain_are_cancelled) {
  for (bool away : {false, true}) {
    gateway_fixture f;
    if (away) {
      f.call(1, call_priority::normal);
      f.api->fail_call(0, {k8s::ec::unreachable, ""});
      f.op.run_messages();
      BOOST_REQUIRE(f.api->pending().size() == 1u); // The probe asks.
      f.api->fail_call(0, {k8s::ec::unreachable, ""});
      f.op.run_messages();
    }
    f.answers.clear();
    f.open(2);
    BOOST_TEST(f.api->streams() == (away ? 0u : 1u));
    BOOST_TEST(f.answers.empty());
    f.start_drain();
    f.open(3);
    std::map<std::uint64_t, std::string> expected{{3, "cancelled"}};
    if (away)
      expected[2] = "cancelled";
    BOOST_TEST((f.answers == expected));
    BOOST_TEST(f.is_drained);
    BOOST_TEST(f.api->streams() == (away ? 0u : 1u));
  }
}

BOOST_AUTO_TEST_CASE(after_a_failed_connection_calls_wait_for_the_probe) {
  for (bool answers : {true, false}) {
    gateway_fixture f;
    f.call(1, call_priority::normal);
    f.api->fail_call(0, {k8s::ec::unreachable, ""});
    f.op.run_messages();
    f.call(2, call_priority::normal);
    f.open(3);
    BOOST_REQUIRE(f.api->pending().size() == 1u);
    BOOST_TEST(f.api->pending()[0].request.resource == "readyz");
    BOOST_TEST(f.api->streams() == 0u);
    if (answers)
      f.api->answer(0);
    else
      f.api->fail_call(0, {k8s::ec::unreachable, ""});
    f.op.run_messages();
    BOOST_TEST(f.api->pending().size() == (answers ? 1u : 0u));
    BOOST_TEST(f.api->streams() == (answers ? 1u : 0u));
    f.op.advance_clock(1s); // The probe asks again.
    f.op.run_messages();
    BOOST_REQUIRE(f.api->pending().size() == 1u);
    BOOST_TEST(f.api->pending()[0].request.resource
               == (answers ? "pods" : "readyz"));
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_succeeds_ends_the_wait_for_the_probe) {
  gateway_fixture f{2};
  f.call(1, call_priority::normal);
  f.call(2, call_priority::normal);
  f.api->fail_call(0, {k8s::ec::unreachable, ""});
  f.op.run_messages();
  f.call(3, call_priority::normal);
  BOOST_TEST(f.api->pending().size() == 2u); // The second one, and the probe.
  f.api->fail_call(0, {k8s::ec::not_found, ""});
  f.op.run_messages();
  BOOST_REQUIRE(f.api->pending().size() == 2u);
  BOOST_TEST(f.api->pending()[1].request.resource == "pods");
}

BOOST_AUTO_TEST_SUITE_END()
