#include "actors/queueing/queue_news_query.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(queue_news_query_test)

namespace {

const k8s::failure forbidden{k8s::ec::forbidden, "no"};
const k8s::failure missing{k8s::ec::not_found, "no such resource"};

std::string queue_text(const char* policy, const char* active = "True") {
  return json{{"spec", {{"clusterQueue", "cq"}, {"stopPolicy", policy}}},
              {"status",
               {{"conditions",
                 {{{"type", "Active"},
                   {"status", active},
                   {"message", "no flavor f"}}}}}}}
      .dump();
}

std::string places_text(const char* workload, int place, int in_cluster) {
  return json{{"items",
               {{{"metadata", {{"name", "other"}}},
                 {"positionInLocalQueue", 0},
                 {"positionInClusterQueue", 0}},
                {{"metadata", {{"name", workload}}},
                 {"positionInLocalQueue", place},
                 {"positionInClusterQueue", in_cluster}}}}}
      .dump();
}

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

  static std::string path(const std::optional<k8s::request>& call) {
    return call ? call->path : "";
  }

  /// Asks, with these answers in turn; the paths that were asked for.
  std::vector<std::string>
  ask(const std::vector<k8s::result<std::string>>& answers) {
    std::vector<std::string> paths;
    auto call = next().call;
    for (std::size_t i = 0; call; ++i) {
      paths.push_back(call->path);
      call = query.on_answer(i < answers.size() ? answers[i] : answers.back(),
                             now);
    }
    return paths;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(only_jobs_that_wait_for_quota_ask, query_fixture) {
  now += 1h;
  auto asks = [&] {
    auto step = next();
    return step.call || step.next_at;
  };
  cluster.queueing.on = false;
  BOOST_TEST(!asks());
  cluster.queueing.on = true;
  see_workload(true);
  BOOST_TEST(!asks());
  seen = {};
  BOOST_TEST(!asks());
}

BOOST_FIXTURE_TEST_CASE(queues_and_the_place_are_read, query_fixture) {
  BOOST_TEST((next().next_at == base_time + 20s));
  now += 20s;
  auto paths = ask({queue_text("None"), queue_text("None"),
                    places_text("tfjob-job-1", 2, 11)});
  const std::vector<std::string> wanted{
      "/apis/kueue.x-k8s.io/v1beta2/namespaces/ns/localqueues/team-a",
      "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/cq",
      "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/ns/localqueues/"
      "team-a/pendingworkloads?limit=250"};
  BOOST_TEST(paths == wanted, boost::test_tools::per_element());
  BOOST_TEST(query.news().place.value_or(0) == 3);
  BOOST_TEST(query.news().place_in_cluster_queue.value_or(0) == 12);
  BOOST_TEST(query.news().stopped == "");
  auto first = *next().next_at - now;
  now += first;
  ask({queue_text("None"), queue_text("None"), missing});
  BOOST_TEST((*next().next_at - now > first)); // Less and less often.
  BOOST_TEST(!query.news().place);
  see_workload(true); // What was known is not true any more.
  next();
  BOOST_TEST(query.is_idle());
}

BOOST_FIXTURE_TEST_CASE(who_is_far_behind_is_told_so, query_fixture) {
  now += 20s;
  json many{{"items", json::array()}};
  for (int i = 0; i < 250; ++i)
    many["items"].push_back(
        {{"metadata", {{"name", "w" + std::to_string(i)}}}});
  ask({queue_text("None"), queue_text("None"), many.dump()});
  BOOST_TEST(query.news().is_beyond == 250);
  BOOST_TEST(!query.news().place);
}

BOOST_FIXTURE_TEST_CASE(queues_that_are_stopped_or_inactive, query_fixture) {
  struct row {
    std::string local;
    std::string cluster;
    const char* stopped;
  } rows[] = {
      {queue_text("Hold"), queue_text("HoldAndDrain"),
       "LocalQueue team-a is stopped (Hold)"},
      {queue_text("None"), queue_text("HoldAndDrain"),
       "ClusterQueue cq is stopped (HoldAndDrain)"},
      {queue_text("None"), queue_text("None", "False"),
       "ClusterQueue cq is inactive: no flavor f"},
      {"garbage", queue_text("Hold"), ""},
  };
  for (const auto& r : rows) {
    query = {};
    now = base_time + 20s;
    ask({r.local, r.cluster, missing});
    BOOST_TEST(query.news().stopped == r.stopped);
  }
}

BOOST_FIXTURE_TEST_CASE(what_is_refused_or_not_served_is_asked_for_seldom,
                        query_fixture) {
  now += 20s;
  BOOST_TEST(ask({queue_text("None"), forbidden, missing}).size() == 3u);
  now = *next().next_at;
  BOOST_TEST(ask({queue_text("None")}).size() == 1u);
  now += 2h;
  BOOST_TEST(ask({queue_text("None"), queue_text("None"), missing}).size()
             == 3u);
}

BOOST_FIXTURE_TEST_CASE(jobs_that_wait_since_before_a_start_are_spread,
                        query_fixture) {
  now += 1h;
  BOOST_TEST((next(0.5).next_at == now + 15s));
  now += 15s;
  BOOST_TEST(next(0.9).call.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
