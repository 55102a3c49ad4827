#include "actors/queueing/queueing_watch.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(queueing_watch_test)

namespace {

/// A watch of the mode in which one answer decides.
struct watch_fixture : single_actor_fixture {
  std::vector<core::queueing_options> told;
  queueing_watch_actor subject;

  explicit watch_fixture(const core::queueing_options& known = {},
                         kueue_mode mode = kueue_mode::own) {
    options->cluster.queueing = known;
    auto listener = spawn([this]() -> caf::behavior {
      return {[this](const queueing_changed& c) { told.push_back(c.options); }};
    });
    subject = spawn(queueing_watch, context,
                    queueing_probe_config{mode, {&row_of_kind("TFJob")}, "ns"},
                    caf::actor_cast<queueing_listener_actor>(listener));
    send(subject, atom::start::value);
  }

  void find(bool there) {
    answer(
        "get apiresources",
        std::string{there ? R"({"resources":[{"name":"workloads"}]})" : "{}"});
  }
};

core::queueing_options on() {
  core::queueing_options o;
  o.on = true;
  return o;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_new_is_told) {
  core::queueing_options unknown;
  unknown.unknown = true;
  watch_fixture f{unknown};
  f.find(true);
  BOOST_REQUIRE_EQUAL(f.told.size(), 1u);
  BOOST_TEST((f.told[0] == on()));
}

BOOST_AUTO_TEST_CASE(it_looks_again_and_tells_nothing_that_is_known) {
  watch_fixture f{on()};
  for (int i = 0; i < 3; ++i) {
    f.find(true);
    BOOST_TEST(f.calls.empty());
    f.advance(30s);
    BOOST_TEST(f.waits("get apiresources"));
  }
  BOOST_TEST(f.told.empty());
}

BOOST_AUTO_TEST_CASE(what_was_on_stays_on_when_kueue_vanishes) {
  watch_fixture f{on()};
  f.find(false);
  BOOST_TEST(f.told.empty());
  BOOST_TEST(f.ask(f.subject, get_report{})["on"] == true);
}

// Webhooks do not answer when an operator or Kueue has just begun.
BOOST_AUTO_TEST_CASE(a_kind_that_is_not_known_yet_is_tried_again_soon) {
  auto undecided = on();
  undecided.undecided = {"v1/tfjobs"};
  watch_fixture f{undecided, kueue_mode::automatic};
  auto try_once = [&](auto&& last) {
    f.find(true);
    f.answer("create selfsubjectaccessreviews",
             std::string{R"({"status":{"allowed":true}})"});
    last();
  };
  try_once([&] { f.fail_call("create tfjobs", k8s::ec::server_error); });
  BOOST_TEST(f.told.empty());
  f.advance(2s);
  try_once([&] {
    f.answer("create tfjobs",
             std::string{R"({"spec":{"runPolicy":{"suspend":true}}})"});
  });
  BOOST_REQUIRE_EQUAL(f.told.size(), 1u);
  BOOST_TEST(f.told[0].left_to_kueue.count("v1/tfjobs") == 1u);
  BOOST_TEST(f.told[0].undecided.empty());
  f.advance(29s);
  BOOST_TEST(f.calls.empty());
}

BOOST_AUTO_TEST_CASE(what_was_known_stays_while_kueue_is_away) {
  auto known = on();
  known.left_to_kueue = {"v1/tfjobs"};
  watch_fixture f{known, kueue_mode::automatic};
  f.find(true);
  f.answer("create selfsubjectaccessreviews",
           std::string{R"({"status":{"allowed":true}})"});
  f.fail_call("create tfjobs", k8s::ec::server_error);
  BOOST_TEST(f.told.empty());
}

BOOST_AUTO_TEST_CASE(no_answer_tells_nothing_and_is_asked_for_again) {
  core::queueing_options unknown;
  unknown.unknown = true;
  watch_fixture f{unknown};
  f.fail_call("get apiresources", k8s::ec::timeout);
  BOOST_TEST(f.told.empty());
  f.advance(30s);
  f.find(false);
  BOOST_REQUIRE_EQUAL(f.told.size(), 1u);
  BOOST_TEST(f.told[0].holds);
  // The operator is stopping: no more calls.
  f.advance(30s);
  f.fail_call("get apiresources", k8s::ec::cancelled);
  f.advance(60s);
  BOOST_TEST(f.calls.empty());
}

BOOST_AUTO_TEST_SUITE_END()
