#include "frameworks/core/pass/reconcile_context.hpp"
#include "tests/actors/jobs/supervisor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(job_supervisor_test)

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
              supervisor_config{std::make_shared<job_reference>(job_reference{
                                    tf_kind, "ns", "job", "job-uid"}),
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
    auto f = *tf_kind;
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

BOOST_AUTO_TEST_CASE(what_stays_wrong_is_told_when_it_is_new) {
  static std::string wrong;
  static const auto kind = [] {
    auto f = *tf_kind;
    f.own.reconcile_job = [](core::reconcile_context& ctx, const auto&) {
      if (!wrong.empty())
        ctx.result.standing_warning = core::job_event{true, "Wrong", wrong};
    };
    return f;
  }();
  supervisor_fixture f{false, &kind};
  int version = 0;
  auto told_after = [&](const char* now) {
    wrong = now;
    f.send(f.subject, f.seen(make_job().workers(1), ++version));
    return std::count(f.events.begin(), f.events.end(), "Wrong");
  };
  BOOST_TEST(told_after("") == 0);
  BOOST_TEST(told_after("a") == 1);
  BOOST_TEST(told_after("a") == 1);
  BOOST_TEST(told_after("b") == 2);
  BOOST_TEST(told_after("") == 2);
  BOOST_TEST(told_after("b") == 3);
}

BOOST_AUTO_TEST_CASE(a_job_of_another_operator_is_left_alone_while_that_lives) {
  static const auto kind = [] {
    auto f = *tf_kind;
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
    return job_seen{tf_kind, std::make_shared<k8s::object>(o), 1};
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

BOOST_AUTO_TEST_CASE(a_deletion_of_a_job_that_was_not_found_is_repeated) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1).ttl(30), 1, succeeded_status));
  f.advance(30s);
  f.fail_call("delete tfjobs job", k8s::ec::not_found);
  BOOST_TEST(!f.recorded("FailedDeleteJob"));
  BOOST_TEST(!f.recorded("SuccessfulDeleteJob"));
  f.advance(50ms);
  BOOST_TEST(f.waits("delete tfjobs job"));
}

BOOST_AUTO_TEST_CASE(a_finished_job_is_deleted_when_its_time_is_over) {
  supervisor_fixture f;
  f.send(f.subject, f.seen(make_job().workers(1).ttl(30), 1, succeeded_status));
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
    f.send(f.subject,
           f.seen(make_job().workers(1).ttl(30), 1, succeeded_status));
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

BOOST_AUTO_TEST_SUITE_END()
