#include "actors/queueing/queue_news_query.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(queue_news_query_test)

namespace {

/// A job that waits for quota since base_time.
struct query_fixture {
  core::job j = make_job().workers(1).suspended();
  core::observed_children seen;
  core::cluster_options cluster;
  k8s::time_point now = base_time;
  actors::queue_news_query query;

  query_fixture() {
    j.queue = "team-a";
    cluster.queueing.on = true;
    see_workload(false);
  }

  void see_workload(bool reserved) {
    k8s::object o;
    o.meta.name = "tfjob-job-1";
    o.meta.ns = "ns";
    o.meta.uid = "w";
    o.meta.resource_version = reserved ? 2 : 1;
    o.meta.created = base_time;
    o.meta.owners.push_back(
        {"kubeflow.org/v1", "TFJob", "job", "job-uid", true});
    o.state = k8s::full_state{
        json{{"spec", {{"queueName", "team-a"}}},
             {"status",
              {{"conditions",
                {{{"type", "QuotaReserved"},
                  {"status", reserved ? "True" : "False"},
                  {"lastTransitionTime", "2026-02-02T02:40:00Z"}}}}}}}
            .dump(),
        "{}"};
    record_seen(seen, core::child_kind::workload, o, j);
  }

  actors::queue_news_query::step next(double jitter = 0) {
    return query.begin_if_due(j, seen, cluster, now, jitter);
  }

  /// Asks when it is due; whether it was.
  bool ask(core::queue_news answer = {}) {
    if (!next().ask)
      return false;
    query.on_answer(std::move(answer), now);
    return true;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(only_jobs_that_wait_for_quota_ask, query_fixture) {
  now += 1h;
  auto asks = [&] {
    auto step = next();
    return step.ask || step.next_at;
  };
  cluster.queueing.on = false;
  BOOST_TEST(!asks());
  cluster.queueing.on = true;
  see_workload(true);
  BOOST_TEST(!asks());
  seen = {};
  BOOST_TEST(!asks());
}

BOOST_FIXTURE_TEST_CASE(it_asks_less_and_less_often, query_fixture) {
  BOOST_TEST((next().next_at == base_time + 20s));
  now += 20s;
  auto step = next();
  BOOST_REQUIRE(step.ask.has_value());
  BOOST_TEST(step.ask->queue == "team-a");
  BOOST_TEST(step.ask->workload == "tfjob-job-1");
  BOOST_TEST(!next().ask); // It is under way.
  core::queue_news third;
  third.place = 3;
  query.on_answer(third, now);
  BOOST_TEST(query.news().place.value_or(0) == 3);
  auto first = *next().next_at - now;
  now += first;
  BOOST_TEST(ask());
  BOOST_TEST((*next().next_at - now > first));
  BOOST_TEST(!query.news().place);
}

BOOST_FIXTURE_TEST_CASE(of_an_admitted_job_nothing_is_kept, query_fixture) {
  now += 20s;
  core::queue_news stopped;
  stopped.stopped = "ClusterQueue cq is stopped (Hold)";
  BOOST_TEST(ask(stopped));
  see_workload(true); // What was known is not true any more.
  next();
  BOOST_TEST(query.is_idle());
  BOOST_TEST(query.news().stopped == "");
  query.on_answer(stopped, now); // It has asked for nothing.
  BOOST_TEST(query.news().stopped == "");
}

BOOST_FIXTURE_TEST_CASE(jobs_that_wait_since_before_a_start_are_spread,
                        query_fixture) {
  now += 1h;
  BOOST_TEST((next(0.5).next_at == now + 15s));
  now += 15s;
  BOOST_TEST(next(0.9).ask.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
