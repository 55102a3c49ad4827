#include "frameworks/core/pass/queueing.hpp"
#include "tests/fixtures/builders.hpp"
#include "tests/frameworks/core/queueing/queue_course_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(queueing_test)

namespace {

core::cluster_options with_kueue() {
  core::cluster_options c;
  c.queueing.on = true;
  return c;
}

job_builder plain() {
  return make_queued_job().workers(2);
}

workload_builder workload() {
  return workload_builder{plain()};
}

job_builder running() {
  return admitted_job(plain(), workload().admitted());
}

workload_builder reported() {
  return workload().admitted().pods_ready(false, "WaitForStart");
}

struct queue_fixture : job_fixture {
  core::cluster_options cluster = with_kueue();
  int version = 5;

  explicit queue_fixture(const job_builder& b)
      : job_fixture(b) {}

  queue_fixture& see(workload_builder w) {
    if (last_seen != w.text()) {
      last_seen = w.text();
      record_seen(seen, core::child_kind::workload,
                  w.version(++version).object(), j);
    }
    return *this;
  }
  queue_fixture& set_job(const job_builder& b) {
    j = b;
    return *this;
  }
  strings next() {
    last = core::plan(j, seen, open, status, saved, now, cluster);
    status = last.status;
    save();
    return decisions();
  }
  const core::queue_order* order() const {
    for (const auto& d : last.decisions)
      if (const auto* o = std::get_if<core::queue_order>(&d))
        return o;
    return nullptr;
  }

  std::string last_seen;
};

std::string order_text(const char* what) {
  return std::string{what} + ", workload " + core::workload_name(plain());
}

} // namespace

BOOST_AUTO_TEST_CASE(a_held_job_loses_its_pods_and_gets_none) {
  queue_fixture s{running()};
  s.see(reported()).all_services();
  s.observe({pod("worker", 0).running(), pod("worker", 1).running()});
  BOOST_TEST(s.next() == strings{}, per_element());
  s.see(reported().evicted());
  BOOST_TEST(
      s.next()
          == (strings{"delete pod job-worker-0", "delete pod job-worker-1",
                      "delete service job-worker-0",
                      "delete service job-worker-1",
                      order_text("suspend the job")}),
      per_element());
  BOOST_TEST(s.conditions() == "Created Running=False Suspended");
  BOOST_TEST(s.last.summary
             == "Kueue has evicted it (Preempted): to make room");
  s.set_job(plain().suspended()).accept_deletions();
  BOOST_TEST(s.next() == strings{}, per_element()); // Its pods are there.
  s.remove_pods();
  BOOST_TEST(s.next() == strings{order_text("give the quota back")},
             per_element());
  s.see(workload().waiting().evicted());
  BOOST_TEST(s.count_decisions("create") == 0);
  BOOST_TEST(s.next() == strings{}, per_element());
}

BOOST_AUTO_TEST_CASE(a_waiting_job_has_nothing) {
  queue_fixture s{plain()};
  BOOST_TEST(s.next() == strings{order_text("suspend the job")}, per_element());
  BOOST_TEST(s.conditions() == "Created Suspended");
  s.set_job(plain().suspended());
  BOOST_TEST(s.next() == strings{order_text("ask for quota")}, per_element());
  s.see(workload().waiting("no cpu"));
  BOOST_TEST(s.next() == strings{}, per_element());
  BOOST_TEST(s.last.summary == "waits for queue q of Kueue: no cpu");
  s.set_job(plain()); // A person resumes it.
  BOOST_TEST(s.next() == strings{order_text("suspend the job")}, per_element());
  s.set_job(plain().suspended()).see(workload().admitted());
  BOOST_TEST(s.next() == strings{order_text("start the job")}, per_element());
  s.set_job(running());
  s.next();
  BOOST_TEST(s.count_decisions("create pod") == 2);
  BOOST_TEST(s.conditions() == "Suspended=False Created");
}

