#include "actors/jobs/job_supervisor.hpp"
#include "frameworks/core/pass/reconcile_context.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(job_supervisor_test)

namespace {

const auto* const tf = frameworks::find("TFJob");

/// The supervisor of a TFJob, with its replica groups.
struct supervisor_fixture : single_actor_fixture {
  explicit supervisor_fixture(bool recover = false,
                              const core::framework* kind = tf)
      : subject(
          spawn(job_supervisor, context,
                supervisor_config{std::make_shared<job_reference>(job_reference{
                                      kind, "ns", "job", "job-uid"}),
                                  recover})) {
    run();
  }

  static job_seen seen(const job_builder& job, int version = 1,
                       const char* status = "null") {
    auto o = job.object();
    o.meta.resource_version = static_cast<std::uint64_t>(version);
    o.meta.generation = version;
    std::get<k8s::spec_and_status_state>(o.state).status = status;
    return {tf, std::make_shared<k8s::object>(o), 1};
  }

  static child_seen seen(const child_builder& child) {
    return {child.what(),
            std::make_shared<k8s::object>(child.object(make_job().workers(9))),
            1};
  }

  /// Answers calls of this verb until none waits; what they were.
  strings accept_all(const std::string& verb) {
    strings result;
    for (;;) {
      auto all = waiting();
      auto i = std::find_if(all.begin(), all.end(), [&](const auto& c) {
        return c.rfind(verb, 0) == 0;
      });
      if (i == all.end())
        return result;
      result.push_back(*i);
      accept(*i);
    }
  }

  bool recorded(const std::string& reason) {
    return std::count(events.begin(), events.end(), reason) > 0;
  }

  json report() { return ask(subject, get_report{}); }

  std::string last_condition() {
    auto all = report()["status"]["conditions"];
    return all.empty() ? "" : all.back()["type"].get<std::string>();
  }

  job_supervisor_actor subject;
};

/// The job, as a read of it is answered.
std::string job_text(const job_builder& job, int version) {
  return json{{"metadata",
               {{"name", "job"},
                {"namespace", "ns"},
                {"uid", "job-uid"},
                {"generation", version},
                {"resourceVersion", std::to_string(version)}}},
              {"spec", const_cast<job_builder&>(job).spec()}}
      .dump();
}

const char* const succeeded = R"({"conditions":[
  {"type":"Created","status":"True"},{"type":"Succeeded","status":"True"}],
  "startTime":"2026-02-02T02:40:00Z","completionTime":"2026-02-02T02:40:00Z"})";

} // namespace

BOOST_AUTO_TEST_CASE(facts_that_arrive_together_cause_one_pass) {
  supervisor_fixture f;
  caf::anon_send(f.subject, f.seen(make_job().workers(3)));
  for (int i : {0, 1})
    for (auto child : {pod("worker", i), service("worker", i)})
      caf::anon_send(f.subject, f.seen(child.running()));
  f.run();
  BOOST_TEST(f.report()["passes"] == 1);
  strings expected{"create pods job-worker-2", "create services job-worker-2"};
  BOOST_TEST(f.accept_all("create") == expected, per_element());
}

