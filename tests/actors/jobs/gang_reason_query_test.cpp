#include "actors/jobs/gang_reason_query.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(gang_reason_query_test)

namespace {

const k8s::failure no_such_resource{
    k8s::ec::not_found, "the server could not find the requested resource"};

/// A job whose group Volcano has not admitted yet.
struct query_fixture {
  core::job j = make_job().workers(1);
  core::observed_children seen;
  core::job_status status;
  core::cluster_options cluster;
  k8s::time_point now = base_time;
  actors::gang_reason_query query;

  query_fixture() {
    cluster.scheduling = core::gang::volcano;
    cluster.gang_scheduler = "volcano";
    status.gang_wait_since = base_time;
    k8s::object group;
    group.meta.name = j.name;
    group.meta.ns = j.ns;
    group.meta.uid = "group";
    group.meta.resource_version = 1;
    group.meta.owners.push_back(
        {"kubeflow.org/v1", j.kind->names.type.kind, j.name, j.uid, true});
    group.state = k8s::full_state{
        R"({"spec":{"queue":"research"},"status":{"phase":"Pending"}})", "{}"};
    record_seen(seen, core::child_kind::volcano_group, group, j);
  }

  actors::gang_reason_query::step next(double jitter = 0) {
    return query.begin_query_if_due(j, seen, status, cluster, now, jitter);
  }

  static std::string events(const char* message) {
    return json{{"items",
                 {{{"involvedObject", {{"uid", "group"}}},
                   {"reason", "Unschedulable"},
                   {"message", message},
                   {"lastTimestamp", "2026-01-31T12:00:00Z"}}}}}
        .dump();
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(nothing_is_asked_of_a_job_that_does_not_wait,
                        query_fixture) {
  now += 1h;
  auto asks = [&] {
    auto step = next();
    return step.events_call || step.next_at;
  };
  status.start_time = now;
  BOOST_TEST(!asks());
  status.start_time.reset();
  j.policy.suspend = true;
  BOOST_TEST(!asks());
  j.policy.suspend = false;
  seen = {};
  BOOST_TEST(!asks());
}

BOOST_FIXTURE_TEST_CASE(events_are_asked_for_when_the_job_has_waited,
                        query_fixture) {
  auto step = next();
  BOOST_TEST(!step.events_call);
  BOOST_TEST((step.next_at == base_time + 30s));
  now += 30s;
  step = next();
  BOOST_REQUIRE(step.events_call);
  BOOST_TEST(step.events_call->path.find("involvedObject.uid%3Dgroup")
             != std::string::npos);
  BOOST_TEST(!next().events_call); // One at a time.
}

BOOST_FIXTURE_TEST_CASE(jobs_that_wait_since_before_a_start_are_spread,
                        query_fixture) {
  now += 1h;
  BOOST_TEST((next(0.5).next_at == now + 15s));
  now += 15s;
  BOOST_TEST(next(0.9).events_call.has_value());
}

BOOST_FIXTURE_TEST_CASE(an_event_that_says_why_is_enough, query_fixture) {
  now += 30s;
  next();
  auto answer =
      query.on_events_response(events("queue quota insufficient"), now);
  BOOST_TEST(!answer.queue_call);
  BOOST_REQUIRE(answer.reason);
  BOOST_TEST(answer.reason->message == "queue quota insufficient");
  BOOST_TEST((*next().next_at > now + 30s)); // Less and less often.
}

BOOST_FIXTURE_TEST_CASE(the_queue_is_asked_about_when_events_say_little,
                        query_fixture) {
  now += 30s;
  next();
  auto answer = query.on_events_response(std::string{R"({"items":[]})"}, now);
  BOOST_REQUIRE(answer.queue_call);
  BOOST_TEST(answer.queue_call->path
             == "/apis/scheduling.volcano.sh/v1beta1/queues/research");
  const k8s::failure missing{k8s::ec::not_found,
                             "queues \"research\" not found"};
  auto found = query.on_queue_response(missing, now);
  BOOST_REQUIRE(found.reason);
  BOOST_TEST(found.reason->message.find("research") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(what_may_not_be_read_is_left_out, query_fixture) {
  const k8s::failure forbidden{k8s::ec::forbidden, "no"};
  now += 30s;
  next();
  BOOST_REQUIRE(query.on_events_response(forbidden, now).queue_call);
  BOOST_TEST(!query.on_queue_response(forbidden, now).reason);
  // Queues are not asked about again.
  now = *next().next_at;
  BOOST_REQUIRE(next().events_call);
  BOOST_TEST(!query.on_events_response(forbidden, now).queue_call);
}

BOOST_FIXTURE_TEST_CASE(a_clock_that_is_set_back_delays_nothing,
                        query_fixture) {
  now += 10h;
  BOOST_TEST((*next(0.5).next_at == now + 15s));
  now += 15s;
  BOOST_REQUIRE(next().events_call);
  query.on_events_response(events("queue quota insufficient"), now);
  auto pause = *next().next_at - now;
  now -= 5h;
  BOOST_TEST((*next().next_at == now + pause));
}
BOOST_FIXTURE_TEST_CASE(a_server_without_queues_tells_nothing, query_fixture) {
  now += 30s;
  next();
  query.on_events_response(std::string{R"({"items":[]})"}, now);
  BOOST_TEST(!query.on_queue_response(no_such_resource, now).reason);
}

BOOST_AUTO_TEST_SUITE_END()
