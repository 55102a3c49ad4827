#include "actors/queueing/workload_release.hpp"
#include "tests/actors/queueing/release_builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(workload_release_test)

using namespace release;

namespace {

using answer = k8s::result<std::string>;

answer failed(k8s::ec code) {
  return k8s::failure{code, "failed"};
}

std::string text(const workload_release::step& s) {
  if (const auto* call = std::get_if<k8s::request>(&s))
    return describe(*call);
  return std::holds_alternative<workload_release::done>(s) ? "done" : "again";
}

std::string course_of(const std::vector<answer>& answers,
                      k8s::time_point now = base_time) {
  workload_release course{workload()};
  auto next = course.begin();
  auto result = text(next);
  for (const auto& a : answers) {
    BOOST_REQUIRE(std::holds_alternative<k8s::request>(next));
    next = course.on_answer(a, now);
    result += "; " + text(next);
  }
  return result;
}

const json leaving{{"deletionTimestamp", k8s::to_rfc3339(base_time)}};

} // namespace

BOOST_AUTO_TEST_CASE(quota_is_given_back_when_no_pod_is_left) {
  const answer gone = failed(k8s::ec::not_found);
  const answer late = failed(k8s::ec::timeout);
  const answer there = object_text("job", "job-uid", 5);
  const answer another = object_text("job", "other-uid", 5);
  const answer no_pods = list_text(9);
  const answer found = workloads(workload_json());
  auto unguarded = workload_json();
  unguarded["metadata"]["finalizers"] = json::array();
  const answer garbage = std::string{"<html>"};
  auto pods = [](std::vector<std::string> all, const char* more = "") {
    return answer{list_text(9, all, more)};
  };
  struct row {
    const char* what;
    std::vector<answer> answers;
    const char* course;
  };
  const row rows[] = {
      {"all is gone",
       {gone, no_pods, found, std::string{"{}"}},
       "get tfjobs job; list pods; list workloads; update workloads w; done"},
      {"the job is there", {there}, "get tfjobs job; done"},
      {"another job of that name",
       {another, no_pods},
       "get tfjobs job; list pods; list workloads"},
      {"no answer", {late}, "get tfjobs job; again"},
      {"garbage", {garbage}, "get tfjobs job; again"},
      {"a pod runs",
       {gone, pods({pod_text(0, "Running")})},
       "get tfjobs job; list pods; again"},
      {"a pod is pending",
       {gone, pods({pod_text(0, "Pending")})},
       "get tfjobs job; list pods; again"},
      {"a pod is being deleted",
       {gone, pods({pod_text(0, "Running", leaving)})},
       "get tfjobs job; list pods; again"},
      {"pods have ended",
       {gone, pods({pod_text(0, "Succeeded"), pod_text(1, "Failed")})},
       "get tfjobs job; list pods; list workloads"},
      {"a pod of another job of that name",
       {gone, pods({pod_text(0, "Running", json::object(), "other-uid")})},
       "get tfjobs job; list pods; list workloads"},
      {"more pages",
       {gone, pods({pod_text(0, "Failed")}, "more"),
        pods({pod_text(1, "Failed")})},
       "get tfjobs job; list pods; list pods; list workloads"},
      {"a pod on the second page",
       {gone, pods({}, "more"), pods({pod_text(1, "Running")})},
       "get tfjobs job; list pods; list pods; again"},
      {"pods are not told", {gone, late}, "get tfjobs job; list pods; again"},
      {"pods are garbage", {gone, garbage}, "get tfjobs job; list pods; again"},
      {"the Workload is gone",
       {gone, no_pods, std::string{R"({"items":[]})"}},
       "get tfjobs job; list pods; list workloads; done"},
      {"another Workload of that name",
       {gone, no_pods, workloads(workload_json("other"))},
       "get tfjobs job; list pods; list workloads; done"},
      {"no finalizer",
       {gone, no_pods, workloads(unguarded)},
       "get tfjobs job; list pods; list workloads; done"},
      {"the Workload is not told",
       {gone, no_pods, late},
       "get tfjobs job; list pods; list workloads; again"},
      {"it was changed",
       {gone, no_pods, found, failed(k8s::ec::conflict)},
       "get tfjobs job; list pods; list workloads; update workloads w; "
       "again"},
      {"it is gone now",
       {gone, no_pods, found, gone},
       "get tfjobs job; list pods; list workloads; update workloads w; done"},
      {"Kueue is away",
       {gone, no_pods, found, failed(k8s::ec::server_error)},
       "get tfjobs job; list pods; list workloads; update workloads w; "
       "again"},
  };
  for (const auto& r : rows)
    BOOST_TEST(course_of(r.answers) == r.course, r.what);
}