BOOST_AUTO_TEST_CASE(
    while_it_is_not_known_nothing_is_made_and_nothing_deleted) {
  queue_fixture s{running()};
  s.observe(pod("worker", 0).running());
  s.next();
  BOOST_TEST(s.decisions()
                 == strings{"read workload " + core::workload_name(plain())},
             per_element());
  BOOST_TEST(s.last.summary == "looks for its Workload");
  s.seen.note_looked_up_in_vain(core::child_kind::workload);
  s.next();
  BOOST_TEST(s.count_decisions("delete pod") == 1);

  queue_fixture unknown{plain()};
  unknown.cluster.queueing = {};
  unknown.cluster.queueing.unknown = true;
  unknown.observe(pod("worker", 0).running());
  BOOST_TEST(unknown.next() == strings{}, per_element());
  BOOST_TEST(unknown.last.summary
             == "waits until it is known whether Kueue is there");
}

BOOST_AUTO_TEST_CASE(which_jobs_are_in_a_queue) {
  struct row {
    const char* what;
    job_builder job;
    core::queueing_options options;
    bool queued;
  };
  const core::queueing_options on = with_kueue().queueing;
  auto left = on;
  left.left_to_kueue = {"v1/tfjobs"};
  auto left_other = on;
  left_other.left_to_kueue = {"v1/pytorchjobs"};
  core::queueing_options holds;
  holds.holds = true;
  holds.why_off = "no Kueue";
  auto not_valid = plain();
  not_valid.pod_template("Worker")["spec"]["containers"][0]["name"] = "other";
  const row rows[] = {
      {"with label", plain(), on, true},
      {"without label", make_job().workers(1), on, false},
      {"off", plain(), {}, false},
      {"left to Kueue", plain(), left, false},
      {"other kind left to Kueue", plain(), left_other, true},
      {"only holds", plain(), holds, true},
      {"managed by another",
       plain().policy("managedBy", "kueue.x-k8s.io/multikueue"), on, false},
      {"managed by us",
       plain().policy("managedBy", "kubeflow.org/training-operator"), on, true},
      {"without pods", make_queued_job(), on, false},
      {"not valid", not_valid, on, false},
  };
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.what) {
      job_fixture s{r.job};
      core::cluster_options cluster;
      cluster.queueing = r.options;
      auto step =
          core::find_queue_step(s.j, s.seen, s.open, s.saved, s.now, cluster);
      BOOST_TEST(step.has_value() == r.queued);
    }
  }
  auto owned = plain().get();
  owned.has_controller = true;
  job_fixture s{owned};
  BOOST_TEST(!core::find_queue_step(s.j, s.seen, s.open, s.saved, s.now,
                                    with_kueue()));
  BOOST_TEST(core::name_in_queueing(row_of_kind("TFJob")) == "v1/tfjobs");
  BOOST_TEST(core::is_queueable(row_of_kind("TFJob")));
  BOOST_TEST(!core::is_queueable(row_of_kind("DIJob")));
}

BOOST_AUTO_TEST_CASE(no_type_gets_more_pods_than_were_granted) {
  core::queue_step step;
  auto count = [&](core::queue_verdict verdict,
                   std::vector<core::pod_set_count> most) {
    step.verdict = verdict;
    step.most_pods = std::move(most);
    auto j = core::job_within_queue(plain(), step);
    return j ? std::to_string(j->replicas[0].replicas)
                   + (j->policy.suspend ? " suspended" : "")
             : "unchanged";
  };
  using core::queue_verdict;
  BOOST_TEST(count(queue_verdict::run, {}) == "unchanged");
  BOOST_TEST(count(queue_verdict::run, {{"worker", 1, {}}}) == "1");
  BOOST_TEST(count(queue_verdict::run, {{"worker", 9, {}}}) == "2");
  BOOST_TEST(count(queue_verdict::run, {{"ps", 0, {}}}) == "2");
  BOOST_TEST(count(queue_verdict::hold, {}) == "2 suspended");
  BOOST_TEST(!core::job_within_queue(plain(), std::nullopt));
  BOOST_TEST(!core::job_within_queue(plain().suspended(), step));

  auto elastic = plain().annotation("kueue.x-k8s.io/elastic-job", "true");
  auto first =
      workload_builder{elastic}.admitted().pods_ready(false, "WaitForStart");
  queue_fixture s{admitted_job(elastic, first).workers(5)};
  s.see(first);
  s.next();
  BOOST_TEST(s.count_decisions("create pod") == 2);
  BOOST_TEST(s.count_decisions("ask for more quota") == 1);
}

