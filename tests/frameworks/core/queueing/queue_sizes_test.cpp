#include "frameworks/core/queueing/workload_writes.hpp"
#include "tests/frameworks/core/queueing/queue_course_fixture.hpp"

#include <boost/test/unit_test.hpp>

// Steps of jobs whose size changes, or is not the one that they ask for.

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(queue_sizes_test)

BOOST_AUTO_TEST_CASE(a_job_whose_label_was_removed_leaves_its_queue) {
  auto job = [] { return make_queued_job().workers(2).suspended(); };
  auto next = [&](const workload_builder& w, int live_pods = 0) {
    auto left = job().label("kueue.x-k8s.io/queue-name", "");
    course_fixture f{left, w};
    f.v.live_pods = live_pods;
    return f.next();
  };
  workload_builder w{job()};
  BOOST_TEST(next(w) == "hold: let go");
  BOOST_TEST(next(w, 1) == "hold");
  BOOST_TEST(next(workload_builder{job()}.without_finalizer())
             == "hold: delete");
  BOOST_TEST(next(workload_builder{job()}.admitted()) == "hold: let go");
}

// Whether its pods are ready is not kept of a job without a queue.
BOOST_AUTO_TEST_CASE(without_its_label_a_job_that_runs_reports_nothing) {
  auto job = [] { return make_queued_job().workers(2).suspended(); };
  auto w = workload_builder{job()}.admitted().pods_ready(true, "Started");
  for (const char* queue : {"q", ""}) {
    auto ran = with_grant(job(), w).label("kueue.x-k8s.io/queue-name", queue);
    course_fixture f{ran, w};
    f.v.pods = {false, "WaitForRecovery", {}};
    BOOST_TEST(f.next() == (*queue ? "run: report the pods" : "run"));
  }
}

BOOST_AUTO_TEST_CASE(an_elastic_job_grows_by_a_second_workload) {
  auto elastic = [] {
    return make_queued_job().workers(2).suspended().annotation(
        "kueue.x-k8s.io/elastic-job", "true");
  };
  const auto first =
      workload_builder{elastic()}.admitted().pods_ready(false, "WaitForStart");
  const auto grown = with_grant(elastic(), first).workers(3);
  auto second_of = [&](int workers) {
    auto w = workload_builder{elastic().workers(workers)}.uid("second");
    w.body()["metadata"]["name"] = "second";
    return w;
  };
  struct slice_row {
    const char* what;
    job_builder job;
    std::optional<workload_builder> second;
    const char* next;
    int most_workers; ///< 0: as many as it asks for.
  };
  const slice_row rows[] = {
      {"asks", grown, {}, "run: ask for more quota", 2},
      {"waits", grown, second_of(3), "run", 2},
      {"another size", grown, second_of(4), "run: ask for another size", 2},
      {"another size, granted", grown, second_of(4).admitted(), "run: let go",
       2},
      {"another size, let go", grown,
       second_of(4).admitted().without_finalizer(), "run: delete", 2},
      {"deleted", grown, second_of(3).deleting(), "run: let go", 2},
      {"deleted, let go", grown, second_of(3).deleting().without_finalizer(),
       "run", 2},
      {"as before", with_grant(elastic(), first), second_of(3), "run: let go",
       0},
      {"as before, let go", with_grant(elastic(), first),
       second_of(3).without_finalizer(), "run: delete", 0},
      {"as before, leaves", with_grant(elastic(), first),
       second_of(3).deleting().without_finalizer(), "run", 0},
      {"held", elastic().workers(3), second_of(3), "hold: let go", 0},
  };
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.what) {
      course_fixture f{r.job, first};
      f.v.pods = {false, "WaitForStart", {}};
      if (r.second)
        f.second = view_of(*r.second);
      auto step = f.step();
      BOOST_TEST(course_fixture::text(step) == r.next);
      BOOST_TEST((step.most_pods.empty() ? 0 : step.most_pods[0].count)
                 == r.most_workers);
    }
  }
  course_fixture f{grown, first};
  auto order = *f.step().order;
  BOOST_TEST(order.second == core::workload_slice_name(grown));
  BOOST_TEST(order.pods.returned[0].count == 3);
  // When it has taken the place of the first, that one is let go.
  course_fixture after{
      with_grant(elastic().workers(3), second_of(3).admitted()),
      second_of(3).admitted().pods_ready(false, "WaitForStart")};
  after.v.pods = {false, "WaitForStart", {}};
  after.spent = view_of(workload_builder{elastic()}.finished());
  auto step = after.step();
  BOOST_TEST(course_fixture::text(step) == "run: let go");
  BOOST_TEST(step.order->uid == "workload");
}

