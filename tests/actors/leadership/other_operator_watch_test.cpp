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

const k8s::failure not_found{k8s::ec::not_found, "none"};
const k8s::failure forbidden{k8s::ec::forbidden, "no right"};
const k8s::failure timeout{k8s::ec::timeout, "no answer"};

/// A row of a table: what is answered at a second, and what follows.
struct answer {
  int second;
  k8s::result<std::string> outcome;
  verdict wanted;
};

void check(const char* what, const std::vector<answer>& answers) {
  lease_observation seen;
  BOOST_TEST((seen.current() == verdict::unknown), what);
  for (const auto& a : answers) {
    seen.on_response(a.outcome, boot_clock::time_point{}
                                    + std::chrono::seconds{1000 + a.second});
    BOOST_TEST((seen.current() == a.wanted), what << " at " << a.second);
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(a_holder_lives_as_long_as_its_lease_changes) {
  auto at = [](int renewal) { return lease("a", renewal).dump(); };
  check("there is none", {{0, not_found, verdict::free}});
  check("no answer says nothing", {{0, timeout, verdict::unknown},
                                   {5, not_found, verdict::free},
                                   {10, timeout, verdict::free}});
  check("no right counts as none", {{0, forbidden, verdict::free}});
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
  check("no answer is no change", {{0, at(1), verdict::held},
                                   {20, timeout, verdict::held},
                                   {25, at(1), verdict::free}});
  check("it is released",
        {{0, at(1), verdict::held}, {5, lease("", 2).dump(), verdict::free}});
  check("it is deleted",
        {{0, at(1), verdict::held}, {5, not_found, verdict::free}});
  check("another one takes it", {{0, at(1), verdict::held},
                                 {14, lease("b", 2).dump(), verdict::held},
                                 {28, lease("b", 2).dump(), verdict::held},
                                 {29, lease("b", 2).dump(), verdict::free}});
}

BOOST_AUTO_TEST_CASE(what_is_strange_in_a_lease_holds_nobody_for_long) {
  check("nothing in it", {{0, std::string{"{}"}, verdict::free}});
  check("no JSON", {{0, std::string{"<html>"}, verdict::free}});
  for (std::int64_t duration : {std::int64_t{0}, std::int64_t{-1}})
    check("no duration", {{0, lease("a", 1, duration).dump(), verdict::free}});
  auto endless = lease("a", 1, std::numeric_limits<std::int64_t>::max()).dump();
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

BOOST_AUTO_TEST_CASE(its_lease_is_read_again_and_again) {
  auto api = std::make_shared<fake_api>();
  operator_fixture op{api};
  op.other =
      other_operator_config{"mpi-operator", {"kubeflow", "mpi-operator"}};
  api->create("leases", lease("a", 1));
  op.start();
  op.run_until_idle();
  auto watch = [&] {
    auto tree = op.request_report();
    for (const auto& child : (*tree)["children"])
      if (child["actor"] == "other-operator-watch")
        return child;
    return json{};
  };
  BOOST_TEST(watch()["leases"]
             == (json{{"kubeflow/mpi-operator", "free"},
                      {"mpi-operator/mpi-operator", "held"}}));
  BOOST_TEST(watch()["reason"]
             == "mpi-operator runs: a holds the Lease "
                "mpi-operator/mpi-operator");
  op.advance(14s);
  BOOST_TEST(watch()["leases"]["mpi-operator/mpi-operator"] == "held");
  op.advance(6s);
  BOOST_TEST(watch()["leases"]["mpi-operator/mpi-operator"] == "free");
  BOOST_TEST(watch()["reason"] == "");
  api->change("leases", "mpi-operator/mpi-operator",
              [](json& l) { l["spec"]["holderIdentity"] = "b"; });
  op.advance(5s);
  BOOST_TEST(watch()["leases"]["mpi-operator/mpi-operator"] == "held");
}

BOOST_AUTO_TEST_SUITE_END()