BOOST_AUTO_TEST_CASE(it_begins_with_all_that_is_known) {
  supervisor_fixture f;
  auto begun =
      f.spawn(job_supervisor, f.context,
              supervisor_config{std::make_shared<job_reference>(
                                    job_reference{tf, "ns", "job", "job-uid"}),
                                false,
                                {f.seen(pod("worker", 0).running()),
                                 f.seen(service("worker", 0))},
                                f.seen(make_job().workers(1))});
  f.run();
  BOOST_TEST(f.ask(begun, get_report{})["passes"] == 1);
  BOOST_TEST(f.waiting() == strings{"patch tfjobs/status job"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_status_that_creations_add_to_is_written_after_them) {
  static const auto kind = [] {
    auto f = *tf;
    f.own.reconcile_job = [](core::reconcile_context& ctx, const auto& seen) {
      ctx.set_condition("Created", true, "Created", "");
      bool made = !seen.pods().empty();
      ctx.result.status_awaits_creations = !made;
      if (!made)
        ctx.plan_creation_unless_blocked(
            core::create_child{core::child_kind::pod, {"worker", 0}, ""});
    };
    return f;
  }();
  supervisor_fixture f{false, &kind};
  f.send(f.subject, f.seen(make_job().workers(1)));
  BOOST_TEST(f.waiting() == strings{"create pods job-worker-0"}, per_element());
  f.accept_all("create");
  BOOST_TEST(f.waiting() == strings{"patch tfjobs/status job"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_job_of_another_operator_is_left_alone_while_that_lives) {
  static const auto kind = [] {
    auto f = *tf;
    f.names.other_operator_lease = "mpi-operator";
    return f;
  }();
  supervisor_fixture f{false, &kind};
  f.other->set_reason(unknown_operator_reason("mpi-operator"));
  f.send(f.subject, f.seen(make_job().workers(1)));
  BOOST_TEST(f.waiting().empty());
  BOOST_TEST(f.report()["summary"]
             == "is left alone: whether mpi-operator runs is not known yet");
  BOOST_TEST(!f.recorded("TFJobLeftToOther"));
  f.other->set_reason("mpi-operator runs");
  for (int i = 0; i < 2; ++i)
    f.send(f.subject, atom::other_operator::value);
  BOOST_TEST(f.waiting().empty());
  BOOST_TEST(f.report()["waitingFor"]["row"] == "other-operator");
  BOOST_TEST(f.report()["waitingFor"]["details"] == "mpi-operator runs");
  // Also when the job changes; it is told once.
  f.send(f.subject, f.seen(make_job().workers(2), 2));
  BOOST_TEST(f.waiting().empty());
  BOOST_TEST(std::count(f.events.begin(), f.events.end(), "TFJobLeftToOther")
             == 1);
  f.other->set_reason("");
  f.send(f.subject, atom::other_operator::value);
  BOOST_TEST(f.waits("create pods job-worker-0"));
  BOOST_TEST(f.waits("create pods job-worker-1"));
  // What waits is not sent any more, what was sent is.
  f.other->set_reason("mpi-operator runs");
  f.send(f.subject, atom::other_operator::value);
  BOOST_TEST(f.report()["summary"] == "is left alone: mpi-operator runs");
  BOOST_TEST(std::count(f.events.begin(), f.events.end(), "TFJobLeftToOther")
             == 2);
}

BOOST_AUTO_TEST_CASE(another_operator_is_nothing_to_other_kinds) {
  supervisor_fixture f;
  f.other->set_reason("mpi-operator runs");
  f.send(f.subject, f.seen(make_job().workers(1)));
  BOOST_TEST(f.waits("create pods job-worker-0"));
}

BOOST_AUTO_TEST_CASE(an_older_version_of_the_job_changes_nothing) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1), 5));
  f.send(f.subject, f.seen(make_job().workers(1).suspended(), 4));
  BOOST_TEST(f.report()["passes"] == 1);
  f.send(f.subject, f.seen(make_job().workers(1).suspended(), 6));
  BOOST_TEST(f.last_condition() == "Suspended");
}

BOOST_AUTO_TEST_CASE(a_job_that_cannot_be_read_is_told_and_goes_on_as_it_was) {
  supervisor_fixture f;
  auto unreadable = [&](int version) {
    auto o = make_job().object();
    o.meta.resource_version = static_cast<std::uint64_t>(version);
    o.state = k8s::unreadable_state{"it is nested too deeply", true};
    return job_seen{tf, std::make_shared<k8s::object>(o), 1};
  };
  f.send(f.subject, unreadable(1));
  BOOST_TEST(f.recorded("TFJobFailedValidation"));
  BOOST_TEST(f.report()["passes"] == 0);
  BOOST_TEST(f.report()["summary"]
             == "cannot be decoded: the object cannot be read: it is nested "
                "too deeply");
  f.send(f.subject, f.seen(make_job().workers(1), 2));
  f.answer("get tfjobs job", job_text(make_job().workers(1), 2));
  f.answer("list pods", list_text(9));
  f.answer("list services", list_text(9));
  BOOST_TEST(f.waits("create pods job-worker-0"));
  auto status = f.report()["status"];
  f.send(f.subject, unreadable(3));
  BOOST_TEST(f.report()["status"] == status);
  BOOST_TEST(f.waits("create pods job-worker-0"));
}

// A deadline of days would keep it as long.
BOOST_AUTO_TEST_CASE(nothing_of_a_job_that_has_gone_waits_for_its_timers) {
  supervisor_fixture f;
  auto job = make_job().workers(1);
  job.active_deadline(864000);
  f.send(f.subject, f.seen(job, 1, R"({"startTime":"2026-02-02T02:40:00Z"})"));
  f.accept_all("create");
  f.accept_all("patch");
  auto timers = [&] {
    return f.ask(f.context->timers, get_report{})["timers"];
  };
  BOOST_TEST(timers() == 1);
  auto weak = f.subject.address();
  f.send(f.subject, atom::job_removed::value);
  f.subject = nullptr;
  BOOST_TEST(timers() == 0);
  BOOST_TEST(!caf::actor_cast<caf::strong_actor_ptr>(weak));
}

