#include "frameworks/core/pass/queueing.hpp"
#include "tests/frameworks/core/pass/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(queueing_test)

using namespace queued;

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
  unknown.cluster.queueing = core::queueing_options{};
  unknown.cluster.queueing.on = true;
  unknown.cluster.queueing.undecided = {"v1/tfjobs"};
  BOOST_TEST(unknown.next() == strings{}, per_element());
  // What we keep already goes on, and what others run is none of ours.
  queue_fixture kept{running()};
  kept.see(reported());
  kept.cluster.queueing.undecided = {"v1/tfjobs"};
  kept.next();
  BOOST_TEST(kept.count_decisions("create pod") == 2);
  kept.j.policy.managed_by = "kueue.x-k8s.io/multikueue";
  kept.next();
  BOOST_TEST(kept.last.summary == "is managed by kueue.x-k8s.io/multikueue");
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
  owned.may_be_queued_by_controller = true;
  job_fixture s{owned};
  BOOST_TEST(!core::find_queue_step(s.j, s.seen, s.open, s.saved, s.now,
                                    with_kueue()));
  BOOST_TEST(core::name_in_queueing(row_of_kind("TFJob")) == "v1/tfjobs");
  BOOST_TEST(core::is_queueable(row_of_kind("TFJob")));
  BOOST_TEST(!core::is_queueable(row_of_kind("DIJob")));
}

BOOST_AUTO_TEST_CASE(jobs_without_a_label_wait_where_they_are_told_to) {
  struct row {
    const char* what;
    job_builder job;
    std::set<std::string> namespaces;
    bool began;
    bool queued;
    bool was_suspended = false;
  };
  const auto plain = make_job().workers(1);
  const auto elsewhere = [&](const char* ns) {
    auto j = plain;
    j.ns(ns);
    return j;
  };
  const row rows[] = {
      {"nobody told", plain, {}, false, false},
      {"another namespace", plain, {"other"}, false, false},
      {"its namespace", plain, {"other", "ns"}, false, true},
      {"all", plain, {"*"}, false, true},
      {"of Kubernetes", elsewhere("kube-system"), {"*"}, false, false},
      {"of Kueue", elsewhere("kueue-system"), {"*"}, false, false},
      {"named", elsewhere("kube-system"), {"*", "kube-system"}, false, true},
      {"had begun", plain, {"ns"}, true, false},
      {"had begun, was suspended",
       make_job().workers(1).suspended(),
       {"ns"},
       true,
       true},
      {"had begun, was suspended, is resumed", plain, {"ns"}, true, true, true},
      {"had begun, was admitted",
       with_grant(plain, workload().admitted()),
       {"ns"},
       true,
       true},
      {"another kind",
       make_job_of("DIJob").with("podSpec", json::object()),
       {"*"},
       false,
       false},
  };
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.what) {
      job_fixture s{r.job};
      auto cluster = with_kueue();
      cluster.queueing_namespaces = r.namespaces;
      if (r.began)
        s.saved.start_time = s.now;
      if (r.was_suspended)
        s.saved.conditions.push_back(
            {core::condition_type::suspended, true, "", "", s.now, s.now});
      auto step =
          core::find_queue_step(s.j, s.seen, s.open, s.saved, s.now, cluster);
      BOOST_TEST(step.has_value() == r.queued);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_job_without_a_label_waits_for_one) {
  auto plain = [] { return make_job().workers(2); };
  queue_fixture s{plain()};
  s.cluster.queueing_namespaces = {"ns"};
  s.next();
  BOOST_TEST(s.count_decisions("suspend the job") == 1);
  BOOST_TEST(s.conditions() == "Created Suspended");
  BOOST_TEST(s.last.summary
             == "waits for a queue of Kueue (its label names none)");
  s.set_job(plain().suspended());
  s.next();
  BOOST_TEST(s.count_decisions("ask for quota") == 1);
  s.see(workload_builder{plain().suspended()}.waiting());
  BOOST_TEST(s.next() == strings{}, per_element());
  s.set_job(queued::plain().suspended());
  s.next();
  BOOST_TEST(s.count_decisions("ask for other quota") == 1);
  // Told to wait no more, it is let go, and a person resumes it.
  s.set_job(plain().suspended()).cluster.queueing_namespaces = {};
  s.next();
  BOOST_TEST(s.count_decisions("let go") == 1);
  // One that runs by its Workload does not leave it by losing its label.
  queue_fixture runs{with_grant(plain(), workload_builder{plain()}.admitted())};
  runs.cluster.queueing_namespaces = {"ns"};
  runs.see(workload_builder{plain().suspended()}.waiting());
  runs.set_job(plain()).saved.start_time = runs.now;
  runs.next();
  BOOST_TEST(runs.count_decisions("let go") == 0);
  BOOST_TEST(runs.count_decisions("create pod") == 0);
  BOOST_TEST(runs.count_decisions("suspend the job") == 1);
  // Until it is known whether Kueue is there it does not begin.
  queue_fixture unknown{plain()};
  unknown.cluster.queueing = {};
  unknown.cluster.queueing.unknown = true;
  unknown.cluster.queueing_namespaces = {"ns"};
  BOOST_TEST(unknown.next() == strings{}, per_element());
  BOOST_TEST(unknown.last.summary
             == "waits until it is known whether Kueue is there");
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
  queue_fixture s{with_grant(elastic, first).workers(5)};
  s.see(first);
  s.next();
  BOOST_TEST(s.count_decisions("create pod") == 2);
  BOOST_TEST(s.count_decisions("ask for more quota") == 1);
  // Nor do they learn of others that there are not yet.
  BOOST_REQUIRE(s.last.as_granted);
  BOOST_TEST(s.last.as_granted->replicas[0].replicas == 2);
}

BOOST_AUTO_TEST_CASE(an_eviction_counts_as_no_restart) {
  auto b = [] { return plain().backoff_limit(1).restart_policy("OnFailure"); };
  auto w = [&] { return workload_builder{b()}; };
  auto on = with_grant(b(), w().admitted());
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
    queue_fixture s{with_grant(b(), w)};
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

BOOST_AUTO_TEST_CASE(pods_of_a_job_that_ends_are_not_told_of) {
  auto w = workload().admitted().pods_ready(true, "Started");
  queue_fixture s{with_grant(plain(), w)};
  s.see(w).all_services();
  s.observe({pod("worker", 0).ready(), pod("worker", 1).succeeded()});
  s.next();
  BOOST_TEST(s.count_decisions("report the pods") == 1);
  s.observe(
      {pod("worker", 0).version(2).succeeded(), pod("worker", 1).succeeded()});
  s.next();
  BOOST_TEST(s.message_of("Succeeded") != ""); // Not saved yet.
  BOOST_TEST(s.count_decisions("report the pods") == 0);
  s.next();
  BOOST_TEST(s.count_decisions("finish") == 1);
}

BOOST_AUTO_TEST_CASE(of_several_workloads_the_open_one_with_quota_counts) {
  auto elastic = plain().annotation("kueue.x-k8s.io/elastic-job", "true");
  auto first = workload_builder{elastic}.uid("first").admitted().pods_ready(
      false, "WaitForStart");
  auto second = workload_builder{elastic}.uid("second").created(base_time + 9s);
  second.body()["metadata"]["name"] = "second";
  queue_fixture s{with_grant(elastic, first)};
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