// Kueue finishes the old Workload before it admits the new one.
BOOST_AUTO_TEST_CASE(between_two_workloads_of_a_growth_its_pods_run_on) {
  using std::chrono::seconds;
  auto elastic = [] {
    return make_queued_job().workers(2).suspended().annotation(
        "kueue.x-k8s.io/elastic-job", "true");
  };
  const auto first = workload_builder{elastic()}.admitted();
  auto grown = with_grant(elastic(), first).workers(3);
  auto next = [&](const char* reason, const workload_builder& second,
                  seconds after = seconds{1}, bool suspended = false) {
    course_fixture f{suspended ? job_builder{grown}.suspended() : grown,
                     workload_builder{second}.uid("second")};
    f.v.live_pods = 2;
    f.v.pods = {false, "WaitForStart", {}};
    f.spent = view_of(workload_builder{elastic()}.admitted().finished(reason));
    f.v.now = base_time + after;
    auto step = f.step();
    if (step.look_again_at)
      BOOST_TEST((*step.look_again_at == base_time + seconds{10}));
    return course_fixture::text(step);
  };
  const char* replaced = "WorkloadSliceReplaced";
  auto waits = workload_builder{elastic().workers(3)};
  BOOST_TEST(next(replaced, waits) == "wait");
  // Quota that is reserved is enough, as while a check is not ready.
  BOOST_TEST(next(replaced, workload_builder{waits}.reserved()) == "run");
  BOOST_TEST(next(replaced, workload_builder{waits}.reserved(), seconds{3600})
             == "run");
  BOOST_TEST(next(replaced, waits, seconds{9}) == "wait");
  BOOST_TEST(next(replaced, waits, seconds{10}) == "hold: suspend the job");
  BOOST_TEST(next("Succeeded", waits) == "hold: suspend the job");
  BOOST_TEST(next(replaced, workload_builder{waits}.evicted())
             == "hold: suspend the job");
  BOOST_TEST(next(replaced, waits, seconds{1}, true)
             == "hold: suspend the job");
  BOOST_TEST(next(replaced, workload_builder{waits}.admitted().pods_ready(
                                false, "WaitForStart"))
             == "run: let go");
}

// Quota that was given back is somebody else's.
BOOST_AUTO_TEST_CASE(pods_that_are_made_again_are_queued_anew) {
  auto job = [] { return make_queued_job().workers(2).suspended(); };
  auto w = workload_builder{job()}.admitted().pods_ready(false, "WaitForStart");
  w.status()["reclaimablePods"] = {{{"name", "worker"}, {"count", 1}}};
  auto next = [&](int done, bool held = false) {
    course_fixture f{held ? job() : with_grant(job(), w), w};
    f.v.live_pods = held ? 0 : 1;
    f.v.pods = {false, "WaitForStart", {}};
    f.v.done = {{"worker", done, {}}};
    return f.next();
  };
  BOOST_TEST(next(1) == "run");
  BOOST_TEST(next(0) == "hold: suspend the job");
  BOOST_TEST(next(0, true) == "hold: let go");
  BOOST_TEST(next(1, true) == "hold: start the job");
}

// Kueue does not look at pods: who may update a job could take what was granted
// to nobody.
BOOST_AUTO_TEST_CASE(pods_that_request_something_else_are_queued_anew) {
  const char* requests = "training.kubeflow.org/workload-requests";
  auto job = [] { return make_queued_job().workers(2).suspended(); };
  auto w = workload_builder{job()}.admitted().pods_ready(false, "WaitForStart");
  w.body()["metadata"]["annotations"][requests] = core::hash_of_requests(job());
  const auto ran = with_grant(job(), w);
  auto next = [&](job_builder b, const json& change) {
    b.pod_template("Worker")["spec"].merge_patch(change);
    course_fixture f{b, w};
    f.v.pods = {false, "WaitForStart", {}};
    return f.next();
  };
  const json larger{{"resources", {{"requests", {{"cpu", "8"}}}}}};
  BOOST_TEST(next(ran, json::object()) == "run");
  BOOST_TEST(next(ran, {{"hostNetwork", true}}) == "run");
  const char* hold = "hold: suspend the job";
  BOOST_TEST(next(ran, larger) == hold);
  BOOST_TEST(next(ran, {{"runtimeClassName", "vm"}}) == hold);
  BOOST_TEST(next(ran, {{"initContainers", {{{"name", "i"}}}}}) == hold);
  // Suspended in the same write, it is not started again by the old grant.
  BOOST_TEST(next(job_builder{ran}.suspended(), larger) == hold);
  // What a slice asks for besides its size is known, too.
  auto slice = core::next_slice(w.body(), "second", {{"worker", 3, {}}});
  BOOST_TEST(slice["metadata"]["annotations"][requests]
             == core::hash_of_requests(job()));
}

BOOST_AUTO_TEST_CASE(a_job_of_reduced_size_keeps_it) {
  auto job = [] {
    return make_queued_job("PyTorchJob")
        .type("Master", 1)
        .workers(5)
        .with("elasticPolicy", {{"minReplicas", 1}})
        .suspended();
  };
  auto w = workload_builder{job()}.admitted().pods_ready(false, "WaitForStart");
  w.grant(1)["count"] = 2;
  const auto ran = with_grant(job(), w);
  auto next = [&](const job_builder& b) {
    course_fixture f{b, w};
    f.v.pods = {false, "WaitForStart", {}};
    return f.next();
  };
  BOOST_TEST(next(ran) == "run");
  BOOST_TEST(next(job_builder{ran}.suspended()) == "hold: start the job");
  BOOST_TEST(next(job_builder{ran}.workers(4)) == "hold: suspend the job");
}

BOOST_AUTO_TEST_SUITE_END()
