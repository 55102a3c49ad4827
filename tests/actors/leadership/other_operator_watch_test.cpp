#include "actors/base/other_operator.hpp"
#include "actors/leadership/other_operator_watch.hpp"
#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(other_operator_watch_test)

namespace {

using verdict = lease_observation::verdict;

json lease(const std::string& holder, int renewal, std::int64_t duration = 15) {
  return {{"apiVersion", "coordination.k8s.io/v1"},
          {"kind", "Lease"},
          {"metadata",
           {{"name", "mpi-operator"},
            {"namespace", "mpi-operator"},
            {"resourceVersion", std::to_string(renewal)}}},
          {"spec",
           {{"holderIdentity", holder},
            {"leaseDurationSeconds", duration},
            {"renewTime", "2020-01-01T00:00:" + std::to_string(10 + renewal)
                              + ".000000Z"}}}};
}

std::string spec_text(const std::string& holder, int renewal,
                      std::int64_t duration = 15) {
  return lease(holder, renewal, duration)["spec"].dump();
}

/// A row of a table: what is seen at a second, and what follows.
struct answer {
  int second;
  std::optional<std::string> spec; ///< None: there is no Lease.
  verdict wanted;
};

void check(const char* what, const std::vector<answer>& answers) {
  lease_observation seen;
  BOOST_TEST((seen.current() == verdict::unknown), what);
  for (const auto& a : answers) {
    if (a.spec)
      seen.on_seen(*a.spec, boot_clock::time_point{}
                                + std::chrono::seconds{1000 + a.second});
    else
      seen.on_absent();
    BOOST_TEST((seen.current() == a.wanted), what << " at " << a.second);
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(a_holder_lives_as_long_as_its_lease_changes) {
  auto at = [](int renewal) { return spec_text("a", renewal); };
  const std::nullopt_t none = std::nullopt;
  check("there is none", {{0, none, verdict::free}});
  check("it is renewed", {{0, at(1), verdict::held},
                          {10, at(2), verdict::held},
                          {24, at(3), verdict::held},
                          {38, at(4), verdict::held}});
  // However old its time is: clocks are not compared.
  check("it was left behind", {{0, at(1), verdict::held},
                               {14, at(1), verdict::held},
                               {15, at(1), verdict::free},
                               {60, at(1), verdict::free}});
  check("it comes back", {{0, at(1), verdict::held},
                          {15, at(1), verdict::free},
                          {20, at(2), verdict::held}});
  check("it is released",
        {{0, at(1), verdict::held}, {5, spec_text("", 2), verdict::free}});
  check("it is deleted", {{0, at(1), verdict::held}, {5, none, verdict::free}});
  check("another one takes it", {{0, at(1), verdict::held},
                                 {14, spec_text("b", 2), verdict::held},
                                 {28, spec_text("b", 2), verdict::held},
                                 {29, spec_text("b", 2), verdict::free}});
}

BOOST_AUTO_TEST_CASE(what_is_strange_in_a_lease_holds_nobody_for_long) {
  check("nothing in it", {{0, "{}", verdict::free}});
  check("no JSON", {{0, "<html>", verdict::free}});
  for (std::int64_t duration : {std::int64_t{0}, std::int64_t{-1}})
    check("no duration", {{0, spec_text("a", 1, duration), verdict::free}});
  auto endless = spec_text("a", 1, std::numeric_limits<std::int64_t>::max());
  check("an endless duration", {{0, endless, verdict::held},
                                {3599, endless, verdict::held},
                                {3600, endless, verdict::free}});
}

BOOST_AUTO_TEST_CASE(who_leaves_a_job_says_so_once) {
  core::framework kind;
  kind.names.type.kind = "MPIJob";
  kind.names.other_operator_lease = "mpi-operator";
  auto unknown = unknown_operator_reason("mpi-operator");
  const std::string runs =
      "mpi-operator runs: a holds the Lease n/mpi-operator";
  auto told = [&](const std::string& before, const std::string& now) {
    return left_to_other_event(kind, before, now).has_value();
  };
  BOOST_TEST(!told("", ""));
  BOOST_TEST(!told("", unknown));
  BOOST_TEST(!told(unknown, ""));
  BOOST_TEST(told("", runs));
  BOOST_TEST(told(unknown, runs));
  BOOST_TEST(!told(runs, runs));
  BOOST_TEST(!told(runs, runs + "!"));
  BOOST_TEST(!told(runs, ""));
  auto event = left_to_other_event(kind, "", runs);
  BOOST_TEST(event->reason == "MPIJobLeftToOther");
  BOOST_TEST(event->message.find(runs) != std::string::npos);
}

namespace {

/// An operator that looks for the Lease in two namespaces.
struct watch_fixture : cluster_fixture {
  watch_fixture() {
    op.stop();
    api->drop_pending(0);
    op.other =
        other_operator_config{"mpi-operator", {"kubeflow", "mpi-operator"}};
  }

  void start() {
    op.start();
    op.run_until_idle();
  }
  /// Every list of the Lease fails.
  void start_failing(const k8s::failure& why) {
    op.start();
    run_failing(k8s::verb::list, "leases", why);
  }

  json report() {
    auto tree = op.request_report();
    for (const auto& child : (*tree)["children"])
      if (child["actor"] == "other-operator-watch")
        return child;
    return {};
  }
  json verdict_of(const std::string& ns) {
    return report()["leases"][ns + "/mpi-operator"];
  }

  void renew(const std::string& holder, int renewal) {
    api->change("leases", "mpi-operator/mpi-operator",
                [&](json& l) { l["spec"] = lease(holder, renewal)["spec"]; });
    op.run_until_idle();
  }

  int lists() { return api->calls["list leases"]; }
};

} // namespace

BOOST_AUTO_TEST_CASE(its_lease_is_watched) {
  watch_fixture f;
  f.api->create("leases", lease("a", 1));
  f.start();
  BOOST_TEST(f.report()["leases"]
             == (json{{"kubeflow/mpi-operator", "free"},
                      {"mpi-operator/mpi-operator", "held"}}));
  BOOST_TEST(f.report()["reason"]
             == "mpi-operator runs: a holds the Lease "
                "mpi-operator/mpi-operator");
  BOOST_TEST(f.lists() == 2);
  for (int i = 2; i < 6; ++i) {
    f.op.advance(10s);
    f.renew("a", i);
    BOOST_TEST(f.verdict_of("mpi-operator") == "held");
  }
  BOOST_TEST(f.lists() == 2);
  f.op.advance(14s);
  BOOST_TEST(f.verdict_of("mpi-operator") == "held");
  f.op.advance(2s); // It is asked for once more.
  BOOST_TEST(f.lists() == 3);
  BOOST_TEST(f.verdict_of("mpi-operator") == "free");
  BOOST_TEST(f.report()["reason"] == "");
  f.renew("b", 7);
  BOOST_TEST(f.verdict_of("mpi-operator") == "held");
  f.renew("", 8);
  BOOST_TEST(f.verdict_of("mpi-operator") == "free");
}

BOOST_AUTO_TEST_CASE(a_lease_that_comes_and_goes_is_seen_without_a_request) {
  watch_fixture f;
  f.start();
  BOOST_TEST(f.report()["reason"] == "");
  auto before = f.api->calls["watch leases"];
  f.op.advance(60s);
  BOOST_TEST(f.lists() == 2);
  BOOST_TEST(f.api->calls["watch leases"] == before);
  BOOST_TEST(f.api->calls["get leases"] == 0);
  f.api->create("leases", lease("a", 1));
  f.op.run_until_idle();
  BOOST_TEST(f.verdict_of("mpi-operator") == "held");
  f.api->erase("leases", "mpi-operator/mpi-operator");
  f.op.run_until_idle();
  BOOST_TEST(f.verdict_of("mpi-operator") == "free");
}

BOOST_AUTO_TEST_CASE(a_lease_that_may_not_be_read_holds_nobody_until_it_may) {
  watch_fixture f;
  f.api->create("leases", lease("a", 1));
  const k8s::failure refused{k8s::ec::forbidden, "no right"};
  f.start_failing(refused);
  for (int i = 0; i < 4; ++i) {
    f.op.advance_clock(500ms);
    f.run_failing(k8s::verb::list, "leases", refused);
  }
  BOOST_TEST(f.verdict_of("mpi-operator") == "free");
  BOOST_TEST(f.report()["reason"] == "");
  f.op.advance(8s); // The right was granted.
  BOOST_TEST(f.verdict_of("mpi-operator") == "held");
}

BOOST_AUTO_TEST_CASE(one_refusal_does_not_say_that_nobody_holds_a_lease) {
  watch_fixture f;
  f.api->create("leases", lease("a", 1));
  f.start_failing({k8s::ec::forbidden, "no right"});
  // So answers a server that is starting, too.
  BOOST_TEST(f.verdict_of("mpi-operator") == "unknown");
  f.op.advance(2s); // The right was granted.
  BOOST_TEST(f.verdict_of("mpi-operator") == "held");
}

BOOST_AUTO_TEST_CASE(without_an_answer_jobs_are_left_alone) {
  watch_fixture f;
  f.start_failing({k8s::ec::timeout, "no answer"});
  BOOST_TEST(f.report()["reason"] == unknown_operator_reason("mpi-operator"));
  f.op.advance(2s);
  BOOST_TEST(f.report()["reason"] == "");
}

BOOST_AUTO_TEST_SUITE_END()
