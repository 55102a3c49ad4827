// What a supervisor says of its job.
#include "actors/queueing/queue_news_reader.hpp"
#include "tests/actors/jobs/supervisor_fixture.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_supervisor_report_test)

namespace {

/// Of the job and its groups, as `top` has it.
json ask_for_tree(supervisor_fixture& f) {
  return f.ask(f.subject, get_tree{});
}

} // namespace

BOOST_AUTO_TEST_CASE(a_report_contains_what_the_job_waits_for) {
  struct row {
    job_builder job;
    const char* key;
    json value;
  };
  row rows[] = {
      {make_job().workers(1).active_deadline(60), "activeDeadlineAt",
       "2026-02-02T02:41:00Z"},
      {make_job().workers(1).policy("managedBy", "kueue.x-k8s.io/multikueue"),
       "managedBy", "kueue.x-k8s.io/multikueue"},
      {make_job().workers(1).deleting(), "deleting", true},
      {make_job().workers(1).suspended(),
       "suspended",
       {{"specManager", "kueue"}, {"queue", "team-a"}}},
  };
  for (auto& r : rows) {
    supervisor_fixture f;
    auto fact = f.seen(r.job);
    auto item = *fact.item;
    item.meta.labels["kueue.x-k8s.io/queue-name"] = "team-a";
    std::get<k8s::spec_and_status_state>(item.state).spec_manager = "kueue";
    fact.item = std::make_shared<k8s::object>(item);
    f.send(f.subject, fact);
    auto report = f.report();
    BOOST_TEST_CONTEXT(r.key)
    BOOST_TEST(report.value(r.key, json{}) == r.value);
    for (const auto& other : rows)
      BOOST_TEST(report.contains(other.key)
                 == (std::string{r.key} == other.key));
  }
}

BOOST_AUTO_TEST_CASE(a_report_contains_why_a_call_failed) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1)));
  f.answer("create pods job-worker-0",
           k8s::failure{k8s::ec::forbidden, "exceeded quota"});
  const json expected{{"code", "forbidden"}, {"message", "exceeded quota"}};
  auto report = f.report();
  for (const auto& e : report["expectations"]) {
    BOOST_TEST(e.contains("lastFailure") == (e["what"] == "pod"));
    if (e["what"] == "pod")
      BOOST_TEST(e["lastFailure"] == expected);
  }
}

BOOST_AUTO_TEST_CASE(a_report_contains_what_the_job_waits_for_as_one_field) {
  supervisor_fixture f;
  BOOST_TEST(!f.report().contains("waitingFor"));
  f.send(f.subject, f.seen(make_job().workers(1)));
  f.answer("create pods job-worker-0",
           k8s::failure{k8s::ec::forbidden, "exceeded quota: pods"});
  auto waiting = f.report()["waitingFor"];
  auto until = waiting["until"];
  waiting.erase("until");
  BOOST_TEST(until.is_string());
  BOOST_TEST(
      waiting
      == (json{
          {"row", "failed-call"},
          {"whoseMove", "person"},
          {"who", "a person, who raises the quota or deletes other objects"},
          {"text", "the creation of pod worker-0, which has failed once: "
                   "exceeded quota: pods; it is tried again in 5s"},
          {"what", "the creation of pod worker-0"},
          {"how", "which has failed once"},
          {"details", "exceeded quota: pods"},
          {"then", "it is tried again"}}));
  f.send(f.subject, f.seen(make_job().workers(1).suspended(), 2));
  BOOST_TEST(f.report()["waitingFor"]["row"] == "resume");
}

BOOST_AUTO_TEST_CASE(a_report_says_who_can_act_on_a_failed_status_write) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1)));
  for (const auto& child : {pod("worker", 0), service("worker", 0)})
    f.send(f.subject, f.seen(child_builder{child}.running()));
  f.accept_all("create");
  f.answer("patch tfjobs/status job",
           k8s::failure{k8s::ec::unauthenticated, "Unauthorized"});
  auto report = f.report();
  BOOST_TEST(report["statusWriter"]["lastFailure"] == "Unauthorized");
  BOOST_TEST(report["waitingFor"]["row"] == "failed-status-write");
  BOOST_TEST(report["waitingFor"]["whoseMove"] == "person");
}

BOOST_AUTO_TEST_CASE(a_report_contains_when_a_finished_job_is_deleted) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1).ttl(60), 1, succeeded_status));
  BOOST_TEST(f.report()["deletedAt"] == "2026-02-02T02:41:00Z");
}

BOOST_AUTO_TEST_CASE(the_place_in_a_queue_is_told_as_soon_as_it_is_known) {
  supervisor_fixture f;
  f.options->cluster.queueing.on = true;
  std::const_pointer_cast<actor_context>(f.context)->queue_news =
      f.spawn(queue_news_reader, f.context);
  auto job = make_queued_job().workers(2).suspended();
  f.send(f.subject, f.seen(job));
  auto workload = workload_builder{job}.waiting("no room").object();
  f.send(f.subject, child_seen{core::child_kind::workload,
                               std::make_shared<k8s::object>(workload), 1});
  f.accept_all("patch");
  auto summary = [&] { return ask_for_tree(f)["summary"]; };
  BOOST_TEST(summary() == "waits for queue q of Kueue: no room");
  BOOST_TEST(f.report()["queueing"]["podsHeldBack"] == 2);
  f.advance(60s);
  f.accept_all("patch");
  f.answer("get localqueues",
           std::string{R"({"spec": {"clusterQueue": "cq"}})"});
  f.answer("get clusterqueues cq", std::string{"{}"});
  f.answer("get localqueues",
           json{{"items",
                 {{{"metadata", {{"name", workload.meta.name}}},
                   {"positionInLocalQueue", 2},
                   {"positionInClusterQueue", 11}}}}}
               .dump());
  BOOST_TEST(f.report()["queueing"]["place"] == 3);
  BOOST_TEST(summary() == "number 3 in queue q of Kueue: no room");
}

BOOST_AUTO_TEST_SUITE_END()