BOOST_AUTO_TEST_CASE(a_new_spec_cancels_the_creations_that_were_not_sent) {
  supervisor_fixture f;
  f.options->group_window_first = f.options->group_window_most = 1;
  f.send(f.subject, f.seen(make_job().workers(3)));
  f.send(f.subject, f.seen(make_job().workers(1), 2));
  auto created = f.accept_all("create");
  std::sort(created.begin(), created.end());
  strings expected{"create pods job-worker-0", "create services job-worker-0"};
  BOOST_TEST(created == expected, per_element());
}

BOOST_AUTO_TEST_CASE(a_successor_reads_everything_before_it_decides) {
  supervisor_fixture f{true};
  auto job = make_job().workers(2);
  f.send(f.subject, f.seen(job));
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
  f.answer("get tfjobs job", job_text(job, 2));
  auto lists = f.waiting();
  std::sort(lists.begin(), lists.end());
  strings expected{"list pods", "list services"};
  BOOST_TEST(lists == expected, per_element());
  f.answer("list pods", list_text(9, {object_text("job-worker-0", "uid", 5,
                                                  worker_meta(0))}));
  BOOST_TEST(f.report()["passes"] == 0);
  f.answer("list services", list_text(9));
  BOOST_TEST(f.report()["passes"] == 1);
  BOOST_TEST(!f.waits("create pods job-worker-0"));
  BOOST_TEST(f.waits("create pods job-worker-1"));
  BOOST_TEST(f.waits("create services job-worker-0"));
}

BOOST_AUTO_TEST_CASE(a_recovery_that_failed_starts_again_after_a_delay) {
  supervisor_fixture f{true};
  for (auto delay : {50ms, 100ms, 200ms}) {
    f.answer("get tfjobs job", job_text(make_job().workers(1), 2));
    f.fail_call("list pods", k8s::ec::server_error);
    f.answer("list services", list_text(9)); // Too late.
    f.advance(delay - 1ms);
    BOOST_TEST(f.calls.empty());
    f.advance(1ms);
    BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
  }
  f.fail_call("get tfjobs job", k8s::ec::timeout);
  f.advance(400ms);
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
  BOOST_TEST(f.report()["passes"] == 0);
}

BOOST_AUTO_TEST_CASE(a_recovery_starts_again_though_the_clock_is_set_back) {
  supervisor_fixture f{true};
  f.answer("get tfjobs job", job_text(make_job().workers(1), 2));
  f.fail_call("list pods", k8s::ec::server_error);
  f.answer("list services", list_text(9)); // Too late.
  f.set_back = 1h;
  f.advance(50ms);
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_job_of_the_same_name_is_not_taken_for_its_own) {
  supervisor_fixture f{true};
  auto other = json::parse(job_text(make_job().workers(1), 2));
  other["metadata"]["uid"] = "other";
  f.answer("get tfjobs job", other.dump());
  f.advance(1h);
  BOOST_TEST(f.calls.empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_was_corrected_is_recovered) {
  supervisor_fixture f;
  auto wrong = make_job();
  wrong.spec() = "none";
  f.send(f.subject, f.seen(wrong));
  BOOST_TEST(f.events == strings{"TFJobFailedValidation"}, per_element());
  f.send(f.subject, f.seen(pod("worker", 0))); // Cannot be recorded.
  BOOST_TEST(f.calls.empty());
  f.send(f.subject, f.seen(make_job().workers(1), 2));
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_creation_that_failed_is_repeated_after_a_delay) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1)));
  f.fail_call("create pods", k8s::ec::forbidden);
  BOOST_TEST(f.recorded("FailedCreatePod"));
  f.accept_all("create");
  f.accept_all("patch");
  f.advance(4'999ms);
  BOOST_TEST(!f.waits("create pods job-worker-0"));
  f.advance(1ms);
  BOOST_TEST(f.waits("create pods job-worker-0"));
}

BOOST_AUTO_TEST_CASE(a_creation_is_repeated_though_the_clock_is_set_back) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1)));
  f.fail_call("create pods", k8s::ec::forbidden);
  f.accept_all("create");
  f.accept_all("patch");
  f.set_back = 1h;
  f.advance(5s);
  BOOST_TEST(f.waits("create pods job-worker-0"));
}

BOOST_AUTO_TEST_CASE(a_deadline_is_met_to_the_second) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1).active_deadline(60)));
  f.accept_all("create");
  f.accept_all("patch");
  f.advance(59'999ms);
  BOOST_TEST(f.last_condition() != "Failed");
  f.advance(1ms);
  BOOST_TEST(f.last_condition() == "Failed");
}

