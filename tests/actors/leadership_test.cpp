// What a standby, a leader, and a former leader do.
#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(leadership_test)

namespace {

const actors::election_config our_election{
    {{k8s::resources::leases, "ns", "operator"}, "us", {}, nullptr}, true};

struct election_fixture : cluster_fixture {
  explicit election_fixture(const std::string& holder) {
    op.stop();
    if (!holder.empty())
      take_lease(holder);
    op.election = our_election;
    op.start();
    op.run_until_idle();
  }

  /// Another process takes the Lease, or renews it.
  void take_lease(const std::string& holder) {
    json spec{{"holderIdentity", holder},
              {"leaseDurationSeconds", 15},
              {"leaseTransitions", ++transitions},
              {"renewTime", k8s::to_rfc3339_micro(op.wall_clock())}};
    if (api->find("leases", "ns/operator"))
      api->change("leases", "ns/operator",
                  [&](json& lease) { lease["spec"] = spec; });
    else
      api->create("leases",
                  {{"metadata", {{"name", "operator"}, {"namespace", "ns"}}},
                   {"spec", spec}});
  }

  std::string holder() {
    return get("leases", "operator")["spec"]["holderIdentity"];
  }

  void make_job(const char* name) { make("tfjobs", tf_job(2, name)); }

  /// The index of the call that waits for its answer.
  std::size_t pending_lease_call(k8s::verb method) {
    for (std::size_t i = 0; i < api->pending().size(); ++i) {
      const auto& r = api->pending()[i].request;
      if (r.resource == "leases" && r.method == method)
        return i;
    }
    BOOST_FAIL("no such call waits");
    return 0;
  }

  /// Time passes; all calls about the Lease fail.
  void advance_without_lease(std::chrono::seconds time) {
    for (auto i = 0 * 1s; i < time; i += 1s) {
      op.advance_clock(1s);
      run_failing([](const k8s::request& r) { return r.resource == "leases"; },
                  {k8s::ec::server_error, "cut off"});
    }
  }

  /// Calls that are not about the Lease.
  int writes_for_jobs() {
    int n = writes();
    for (const auto& [what, times] : api->calls)
      if (what.find(" leases") != std::string::npos)
        n -= times;
    return n;
  }

  int transitions = 0;
};

} // namespace