BOOST_AUTO_TEST_CASE(an_eviction_counts_as_no_restart) {
  auto b = [] { return plain().backoff_limit(1).restart_policy("OnFailure"); };
  auto w = [&] { return workload_builder{b()}; };
  auto on = admitted_job(b(), w().admitted());
  queue_fixture s{on};
  for (int round = 0; round < 4; ++round) {
    s.now += 60s;
    s.set_job(on).see(w().admitted().pods_ready(true, "Started"));
    s.next();
    auto began = s.status.start_time;
    BOOST_TEST((began == s.now));
    auto name = [&](int i) {
      return "worker-" + std::to_string(i) + std::to_string(round);
    };
    s.observe({pod("worker", 0).uid(name(0)).ready(),
               pod("worker", 1).uid(name(1)).ready()});
    s.next();
    BOOST_TEST(s.message_of("Running") != "");
    s.now += 60s;
    s.see(w().admitted().pods_ready(true, "Started").evicted());
    s.next();
    s.set_job(b().suspended());
    // Kubelets report how they end.
    s.observe(
        {pod("worker", 0).uid(name(0)).version(2).failed(137).deleting(),
         pod("worker", 1).uid(name(1)).version(2).failed(137).deleting()});
    s.next();
    BOOST_TEST(s.message_of("Failed") == "");
    s.remove_pods();
    BOOST_TEST(s.next() == strings{order_text("give the quota back")},
               per_element());
    s.see(w().waiting().evicted());
    s.next();
  }
  BOOST_TEST(s.status.recovery->attempt == 0);
  BOOST_TEST(s.conditions() == "Created Running=False Suspended");
  BOOST_TEST(s.status.replicas.at("Worker").failed == 0);
}

BOOST_AUTO_TEST_CASE(an_end_is_told_when_the_clean_up_is_done) {
  for (const char* policy : {"Running", "All", "None"}) {
    auto b = [&] { return plain().servers(1).clean_pod_policy(policy); };
    auto w = workload_builder{b()}.admitted().pods_ready(true, "Started");
    queue_fixture s{admitted_job(b(), w)};
    s.see(w).all_services();
    s.observe({pod("ps", 0).ready(), pod("worker", 0).succeeded(),
               pod("worker", 1).succeeded()});
    s.next();
    BOOST_TEST(s.message_of("Succeeded") != "");
    BOOST_TEST(s.count_decisions("finish") == 0); // Not saved yet.
    s.next();
    bool leaves = std::string{policy} == "None";
    BOOST_TEST(s.count_decisions("finish") == (leaves ? 1 : 0));
    s.remove_pods();
    s.next();
    BOOST_REQUIRE(s.order());
    BOOST_TEST(s.order()->reason == "Succeeded");
    BOOST_TEST(s.order()->message == s.message_of("Succeeded"));
    w.finished();
    s.see(w);
    s.next();
    BOOST_TEST(s.count_decisions("let go") == 1);
  }
}

BOOST_AUTO_TEST_CASE(how_its_pods_are_follows_from_them) {
  struct row {
    const char* what;
    std::vector<child_builder> pods;
    const char* before;
    bool was_ready;
    const char* reason; ///< "": nothing new.
  };
  const row rows[] = {
      {"none", {}, "WaitForStart", false, ""},
      {"running",
       {pod("worker", 0).running(), pod("worker", 1).running()},
       "WaitForStart",
       false,
       ""},
      {"one ready", {pod("worker", 0).ready()}, "WaitForStart", false, ""},
      {"ready",
       {pod("worker", 0).ready(), pod("worker", 1).ready()},
       "WaitForStart",
       false,
       "Started"},
      {"ready or ended",
       {pod("worker", 0).ready(), pod("worker", 1).succeeded()},
       "WaitForStart",
       false,
       "Started"},
      {"one leaves",
       {pod("worker", 0).ready(), pod("worker", 1).ready().deleting()},
       "Started",
       true,
       "WaitForRecovery"},
      {"one lost",
       {pod("worker", 0).ready()},
       "Started",
       true,
       "WaitForRecovery"},
      {"still lost", {pod("worker", 0).ready()}, "WaitForRecovery", false, ""},
      {"back",
       {pod("worker", 0).ready(), pod("worker", 1).ready()},
       "WaitForRecovery",
       false,
       "Recovered"},
      {"back for long",
       {pod("worker", 0).ready(), pod("worker", 1).ready()},
       "Recovered",
       true,
       ""},
  };
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.what) {
      queue_fixture s{running()};
      s.see(workload().admitted().pods_ready(r.was_ready, r.before));
      for (const auto& p : r.pods)
        s.observe(p);
      s.next();
      const auto* o = s.order();
      auto reason = o && o->what == core::queue_action::report
                        ? o->pods.ready_reason
                        : std::string{};
      // What a pod that has ended gives back is told, too.
      BOOST_TEST(reason == r.reason);
    }
  }
}

