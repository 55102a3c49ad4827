#include "actors/jobs/orders/queue_order_course.hpp"
#include "tests/actors/single_actor_fixture.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using core::queue_action;

BOOST_AUTO_TEST_SUITE(queue_order_course_test)

namespace {

using answer = k8s::result<std::string>;

job_builder plain() {
  return make_queued_job().workers(1);
}

workload_builder workload() {
  return workload_builder{plain()};
}

const answer classes = std::string{R"({"items":[]})"};
const std::string asked =
    "get tfjobs job; list priorityclasses; create workloads w; ";

core::queue_order order(queue_action what) {
  core::queue_order o;
  o.what = what;
  o.name = core::workload_name(plain());
  o.uid = what == queue_action::ask ? "" : "workload";
  o.version = 5;
  if (what == queue_action::grow)
    o.second = "second";
  return o;
}

/// "list workloads", without the name of the Workload.
std::string text(const k8s::request& r) {
  auto all = describe(r);
  auto name = all.find(core::workload_name(plain()));
  if (name != std::string::npos)
    all.replace(name, std::string::npos, "w");
  return all;
}

std::string text(const queue_order_course::step& s) {
  if (const auto* call = std::get_if<k8s::request>(&s))
    return text(*call);
  if (const auto* why = std::get_if<k8s::failure>(&s))
    return std::string{"failed "} + k8s::to_string(why->code);
  const auto& end = std::get<queue_order_course::end>(s);
  return std::string{end.already_satisfied ? "satisfied" : "done"}
         + (end.item ? " " + end.item->meta.uid : "");
}

std::string course_of(queue_action what, const std::vector<answer>& answers,
                      const job_builder& b = plain()) {
  queue_order_course course;
  const core::job j = b;
  auto next = course.begin(order(what), j);
  auto result = text(next);
  for (const auto& a : answers) {
    if (!std::holds_alternative<k8s::request>(next))
      return result + "; no more calls";
    next = course.on_answer(order(what), j, a);
    result += "; " + text(next);
  }
  return result;
}

answer failed(k8s::ec code) {
  return k8s::failure{code, "failed"};
}

std::vector<answer> times(int n, const std::vector<answer>& some) {
  std::vector<answer> result;
  for (int i = 0; i < n; ++i)
    result.insert(result.end(), some.begin(), some.end());
  return result;
}

std::string times(int n, const std::string& text) {
  std::string result;
  for (int i = 0; i < n; ++i)
    result += text;
  return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_order_takes_calls_until_its_result_is_known) {
  const answer job = plain().whole().dump();
  const answer list = workload().list();
  const answer written = workload().version(6).text();
  const answer changed = workload().version(6).list();
  const answer none = list_text(9);
  const answer unlabelled = make_job().workers(1).whole().dump();
  const answer gone = failed(k8s::ec::not_found);
  const answer exists = failed(k8s::ec::exists);
  auto others = workload();
  others.body()["metadata"]["ownerReferences"][0]["uid"] = "other";
  struct row {
    const char* what;
    queue_action action;
    std::vector<answer> answers;
    std::string course;
  };
  const row rows[] = {
      {"asks",
       queue_action::ask,
       {job, classes, written},
       asked + "done workload"},
      {"the job is gone",
       queue_action::ask,
       {gone},
       "get tfjobs job; failed not_found"},
      {"no right",
       queue_action::ask,
       {job, classes, failed(k8s::ec::forbidden)},
       asked + "failed forbidden"},
      {"ours is there",
       queue_action::ask,
       {job, classes, exists, list},
       asked + "list workloads; satisfied workload"},
      {"another's is there",
       queue_action::ask,
       {job, classes, exists, others.list()},
       asked + "list workloads; failed exists"},
      {"it was there",
       queue_action::ask,
       {job, classes, exists, none},
       asked + "list workloads; failed exists"},
      {"grows",
       queue_action::grow,
       {list, written},
       "list workloads; create workloads second; done workload"},
      {"has grown",
       queue_action::grow,
       {list, exists, list},
       "list workloads; create workloads second; list workloads; "
       "satisfied workload"},
      {"reports",
       queue_action::report,
       {list, written},
       "list workloads; update workloads/status w; done workload"},
      {"changed meanwhile",
       queue_action::report,
       {changed},
       "list workloads; satisfied workload"},
      {"gone meanwhile",
       queue_action::report,
       {none},
       "list workloads; satisfied"},
      {"gone before the write",
       queue_action::report,
       {list, gone},
       "list workloads; update workloads/status w; satisfied"},
      {"let go",
       queue_action::unguard,
       {list, written},
       "list workloads; update workloads w; done workload"},
      {"deleted", queue_action::remove, {written}, "delete workloads w; done"},
      {"deleted by another",
       queue_action::remove,
       {gone},
       "delete workloads w; satisfied"},
      {"held",
       queue_action::hold,
       {list, job, job},
       "list workloads; get tfjobs job; update tfjobs job; done job-uid"},
      {"held already",
       queue_action::hold,
       {list, plain().suspended().whole().dump()},
       "list workloads; get tfjobs job; satisfied job-uid"},
      {"the job is gone before the write",
       queue_action::hold,
       {list, job, gone},
       "list workloads; get tfjobs job; update tfjobs job; "
       "failed not_found"},
      {"a read fails",
       queue_action::hold,
       {failed(k8s::ec::timeout)},
       "list workloads; failed timeout"},
  };
  for (const auto& r : rows)
    BOOST_TEST(course_of(r.action, r.answers) == r.course, r.what);
  const row without_queue[] = {
      {"nor its namespace",
       queue_action::ask,
       {unlabelled, gone, classes, written},
       "get tfjobs job; get localqueues default; list priorityclasses; "
       "create workloads w; done workload"},
      {"but its namespace",
       queue_action::ask,
       {unlabelled, std::string{"{}"}, job},
       "get tfjobs job; get localqueues default; update tfjobs job; "
       "done job-uid"},
      {"no right to look for a queue",
       queue_action::ask,
       {unlabelled, failed(k8s::ec::forbidden)},
       "get tfjobs job; get localqueues default; failed forbidden"},
      {"got a queue meanwhile",
       queue_action::ask,
       {job},
       "get tfjobs job; satisfied job-uid"},
  };
  for (const auto& r : without_queue)
    BOOST_TEST(course_of(r.action, r.answers, make_job().workers(1))
                   == r.course,
               r.what);
}

BOOST_AUTO_TEST_CASE(a_conflict_or_an_unknown_result_begins_again) {
  const answer list = workload().list();
  const answer written = workload().version(6).text();
  const std::string once = "list workloads; update workloads/status w; ";
  for (auto code : {k8s::ec::conflict, k8s::ec::timeout, k8s::ec::unreachable,
                    k8s::ec::server_error, k8s::ec::garbage}) {
    auto answers = times(3, {list, failed(code)});
    answers.push_back(list);
    answers.push_back(written);
    BOOST_TEST(course_of(queue_action::report, answers)
               == times(4, once) + "done workload");
    // It ends after some tries.
    BOOST_TEST(course_of(queue_action::report, times(9, {list, failed(code)}))
               == times(4, once) + "failed " + k8s::to_string(code)
                      + "; no more calls");
  }
  // The write had come through.
  BOOST_TEST(course_of(queue_action::report, {list, failed(k8s::ec::timeout),
                                              workload().version(6).list()})
             == once + "list workloads; satisfied workload");
  const answer job = plain().whole().dump();
  BOOST_TEST(
      course_of(queue_action::ask, {job, classes, failed(k8s::ec::timeout), job,
                                    classes, failed(k8s::ec::exists), list})
      == asked + asked + "list workloads; satisfied workload");
  // So is what was answered, if it cannot be read.
  BOOST_TEST(course_of(queue_action::report,
                       {list, std::string{"<html>"}, list, written})
             == times(2, once) + "done workload");
}

BOOST_AUTO_TEST_CASE(a_deletion_is_of_the_object_that_was_seen) {
  queue_order_course course;
  auto next = course.begin(order(queue_action::remove), plain());
  BOOST_TEST(std::get<k8s::request>(next).body.find("\"workload\"")
             != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
