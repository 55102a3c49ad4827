#include "actors/leadership/lease_election.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <vector>

using namespace troupe;
using namespace troupe::actors;
using namespace std::chrono_literals;
using k8s::json;

BOOST_AUTO_TEST_SUITE(lease_election_test)

namespace {

using change = lease_election::change;

const k8s::object_ref the_lease{k8s::resources::leases, "kubeflow", "operator"};
constexpr k8s::time_point wall_start{std::chrono::seconds{1'770'000'000}};

lease_config config_of(const std::string& identity) {
  lease_config c;
  c.lease = the_lease;
  c.identity = identity;
  c.has_ended = [](const std::string& who) { return who == "ended"; };
  return c;
}

/// A server that keeps one Lease.
struct lease_server {
  json lease; ///< null: it does not exist.
  int version = 0;

  k8s::result<std::string> perform(const k8s::request& r) {
    if (r.method == k8s::verb::get)
      return lease.is_null() ? k8s::result<std::string>{k8s::failure{
                 k8s::ec::not_found, "no Lease"}}
                             : k8s::to_text(lease);
    auto body = k8s::parse_json_or_null(r.body);
    if (r.method == k8s::verb::create) {
      if (!lease.is_null())
        return k8s::failure{k8s::ec::exists, "there is one"};
    } else if (lease.is_null()) {
      return k8s::failure{k8s::ec::not_found, "no Lease"};
    } else if (k8s::text_at(body, {"metadata", "resourceVersion"})
               != std::to_string(version)) {
      return k8s::failure{k8s::ec::conflict, "stale"};
    }
    body["metadata"]["resourceVersion"] = std::to_string(++version);
    lease = body;
    return k8s::to_text(lease);
  }

  std::string lease_holder() const {
    return k8s::text_at(lease, {"spec", "holderIdentity"});
  }
};

/// One process that takes part in the election of a server.
struct elector {
  lease_server& server;
  lease_election election;
  boot_clock::time_point now{1h};
  std::chrono::milliseconds pause{0};

  elector(lease_server& s, const std::string& identity)
      : server(s)
      , election(config_of(identity)) {}

  k8s::time_point wall() const {
    return wall_start
           + std::chrono::duration_cast<k8s::time_point::duration>(
               now.time_since_epoch());
  }

  /// One attempt, to its end; what it has changed.
  change attempt() {
    auto request = election.begin_acquire_or_renew(now, wall());
    auto result = change::none;
    for (;;) {
      auto step =
          election.on_response(server.perform(request), now, wall(), 0.0);
      if (step.what != change::none)
        result = step.what;
      pause = step.pause;
      if (!step.request)
        return result;
      request = *step.request;
    }
  }

  bool may_write() const { return election.may_write_until() > now; }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_lease_that_does_not_exist_is_created) {
  lease_server server;
  elector a{server, "a"};
  BOOST_TEST((a.attempt() == change::acquired));
  BOOST_TEST(a.may_write());
  const auto& spec = server.lease["spec"];
  BOOST_TEST(spec["holderIdentity"] == "a");
  BOOST_TEST(spec["leaseDurationSeconds"] == 15);
  BOOST_TEST(spec["leaseTransitions"] == 0);
  BOOST_TEST(spec["renewTime"] == "2026-02-02T03:40:00.000000Z");
  BOOST_TEST(spec["acquireTime"] == spec["renewTime"]);
}

BOOST_AUTO_TEST_CASE(a_leader_renews_with_one_write) {
  lease_server server;
  elector a{server, "a"};
  a.attempt();
  auto acquired = server.lease["spec"]["acquireTime"];
  server.lease["metadata"]["labels"]["team"] = "ml";
  a.now += 2s;
  auto before = server.version;
  BOOST_TEST((a.attempt() == change::none));
  BOOST_TEST(server.version == before + 1);
  BOOST_TEST(server.lease["spec"]["acquireTime"] == acquired);
  BOOST_TEST(server.lease["spec"]["renewTime"] != acquired);
  BOOST_TEST((a.election.may_write_until() == a.now + 10s));
  BOOST_TEST(a.pause.count() == 2000);
}

BOOST_AUTO_TEST_CASE(what_others_wrote_to_the_lease_is_kept) {
  lease_server server;
  elector a{server, "a"};
  a.attempt();
  server.lease["metadata"]["labels"]["team"] = "ml";
  server.lease["metadata"]["resourceVersion"] =
      std::to_string(++server.version);
  a.now += 2s;
  BOOST_TEST((a.attempt() == change::none)); // After a conflict.
  BOOST_TEST(server.lease["metadata"]["labels"]["team"] == "ml");
  BOOST_TEST((a.election.may_write_until() == a.now + 10s));
}

BOOST_AUTO_TEST_CASE(a_lease_may_last_longer_than_clocks_count) {
  lease_server server;
  elector a{server, "a"};
  elector b{server, "b"};
  a.attempt();
  server.lease["spec"]["leaseDurationSeconds"] = INT64_MAX;
  BOOST_TEST((b.attempt() == change::none));
  b.now += 240h;
  BOOST_TEST((b.attempt() == change::none));
}

BOOST_AUTO_TEST_CASE(a_standby_leads_when_the_lease_was_seen_unchanged) {
  lease_server server;
  elector a{server, "a"};
  elector b{server, "b"};
  a.attempt();
  b.now += 240h; // The clocks of machines differ.
  BOOST_TEST((b.attempt() == change::none));
  BOOST_TEST(b.pause.count() <= 1000);
  b.now += 14s;
  BOOST_TEST((b.attempt() == change::none));
  a.now += 14s;
  a.attempt();
  b.now += 2s;
  BOOST_TEST((b.attempt() == change::none)); // It was renewed.
  b.now += 15s;
  BOOST_TEST((b.attempt() == change::acquired));
  BOOST_TEST(server.lease_holder() == "b");
  BOOST_TEST(server.lease["spec"]["leaseTransitions"] == 1);
  BOOST_TEST((a.attempt() == change::lost));
  BOOST_TEST(!a.may_write());
}

BOOST_AUTO_TEST_CASE(a_released_lease_is_taken_at_once) {
  lease_server server;
  elector a{server, "a"};
  elector b{server, "b"};
  a.attempt();
  b.attempt();
  auto release = a.election.stop_leading_and_begin_release(a.wall());
  BOOST_REQUIRE(release.has_value());
  BOOST_TEST(!a.may_write());
  BOOST_TEST(bool(server.perform(*release)));
  BOOST_TEST(server.lease_holder() == "");
  BOOST_TEST((b.attempt() == change::acquired));
  BOOST_TEST(!a.election.stop_leading_and_begin_release(a.wall()).has_value());
}

BOOST_AUTO_TEST_CASE(the_lease_of_an_ended_process_is_taken_at_once) {
  lease_server server;
  elector old{server, "ended"};
  old.attempt();
  elector b{server, "b"};
  BOOST_TEST((b.attempt() == change::acquired));
}

BOOST_AUTO_TEST_CASE(a_leader_cut_off_stops_writing_before_another_leads) {
  lease_server server;
  elector a{server, "a"};
  elector b{server, "b"};
  a.attempt();
  b.attempt();
  auto request = a.election.begin_acquire_or_renew(a.now += 2s, a.wall());
  auto step = a.election.on_response(k8s::failure{k8s::ec::unreachable, "cut"},
                                     a.now += 5s, a.wall(), 0.5);
  BOOST_TEST((step.what == change::none));
  BOOST_TEST(step.pause.count() == 2000);
  BOOST_TEST(a.may_write());
  a.now += 3s; // 10 s after the last renewal.
  BOOST_TEST(!a.may_write());
  BOOST_TEST(a.election.is_leader());
  // Nobody else has led meanwhile: it goes on.
  BOOST_TEST((a.attempt() == change::none));
  BOOST_TEST(a.may_write());
}

BOOST_AUTO_TEST_CASE(a_lease_that_another_process_released_was_lost) {
  lease_server server;
  elector a{server, "a"};
  a.attempt();
  server.lease["spec"]["holderIdentity"] = "";
  server.lease["metadata"]["resourceVersion"] =
      std::to_string(++server.version);
  BOOST_TEST((a.attempt() == change::lost));
  BOOST_TEST((a.attempt() == change::acquired));
}

BOOST_AUTO_TEST_CASE(a_lease_whose_write_was_answered_too_late_is_ours) {
  lease_server server;
  elector a{server, "a"};
  auto request = a.election.begin_acquire_or_renew(a.now, a.wall());
  auto step =
      a.election.on_response(server.perform(request), a.now, a.wall(), 0);
  BOOST_REQUIRE(step.request.has_value());
  BOOST_TEST(bool(server.perform(*step.request))); // The answer is lost.
  step = a.election.on_response(k8s::failure{k8s::ec::timeout, "late"},
                                a.now += 5s, a.wall(), 0);
  BOOST_TEST(!a.election.is_leader());
  BOOST_TEST((a.attempt() == change::acquired));
  BOOST_TEST(server.lease["spec"]["leaseTransitions"] == 0);
}

// The actor that elects fails, and the next one of this process takes over.
BOOST_AUTO_TEST_CASE(the_next_election_of_a_process_knows_its_own_lease) {
  lease_server server;
  elector a{server, "a"};
  auto config = config_of("a");
  int changes = 0;
  int claims = 0;
  config.change_identity = [&] { return "a" + std::to_string(++changes); };
  config.claiming = [&] { ++claims; };
  a.election = lease_election{config};
  a.attempt();
  BOOST_TEST(claims == 1);
  // It failed when its last renewal had no answer.
  a.now += 2s;
  auto unanswered = a.election.begin_acquire_or_renew(a.now, a.wall());
  BOOST_TEST(bool(server.perform(unanswered)));
  a.election = lease_election{config, a.election.own_writes()};
  BOOST_TEST(!a.election.is_leader());
  a.now += 1s;
  BOOST_TEST((a.attempt() == change::acquired));
  BOOST_TEST(a.may_write());
  BOOST_TEST(changes == 0);
  BOOST_TEST(claims == 3);
  BOOST_TEST(server.lease["spec"]["leaseTransitions"] == 0);
  // So with a name that it was given later.
  elector copy{server, "a"};
  copy.election = lease_election{config};
  copy.attempt();
  copy.election = lease_election{config, copy.election.own_writes()};
  BOOST_TEST(copy.election.config().identity == "a1");
  // Another process that leads meanwhile is not overlooked.
  a.election = lease_election{config, a.election.own_writes()};
  server.lease["spec"]["holderIdentity"] = "other";
  BOOST_TEST((a.attempt() == change::none));
}

// A virtual machine that is resumed twice from one snapshot.
BOOST_AUTO_TEST_CASE(of_two_copies_of_a_leader_one_stays_leader) {
  lease_server server;
  elector a{server, "a"};
  a.attempt();
  auto copy = a; // With all that it knows.
  for (auto* e : {&a, &copy}) {
    e->now += 2s;
    BOOST_TEST(e->election.is_leader());
  }
  a.now += 1ms; // The wall clocks of two machines are never the same.
  BOOST_TEST((a.attempt() == change::none));
  BOOST_TEST((copy.attempt() == change::lost));
  BOOST_TEST(!copy.may_write());
  // Nor does a name alone make a Lease ours.
  copy.now += 14s;
  BOOST_TEST((copy.attempt() == change::none));
  a.now += 14s;
  BOOST_TEST((a.attempt() == change::none));
  BOOST_TEST(a.may_write());
}

BOOST_AUTO_TEST_CASE(a_copy_takes_another_name_when_it_sees_its_own) {
  lease_server server;
  elector a{server, "a"};
  elector copy{server, "a"};
  auto config = config_of("a");
  int changes = 0;
  config.change_identity = [&] { return "b" + std::to_string(++changes); };
  copy.election = lease_election{config};
  a.attempt();
  BOOST_TEST((copy.attempt() == change::none));
  BOOST_TEST(copy.election.config().identity == "b1");
  copy.now += 1s;
  copy.attempt();
  BOOST_TEST(changes == 1);
  copy.now += 15s;
  BOOST_TEST((copy.attempt() == change::acquired));
  BOOST_TEST(server.lease_holder() == "b1");
  copy.now += 2s;
  BOOST_TEST((copy.attempt() == change::none));
  BOOST_TEST(changes == 1);
}

BOOST_AUTO_TEST_CASE(who_sees_an_older_state_of_the_server_starts_anew) {
  lease_server server;
  elector a{server, "a"};
  elector b{server, "b"};
  a.attempt();
  auto backup = server;
  for (int i = 0; i < 3; ++i) {
    a.now += 2s;
    a.attempt();
    b.attempt();
  }
  server = backup;
  a.now += 2s;
  BOOST_TEST((a.attempt() == change::lost));
  BOOST_TEST((b.attempt() == change::lost)); // What it has read is no more.
  BOOST_TEST((b.attempt() == change::none));
  BOOST_TEST((a.attempt() == change::acquired)); // The Lease is still ours.
}

// Processes that stop and continue at random, calls that fail or arrive late,
// clocks that differ: never may two of them write.
BOOST_AUTO_TEST_CASE(never_do_two_write_at_the_same_time) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::minstd_rand random{seed + 1};
    auto below = [&](int n) {
      return std::uniform_int_distribution<int>{0, n - 1}(random);
    };
    lease_server server;
    struct process {
      elector e;
      std::chrono::milliseconds skew;
      boot_clock::time_point next;
      std::optional<k8s::request> in_flight = std::nullopt;
    };
    std::vector<process> all;
    boot_clock::time_point now{100h};
    for (auto name : {"a", "b", "c"})
      all.push_back({{server, name},
                     std::chrono::milliseconds{below(86'400'000)},
                     now + std::chrono::milliseconds{below(3000)}});
    int changes = 0;
    for (int step = 0; step < 2000; ++step) {
      now += std::chrono::milliseconds{below(200)};
      int writers = 0;
      for (auto& p : all) {
        p.e.now = now;
        writers += p.e.may_write() ? 1 : 0;
      }
      BOOST_REQUIRE_MESSAGE(writers <= 1, "seed " << seed << ", step " << step);
      auto& p = all[static_cast<std::size_t>(below(3))];
      if (now < p.next)
        continue;
      auto wall = p.e.wall() + p.skew;
      if (!p.in_flight) {
        p.in_flight = p.e.election.begin_acquire_or_renew(now, wall);
        p.next = now + std::chrono::milliseconds{below(300)};
        continue;
      }
      // The call takes effect now, some time after it was sent, or not at all.
      k8s::result<std::string> answer =
          below(10) == 0
              ? k8s::result<std::string>{k8s::failure{k8s::ec::unreachable, ""}}
              : server.perform(*p.in_flight);
      if (below(20) == 0)
        answer = k8s::failure{k8s::ec::timeout, "late"};
      auto next = p.e.election.on_response(answer, now, wall, 0.5);
      changes += next.what == change::none ? 0 : 1;
      p.in_flight = next.request;
      p.next = now + next.pause;
      if (below(30) == 0) // SIGSTOP, for a while.
        p.next += std::chrono::milliseconds{below(40'000)};
    }
    BOOST_TEST(changes > 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