BOOST_AUTO_TEST_CASE(a_pod_that_is_overdue_keeps_no_quota) {
  const answer gone = failed(k8s::ec::not_found);
  const answer pods = list_text(9, {pod_text(0, "Running", leaving)});
  BOOST_TEST(course_of({gone, pods}, base_time + 30s)
             == "get tfjobs job; list pods; again");
  BOOST_TEST(course_of({gone, pods}, base_time + 31s)
             == "get tfjobs job; list pods; list workloads");
}

BOOST_AUTO_TEST_CASE(pods_of_a_launcher_job_count) {
  auto launched = json::parse(pod_text(0, "Running"));
  launched["metadata"]["ownerReferences"] = {{{"apiVersion", "batch/v1"},
                                              {"kind", "Job"},
                                              {"name", "job-launcher"},
                                              {"uid", "launcher"},
                                              {"controller", true}}};
  const answer gone = failed(k8s::ec::not_found);
  BOOST_TEST(course_of({gone, list_text(9, {launched.dump()})})
             == "get tfjobs job; list pods; again");
}

BOOST_AUTO_TEST_CASE(only_the_finalizer_is_taken_off) {
  workload_release course{workload()};
  course.begin();
  course.on_answer(failed(k8s::ec::not_found), base_time);
  course.on_answer(list_text(9), base_time);
  auto w = workload_json();
  w["spec"]["queueName"] = "q";
  auto next = course.on_answer(workloads(w), base_time);
  auto body = json::parse(std::get<k8s::request>(next).body);
  BOOST_TEST(body["metadata"]["finalizers"].empty());
  BOOST_TEST(body["metadata"]["resourceVersion"] == "5");
  BOOST_TEST(body["spec"]["queueName"] == "q");
  BOOST_TEST(body["kind"] == "Workload");
}

BOOST_AUTO_TEST_CASE(of_one_that_was_not_seen_the_owner_is_known) {
  auto of = workload();
  of.uid = "";
  auto end = [&](const char* owner) {
    workload_release course{of};
    course.begin();
    course.on_answer(failed(k8s::ec::not_found), base_time);
    course.on_answer(list_text(9), base_time);
    auto w = workload_json();
    w["metadata"]["ownerReferences"] = {{{"uid", owner}, {"controller", true}}};
    return text(course.on_answer(workloads(w), base_time));
  };
  BOOST_TEST(end("job-uid") == "update workloads w");
  BOOST_TEST(end("other-uid") == "done");
}

BOOST_AUTO_TEST_CASE(jobs_of_unknown_kinds_are_left_alone) {
  auto of = workload();
  of.job.kind = "Deployment";
  workload_release course{of};
  BOOST_TEST(text(course.begin()) == "done");
}

BOOST_AUTO_TEST_CASE(it_begins_with_the_first_page_again) {
  workload_release course{workload()};
  course.begin();
  course.on_answer(failed(k8s::ec::not_found), base_time);
  course.on_answer(list_text(9, {}, "more"), base_time);
  BOOST_TEST(text(course.on_answer(failed(k8s::ec::timeout), base_time))
             == "again");
  course.begin();
  auto next = course.on_answer(failed(k8s::ec::not_found), base_time);
  BOOST_TEST(std::get<k8s::request>(next).path.find("continue")
             == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