BOOST_AUTO_TEST_CASE(a_status_conflict_reads_the_job_and_writes_again) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1).suspended()));
  f.fail_call("patch tfjobs/status", k8s::ec::conflict);
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
  BOOST_TEST(!f.recorded("TFJobSuspended")); // Not before it is saved.
  f.answer("get tfjobs job", job_text(make_job().workers(1).suspended(), 7));
  auto body = json::parse(f.find_call("patch tfjobs/status").request->body);
  BOOST_TEST(body[1]["path"] == "/metadata/resourceVersion");
  BOOST_TEST(body[1]["value"] == "7");
  f.accept("patch tfjobs/status");
  BOOST_TEST(f.recorded("TFJobSuspended"));
}

BOOST_AUTO_TEST_CASE(a_job_that_was_not_found_is_read_again) {
  // A server that is starting answers so before it has loaded its CRDs. Of a
  // job that is gone the directory hears by the watch, and stops this actor.
  for (bool recovering : {false, true}) {
    supervisor_fixture f{recovering};
    if (!recovering) {
      f.send(f.subject, f.seen(make_job().workers(1).suspended()));
      f.fail_call("patch tfjobs/status", k8s::ec::conflict);
    }
    for (auto delay : {50ms, 100ms, 200ms}) {
      f.fail_call("get tfjobs job", k8s::ec::not_found);
      f.advance(delay - 1ms);
      BOOST_TEST(f.calls.empty());
      f.advance(1ms);
      BOOST_REQUIRE(f.waiting() == strings{"get tfjobs job"});
    }
    f.answer("get tfjobs job", job_text(make_job().workers(1).suspended(), 7));
    BOOST_TEST((recovering || f.waits("patch tfjobs/status job")));
    BOOST_TEST((!recovering || f.waits("list pods")));
  }
}

BOOST_AUTO_TEST_CASE(a_deletion_of_a_job_that_was_not_found_is_repeated) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1).ttl(30), 1, succeeded));
  f.advance(30s);
  f.fail_call("delete tfjobs job", k8s::ec::not_found);
  BOOST_TEST(!f.recorded("FailedDeleteJob"));
  BOOST_TEST(!f.recorded("SuccessfulDeleteJob"));
  f.advance(50ms);
  BOOST_TEST(f.waits("delete tfjobs job"));
}

BOOST_AUTO_TEST_CASE(a_finished_job_is_deleted_when_its_time_is_over) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1).ttl(30), 1, succeeded));
  f.advance(29s);
  BOOST_TEST(!f.waits("delete tfjobs job"));
  f.advance(1s);
  auto body = json::parse(f.find_call("delete tfjobs job").request->body);
  BOOST_TEST(body["preconditions"]["uid"] == "job-uid");
  f.fail_call("delete tfjobs job", k8s::ec::server_error);
  BOOST_TEST(f.recorded("FailedDeleteJob"));
  f.advance(50ms);
  f.answer("delete tfjobs job", std::string{"{}"});
  BOOST_TEST(f.recorded("SuccessfulDeleteJob"));
  f.advance(4min);
  BOOST_TEST(!f.waits("delete tfjobs job"));
  f.advance(1min); // The watch has still not reported the deletion.
  BOOST_TEST(f.waits("delete tfjobs job"));
}

BOOST_AUTO_TEST_CASE(a_deletion_that_the_watch_reports_first_is_recorded) {
  for (bool gone : {true, false}) {
    supervisor_fixture f;
    f.advance(48h);
    f.send(f.subject, f.seen(make_job().workers(1).ttl(30), 1, succeeded));
    BOOST_REQUIRE(f.waits("delete tfjobs job"));
    if (gone)
      caf::anon_send(f.subject, atom::job_removed::value);
    else // The operator ends, or no longer leads.
      caf::anon_send_exit(f.subject, caf::exit_reason::user_shutdown);
    f.run();
    BOOST_TEST(f.recorded("SuccessfulDeleteJob") == gone);
    BOOST_TEST(!f.is_alive(f.subject));
  }
}

BOOST_AUTO_TEST_CASE(it_fails_with_its_replica_group) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1)));
  BOOST_TEST(f.is_alive(f.subject));
  f.fail(f.find_call("create pods").caller);
  BOOST_TEST(!f.is_alive(f.subject));
}

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
  f.send(f.subject, f.seen(make_job().workers(1).ttl(60), 1, succeeded));
  BOOST_TEST(f.report()["deletedAt"] == "2026-02-02T02:41:00Z");
}

BOOST_AUTO_TEST_SUITE_END()
