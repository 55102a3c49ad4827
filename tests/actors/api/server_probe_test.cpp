#include "actors/api/server_probe.hpp"
#include "tests/fixtures/operator_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(server_probe_test)

namespace {

/// A probe with two listeners.
struct probe_fixture {
  std::shared_ptr<fake_api> api = std::make_shared<fake_api>();
  operator_fixture op{std::make_shared<fake_api>()};
  caf::actor listeners[2];
  server_probe_actor probe;
  int told_away = 0;
  int told_back = 0;

  probe_fixture() {
    op.start(); // Its actor system is used.
    for (auto& l : listeners)
      l = op.system().spawn([this]() -> caf::behavior {
        return {[this](const server_unavailable&) { ++told_away; },
                [this](const server_available&) { ++told_back; }};
      });
    probe = op.system().spawn(server_probe, api,
                              std::function<double()>{[] { return 0.0; }});
  }

  ~probe_fixture() {
    caf::anon_send_exit(probe, caf::exit_reason::user_shutdown);
    for (auto& l : listeners)
      caf::anon_send_exit(l, caf::exit_reason::user_shutdown);
    op.run_messages();
  }

  server_listener_actor listener(int which) {
    return caf::actor_cast<server_listener_actor>(listeners[which]);
  }

  void apply(char step) {
    switch (step) {
    case 'a':
    case 'b':
      caf::anon_send(probe, watch_server_health{listener(step - 'a')});
      break;
    case 'A':
    case 'B':
      caf::anon_send(probe, unwatch_server_health{listener(step - 'A')});
      break;
    case 't':
      op.advance_clock(1s);
      break;
    default:
      BOOST_REQUIRE(api->pending().size() == 1u);
      api->ready = step == 'y';
      api->answer(0);
    }
    op.run_messages();
  }

  std::string state() {
    caf::scoped_actor self{op.system()};
    self->send(probe, get_report{});
    op.run_messages();
    report_ptr result;
    self->receive([&](const report_ptr& r) { result = r; });
    return (*result)["state"];
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(
    the_server_unavailable_until_it_is_ready_or_has_served_all) {
  struct row {
    /// 'a', 'b': a listener suspects the server; 'A', 'B': it was served;
    /// 'y', 'n': /readyz answers that the server is ready or not; 't': 1 s.
    const char* steps;
    const char* state;
    int told_away;
    int told_back;
  } rows[] = {
      {"", "idle", 0, 0},
      {"a", "asking", 0, 0},
      {"ay", "idle", 0, 1},
      {"an", "away", 1, 0},
      {"anty", "idle", 1, 1},
      {"abn", "away", 2, 0},
      {"anA", "idle", 1, 0},
      {"abnA", "away", 2, 0},
      {"abnAB", "idle", 2, 0},
      {"antya", "asking", 1, 1},
      // Served by trial calls, then another outage.
      {"anAta", "asking", 1, 0},
      {"abnABta", "asking", 2, 0},
      {"anAtan", "away", 2, 0},
      // Served while the probe asks: its answer is of no interest.
      {"aAn", "idle", 0, 0},
      {"aAnta", "asking", 0, 0},
  };
  for (const auto& r : rows) {
    probe_fixture f;
    for (char step : std::string{r.steps})
      f.apply(step);
    BOOST_TEST_CONTEXT("after '" << r.steps << "'") {
      BOOST_TEST(f.state() == r.state);
      BOOST_TEST(f.told_away == r.told_away);
      BOOST_TEST(f.told_back == r.told_back);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
