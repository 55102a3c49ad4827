#include "frameworks/core/queueing/workload_comparison.hpp"
#include "tests/frameworks/core/queueing/queue_course_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <vector>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(queue_course_test)

namespace {

using change = std::function<void(course_fixture&)>;

const change none = [](course_fixture&) {};
const change live = [](course_fixture& f) { f.v.live_pods = 1; };
const change may_get = [](course_fixture& f) { f.v.may_get_pods = true; };
const change deleted = [](course_fixture& f) { f.j.deleting = true; };
const change looked_up = [](course_fixture& f) {
  f.v.looked_up_in_vain = true;
};
const change cannot = [](course_fixture& f) { f.v.held_because = "no Kueue"; };
const change ended = [](course_fixture& f) {
  f.v.ended = f.v.succeeded = f.v.cleaned_up = true;
  f.v.end_message = "done";
};
const change ends = [](course_fixture& f) { // Pods are still deleted.
  ended(f);
  f.v.cleaned_up = false;
  f.v.live_pods = 1;
};
const change leaves_pods = [](course_fixture& f) {
  ended(f);
  f.v.live_pods = 1;
};

job_builder plain() {
  return make_queued_job().workers(2).servers(1);
}

job_builder suspended() {
  return plain().suspended();
}

workload_builder workload() {
  return workload_builder{suspended()};
}

/// It runs with what was granted.
job_builder running() {
  return with_grant(suspended(), workload().admitted());
}

workload_builder reported() {
  return workload().admitted().pods_ready(false, "WaitForStart");
}

struct row {
  const char* what;
  job_builder job;
  std::optional<workload_builder> workload;
  change also;
  const char* next;
};

void check(const std::vector<row>& rows) {
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.what) {
      course_fixture f{r.job};
      f.v.pods = {false, "WaitForStart", {}};
      if (r.workload)
        f.workload = view_of(*r.workload);
      r.also(f);
      BOOST_TEST(f.next() == r.next);
    }
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(a_job_without_a_workload_asks_when_it_has_no_pods) {
  check({
      {"new", plain(), {}, none, "hold: suspend the job"},
      {"suspended", suspended(), {}, none, "hold: ask for quota"},
      {"with pods", suspended(), {}, live, "hold"},
      {"about to get pods", suspended(), {}, may_get, "hold"},
      {"it ran, by Kueue", running(), {}, none, "wait, looks up"},
      {"nothing found", running(), {}, looked_up, "hold: suspend the job"},
      {"ended", suspended(), {}, ended, "run"},
      {"being deleted", plain(), {}, deleted, "run"},
      {"cannot ask", plain(), {}, cannot, "hold: suspend the job"},
      {"cannot ask, suspended", suspended(), {}, cannot, "hold"},
      {"cannot ask, ran", running(), {}, cannot, "hold: suspend the job"},
      {"cannot ask, ended",
       plain(),
       {},
       [](auto& f) {
         ended(f);
         cannot(f);
       },
       "run"},
  });
}

BOOST_AUTO_TEST_CASE(a_job_waits_until_it_is_admitted) {
  auto other = suspended().workers(3);
  check({
      {"waits", suspended(), workload(), none, "hold"},
      {"refused", suspended(), workload().waiting(), none, "hold"},
      {"resumed by a person", plain(), workload(), none,
       "hold: suspend the job"},
      {"resumed while it has pods", plain(), workload(), live,
       "hold: suspend the job"},
      {"asks for other", other, workload(), none, "hold: ask for other quota"},
      {"asks for other, has pods", other, workload(), live, "hold"},
      {"asks for other, with quota", other, workload().reserved(), none,
       "hold: let go"},
      {"asks for other, with quota and pods", other, workload().reserved(),
       live, "hold"},
      {"made by Kueue", suspended(), workload().made_by_kueue(), none,
       "hold: take over"},
      {"made by Kueue, other", other, workload().made_by_kueue(), none,
       "hold: take over"},
      {"checks pending", suspended(), workload().reserved(), none, "hold"},
      {"what was granted is still in it", running().suspended(), workload(),
       none, "hold: suspend the job"},
  });
}

BOOST_AUTO_TEST_CASE(an_admitted_job_starts_when_it_has_no_pods) {
  auto admitted = workload().admitted();
  auto kueues = workload().made_by_kueue().admitted();
  auto changed = plain();
  changed.pod_template("Worker")["metadata"]["labels"]["a"] = "b";
  check({
      {"starts", suspended(), admitted, none, "hold: start the job"},
      {"has pods", suspended(), admitted, live, "hold"},
      {"may get pods", suspended(), admitted, may_get, "hold"},
      {"of Kueue", suspended(), kueues, none, "hold: start the job"},
      {"other size", suspended().workers(3), admitted, none, "hold: let go"},
      {"other queue", suspended().label("kueue.x-k8s.io/queue-name", "r"),
       admitted, none, "hold: let go"},
      {"other size, let go", suspended().workers(3),
       workload().admitted().without_finalizer(), none, "hold: delete"},
      {"other size, has pods", suspended().workers(3), admitted, live, "hold"},
      {"suspended by a person", running().suspended(), admitted, live, "hold"},
      {"suspended by a person, no pods", running().suspended(), admitted, none,
       "hold: start the job"},
      {"resumed, and nothing was written", plain(), admitted, none,
       "wait: start the job"},
      {"changed and resumed, and nothing was written", changed, admitted, none,
       "hold: suspend the job"},
      {"changed and resumed, has pods", changed, admitted, live,
       "wait: start the job"},
  });
}

BOOST_AUTO_TEST_CASE(a_running_job_reports_its_pods) {
  auto one_replaced = running();
  one_replaced.types()["PS"] = plain().types()["PS"];
  check({
      {"first report", running(), workload().admitted(), live,
       "run: report the pods"},
      {"nothing new", running(), reported(), live, "run"},
      {"ready", running(), reported(),
       [](auto& f) {
         f.v.pods = {true, "Started", {}};
       },
       "run: report the pods"},
      {"returned", running(), reported(),
       [](auto& f) {
         f.v.pods.returned = {{"worker", 1}};
       },
       "run: report the pods"},
      {"of Kueue", running(), workload().made_by_kueue().admitted(), live,
       "run: take over"},
      {"a template was replaced", one_replaced, reported(), live,
       "wait: start the job"},
      {"smaller", running().workers(1), reported(), live,
       "run: ask for less quota"},
      {"larger", running().workers(3), reported(), live,
       "hold: suspend the job"},
      {"larger and smaller", running().workers(3).servers(0), reported(), live,
       "hold: suspend the job"},
      {"another type", running().chief(), reported(), live,
       "hold: suspend the job"},
      {"larger, held", running().workers(3).suspended(), reported(), none,
       "hold: start the job"},
  });
}

BOOST_AUTO_TEST_CASE(a_running_job_may_name_another_class) {
  constexpr const char* class_of = "kueue.x-k8s.io/priority-class";
  auto of = [&](const char* name) { return plain().label(class_of, name); };
  auto workload_of = [&](const job_builder& b) {
    auto w = workload_builder{b}.admitted();
    return w.pods_ready(false, "WaitForStart");
  };
  auto named = workload_of(of("high"));
  auto job = [&](const job_builder& b) { return with_grant(b, named); };
  auto of_pods = plain().policy("schedulingPolicy", {{"priorityClass", "p"}});
  check({
      {"the same", job(of("high")), named, live, "run"},
      {"another", job(of("low")), named, live,
       "run: ask with another priority"},
      {"another, pods to tell of", job(of("low")),
       workload_builder{of("high")}.admitted(), live, "run: report the pods"},
      {"none any more", job(plain()), named, live, "run"},
      {"added", job(of("high")), reported(), live, "run"},
      {"that of its pods before", with_grant(of("high"), workload_of(of_pods)),
       workload_of(of_pods), live, "run"},
  });
}

BOOST_AUTO_TEST_CASE(an_evicted_job_gives_its_quota_back_after_the_last_pod) {
  auto evicted = reported().evicted();
  auto released = workload().waiting().evicted();
  check({
      {"runs", running(), evicted, live, "hold: suspend the job"},
      {"suspended, has pods", suspended(), evicted, live, "hold"},
      {"may get pods", suspended(), evicted, may_get, "hold"},
      {"no pods", suspended(), evicted, none, "hold: give the quota back"},
      {"suspended by a person", running().suspended(), evicted, none,
       "hold: suspend the job"},
      {"reserved only", suspended(), workload().reserved().evicted(), none,
       "hold: give the quota back"},
      {"released", suspended(), released, none, "hold"},
      {"released, resumed by a person", plain(), released, none,
       "hold: suspend the job"},
      {"released, asks for other", suspended().workers(3), released, none,
       "hold: ask for other quota"},
      {"deactivated without quota", suspended(),
       workload().evicted("Deactivated"), none, "hold"},
      {"admitted again", suspended(),
       workload().admitted().condition("Evicted", false), none,
       "hold: start the job"},
  });
}

BOOST_AUTO_TEST_CASE(an_ended_job_finishes_after_its_clean_up) {
  auto finished = workload().admitted().finished();
  check({
      {"pods are deleted", running(), reported(), ends, "run"},
      {"cleaned up", running(), reported(), ended, "run: finish"},
      {"leaves pods on purpose", running(), reported(), leaves_pods,
       "run: finish"},
      {"finished", running(), finished, ended, "run: let go"},
      {"all done", running(), workload().finished().without_finalizer(), ended,
       "run"},
      {"evicted at the end", running(), reported().evicted(), ended,
       "run: finish"},
      {"being deleted", running(), reported().deleting(), ended, "run: let go"},
      {"being deleted, pods are deleted", running(), reported().deleting(),
       ends, "run"},
      {"being deleted, leaves pods", running(), reported().deleting(),
       leaves_pods, "run: let go"},
  });
  course_fixture f{running(), reported()};
  ended(f);
  auto order = *f.step().order;
  BOOST_TEST(order.reason == "Succeeded");
  BOOST_TEST(order.message == "done");
  f.v.succeeded = false;
  BOOST_TEST(f.step().order->reason == "Failed");
}

BOOST_AUTO_TEST_CASE(a_workload_that_somebody_finished_is_final) {
  auto finished = workload().finished("FailedToStart");
  check({
      {"held", suspended(), finished, none, "hold"},
      {"runs", running(), finished, live, "hold: suspend the job"},
      {"asks for other", suspended().workers(3), finished, none,
       "hold: let go"},
      {"asks for other, let go", suspended().workers(3),
       workload().finished().without_finalizer(), none, "hold: delete"},
      {"asks for other, resumed", plain().workers(3), finished, none,
       "hold: suspend the job"},
      {"asks for other, has pods", suspended().workers(3), finished, live,
       "hold"},
      {"made by Kueue", suspended(), workload().made_by_kueue().finished(),
       none, "hold"},
      {"made by Kueue, of another size", suspended().workers(3),
       workload().made_by_kueue().finished(), none, "hold: let go"},
  });
}

BOOST_AUTO_TEST_CASE(a_deleted_workload_or_job_is_let_go_after_the_last_pod) {
  auto leaves = reported().deleting();
  check({
      {"runs", running(), leaves, live, "hold: suspend the job"},
      {"has pods", suspended(), leaves, live, "hold"},
      {"no pods", suspended(), leaves, none, "hold: let go"},
      {"let go", suspended(), workload().deleting().without_finalizer(), none,
       "hold"},
      {"evicted", suspended(), reported().evicted().deleting(), none,
       "hold: let go"},
      {"the job too, has pods", running().deleting(), leaves, live, "run"},
      {"the job too, may get pods", running().deleting(), leaves, may_get,
       "run"},
      {"the job too", running().deleting(), leaves, none, "run: let go"},
      {"only the job", running().deleting(), reported(), none, "run"},
  });
}

BOOST_AUTO_TEST_CASE(orders_name_what_was_looked_at) {
  course_fixture f{suspended().workers(3), workload().version(9)};
  auto order = *f.step().order;
  BOOST_TEST(order.name == core::workload_name(f.j));
  BOOST_TEST(order.uid == "workload");
  BOOST_TEST(order.version == 9u);
  BOOST_TEST(order.content_hash == core::hash_of_asked_content(f.j));
  BOOST_TEST((order.decided == base_time));
  course_fixture fresh{suspended()};
  order = *fresh.step().order;
  BOOST_TEST(order.uid == "");
  BOOST_TEST(order.name == core::workload_name(fresh.j));
  BOOST_TEST(order.content_hash == core::hash_of_asked_content(fresh.j));
}

BOOST_AUTO_TEST_CASE(the_summary_says_why_a_job_waits) {
  auto summary = [](const workload_builder& w) {
    return course_fixture{suspended(), w}.step().summary;
  };
  BOOST_TEST(course_fixture{suspended()}.step().summary
             == "waits for queue q of Kueue");
  BOOST_TEST(summary(workload().waiting("no cpu"))
             == "waits for queue q of Kueue: no cpu");
  auto inactive = workload();
  inactive.body()["spec"]["active"] = false;
  BOOST_TEST(summary(inactive)
             == "waits for queue q of Kueue: its Workload is not active");
  auto checked = workload().reserved();
  checked.status()["admissionChecks"] = {
      {{"name", "c"}, {"state", "Pending"}, {"message", "soon"}}};
  BOOST_TEST(summary(checked)
             == "waits for queue q of Kueue: admission check c: soon");
  BOOST_TEST(summary(reported().evicted())
             == "Kueue has evicted it (Preempted): to make room");
  BOOST_TEST(summary(workload().finished("FailedToStart"))
             == "its Workload is finished (FailedToStart): it has ended");
}

// Of each of very many states.
BOOST_AUTO_TEST_CASE(no_order_is_given_too_early) {
  const job_builder jobs[] = {plain(),
                              suspended(),
                              running(),
                              running().suspended(),
                              running().workers(3),
                              suspended().workers(1),
                              running().deleting()};
  for (const auto& b : jobs)
    for (int bits = 0; bits < 1 << 9; ++bits) {
      auto is = [&](int i) { return (bits >> i & 1) != 0; };
      auto w = is(0) ? is(1) ? workload().admitted() : workload().reserved()
                     : workload();
      if (is(2))
        w.evicted();
      if (is(3))
        w.finished();
      if (is(4))
        w.deleting();
      if (is(5))
        w.without_finalizer();
      course_fixture f{b, w};
      f.v.live_pods = is(6) ? 1 : 0;
      f.v.may_get_pods = is(7);
      f.v.ended = is(8);
      f.v.cleaned_up = !is(6);
      auto step = f.step();
      if (!step.order)
        continue;
      BOOST_TEST_CONTEXT(b.whole().dump() << " " << w.text() << " "
                                          << course_fixture::text(step)) {
        using action = core::queue_action;
        bool pods = is(6) || is(7);
        auto what = step.order->what;
        bool puts_back =
            what == action::start && step.verdict == core::queue_verdict::wait;
        bool gives_up_quota =
            what == action::release || what == action::ask_anew
            || (!is(8) && (what == action::unguard || what == action::remove));
        if (pods) {
          BOOST_TEST((what != action::start || puts_back));
          BOOST_TEST(!gives_up_quota);
        }
        if (what == action::release)
          BOOST_TEST((is(0) && is(2) && !is(3)));
        if (what == action::start)
          BOOST_TEST((is(0) && is(1) && !is(2) && !is(3) && !is(4) && !is(8)));
        if (what == action::finish)
          BOOST_TEST((is(8) && !is(6) && !is(3)));
        // An order that is carried out is not given again.
        if (what == action::hold)
          BOOST_TEST((!f.j.policy.suspend || core::carries_admission(f.j)));
      }
    }
}

BOOST_AUTO_TEST_SUITE_END()