BOOST_AUTO_TEST_CASE(a_leader_works) {
  election_fixture s{""};
  BOOST_TEST(s.holder() == "us");
  s.make_job("job");
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(a_standby_is_ready_and_writes_nothing) {
  election_fixture s{"other"};
  s.make_job("job");
  for (int i = 0; i < 30; ++i) {
    s.take_lease("other");
    s.op.advance(10s);
  }
  BOOST_TEST(s.op.ready->load());
  BOOST_TEST(s.writes_for_jobs() == 0);
  BOOST_TEST(s.count("pods") == 0u);
}

BOOST_AUTO_TEST_CASE(a_standby_takes_over_within_two_seconds_of_a_release) {
  election_fixture s{"other"};
  s.make_job("job");
  s.make_job("removed");
  s.api->erase("tfjobs", "ns/removed");
  s.op.advance(5s);
  s.take_lease("");
  s.op.advance(2s);
  BOOST_TEST(s.holder() == "us");
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(a_standby_takes_over_when_the_lease_has_expired) {
  election_fixture s{"other"};
  s.make_job("job");
  s.op.advance(14s);
  BOOST_TEST(s.count("pods") == 0u);
  s.op.advance(3s);
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(writes_wait_while_the_lease_cannot_be_renewed) {
  election_fixture s{""};
  s.make_job("first");
  s.advance_without_lease(12s);
  auto before = s.writes_for_jobs();
  s.make_job("second");
  s.advance_without_lease(1s);
  BOOST_TEST(s.writes_for_jobs() == before);
  BOOST_TEST(s.count("pods") == 2u);
  s.op.advance(3s);
  BOOST_TEST(s.holder() == "us");
  BOOST_TEST(s.count("pods") == 4u);
}

BOOST_AUTO_TEST_CASE(what_waited_is_not_written_after_another_has_led) {
  election_fixture s{""};
  s.make_job("first");
  s.advance_without_lease(12s);
  s.make_job("second"); // Creations wait now.
  s.take_lease("other");
  s.op.advance(3s);
  BOOST_TEST(s.op.ready->load());
  s.api->erase("tfjobs", "ns/second");
  s.op.run_until_idle();
  s.take_lease("");
  s.op.advance(3s);
  BOOST_TEST(s.holder() == "us");
  BOOST_TEST(s.count("pods") == 2u);
  s.all_pods("Succeeded");
  s.op.advance(2s);
  BOOST_TEST(s.condition("tfjobs", "Succeeded", "first") == "True");
}

BOOST_AUTO_TEST_CASE(a_leader_whose_elector_fails_leads_on) {
  election_fixture s{""};
  s.make_job("first");
  s.op.advance_clock(2s); // It is about to renew.
  BOOST_REQUIRE(s.op.fail_runnable_actor("leader-elector"));
  s.op.run_until_idle();
  s.make_job("second");
  s.op.advance(1s);
  BOOST_TEST(s.holder() == "us");
  BOOST_TEST(s.get("leases", "operator")["spec"]["leaseTransitions"] == 0);
  BOOST_TEST(s.count("pods") == 4u);
}

BOOST_AUTO_TEST_CASE(a_shutdown_releases_the_lease) {
  election_fixture s{""};
  s.make_job("job");
  caf::scoped_actor self{s.op.system()};
  self->send(s.op.root, actors::drain{});
  s.op.run_until_idle();
  BOOST_TEST(s.holder() == "");
  bool done = false;
  self->receive([&](const actors::drained&) { done = true; });
  BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE(a_shutdown_waits_for_the_call_about_the_lease) {
  for (bool is_taking : {true, false}) {
    election_fixture s{""};
    if (is_taking) {
      s.op.stop();
      s.api->erase("leases", "ns/operator");
      s.op.start();
    } else {
      s.op.advance_clock(2s);
    }
    s.op.run_messages();
    if (is_taking) {
      s.api->answer(s.pending_lease_call(k8s::verb::get));
      s.op.run_messages();
    }
    s.pending_lease_call(is_taking ? k8s::verb::create : k8s::verb::update);
    caf::scoped_actor self{s.op.system()};
    self->send(s.op.root, actors::drain{});
    s.op.run_messages();
    s.op.run_until_idle();
    BOOST_TEST(s.holder() == "");
    BOOST_TEST((self->mailbox().size() > 0));
  }
}

BOOST_AUTO_TEST_CASE(a_release_has_all_the_time_that_is_left) {
  election_fixture s{""};
  caf::scoped_actor self{s.op.system()};
  self->send(s.op.root, actors::drain{});
  s.op.run_messages();
  s.op.advance_clock(s.op.options->drain - 1ms);
  s.op.run_messages();
  BOOST_TEST(!(self->mailbox().size() > 0));
  BOOST_TEST(s.holder() == "us");
  s.op.run_until_idle();
  BOOST_TEST(s.holder() == "");
  BOOST_TEST((self->mailbox().size() > 0));
}

BOOST_AUTO_TEST_CASE(the_admin_report_says_who_leads) {
  election_fixture s{"other"};
  auto tree = s.op.request_report();
  auto elector = (*tree)["children"][0];
  BOOST_TEST(elector["actor"] == "leader-elector");
  BOOST_TEST(elector["state"] == "standby");
  BOOST_TEST(elector["holder"] == "other");
  BOOST_TEST((*tree)["leading"] == false);
  s.take_lease("");
  s.op.advance(2s);
  tree = s.op.request_report();
  BOOST_TEST((*tree)["children"][0]["state"] == "leading");
  BOOST_TEST((*tree)["leading"] == true);
}

BOOST_AUTO_TEST_SUITE_END()