BOOST_AUTO_TEST_CASE(pods_that_have_succeeded_give_their_share_back) {
  auto returned = [](const job_builder& b, core::job_status saved = {}) {
    auto w = workload_builder{b}.admitted();
    queue_fixture s{admitted_job(b, w)};
    s.saved = s.status = std::move(saved);
    s.see(w).observe({pod("worker", 0).ready(), pod("worker", 1).succeeded()});
    s.next();
    return s.order() ? static_cast<int>(s.order()->pods.returned.size()) : -1;
  };
  auto chief = [] { return plain().chief(); };
  BOOST_TEST(returned(chief()) == 1);
  // A restart of the whole job would make them again.
  BOOST_TEST(
      returned(chief().failure_policy(
          {{"rules",
            {{{"action", "RestartJob"},
              {"onExitCodes", {{"operator", "In"}, {"values", {1}}}}}}}}))
      == 0);
}

BOOST_AUTO_TEST_CASE(a_pod_of_a_dead_node_keeps_no_quota) {
  queue_fixture s{plain().suspended()};
  s.see(reported().evicted());
  s.observe(pod("worker", 0).running().deleting());
  s.now = base_time + 1s;
  BOOST_TEST(s.next() == strings{}, per_element());
  BOOST_TEST((s.last.requeue_at == base_time + 30s));
  s.now = base_time + 30s;
  BOOST_TEST(s.next() == strings{order_text("give the quota back")},
             per_element());
}

BOOST_AUTO_TEST_CASE(of_several_workloads_the_open_one_with_quota_counts) {
  auto elastic = plain().annotation("kueue.x-k8s.io/elastic-job", "true");
  auto first = workload_builder{elastic}.uid("first").admitted().pods_ready(
      false, "WaitForStart");
  auto second = workload_builder{elastic}.uid("second").created(base_time + 9s);
  second.body()["metadata"]["name"] = "second";
  queue_fixture s{admitted_job(elastic, first)};
  s.see(second).see(first);
  s.next();
  BOOST_REQUIRE(s.order());
  BOOST_TEST(s.order()->uid == "second"); // Not needed any more.
  first.finished("WorkloadSliceReplaced");
  second.admitted().pods_ready(false, "WaitForStart");
  s.see(second).see(first);
  s.next();
  BOOST_REQUIRE(s.order());
  BOOST_TEST(s.order()->uid == "first");
  BOOST_TEST(s.decisions().back().find("let go") == 0u);
  // One that is not the job's does not count.
  queue_fixture other{plain().suspended()};
  auto orphan = workload();
  orphan.body()["metadata"].erase("ownerReferences");
  other.see(orphan.admitted());
  BOOST_TEST(other.next() == strings{order_text("ask for quota")},
             per_element());
}

BOOST_AUTO_TEST_CASE(an_order_under_way_is_not_given_again) {
  queue_fixture s{plain().suspended()};
  s.next();
  BOOST_REQUIRE(s.order());
  s.open.expect_operation(core::child_kind::workload, "",
                          core::operation::update, s.now);
  BOOST_TEST(s.next() == strings{}, per_element());
}

BOOST_AUTO_TEST_SUITE_END()
