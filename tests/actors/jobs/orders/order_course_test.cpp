#include "actors/jobs/orders/order_course.hpp"
#include "tests/actors/jobs/orders/order_builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(order_course_test)

using namespace orders;

namespace {

const auto options = std::make_shared<const actor_options>();

std::string text_of(const order_call& call) {
  auto request = call.make ? call.make() : *call.request;
  return (call.name_is_taken ? "wait for the name, " : "")
         + std::string{k8s::to_string(request->method)} + " "
         + request->resource;
}

std::string text_of(const core::order_done& r) {
  return (r.already_satisfied ? "satisfied" : "done")
         + (r.item ? " " + r.item->meta.uid : "");
}

std::string text_of(const core::order_failed& r) {
  return (r.name_is_free ? "free, " : "") + std::string{"failed "}
         + k8s::to_string(r.why.code)
         + (r.existing ? ", exists " + r.existing->meta.uid : "");
}

using answer = k8s::result<std::string>;

/// What an order does that gets these answers.
std::string course_of(const core::decision& order,
                      const std::vector<answer>& answers) {
  order_course course{
      {1, order},
      std::make_shared<const core::job>(make_job().workers(2).get())};
  auto text = [](const auto& step) { return text_of(step); };
  auto next = course.begin(options);
  auto result = std::visit(text, next);
  for (const auto& a : answers) {
    BOOST_REQUIRE(std::holds_alternative<order_call>(next));
    next = course.on_answer(a, options);
    result += "; " + std::visit(text, next);
  }
  return result;
}

answer found(const char* uid, int version = 5, json meta = json::object()) {
  return list_text(9, {pod_text(uid, version, std::move(meta))});
}

answer found_ours(const char* uid) {
  return found(uid, 5, worker_meta(0));
}

} // namespace

BOOST_AUTO_TEST_CASE(an_order_takes_calls_until_its_result_is_known) {
  const answer none = list_text(9);
  const answer exists = failed(k8s::ec::exists);
  const answer timeout = failed(k8s::ec::timeout);
  const answer conflict = failed(k8s::ec::conflict);
  const answer gone = failed(k8s::ec::not_found);
  const answer forbidden = failed(k8s::ec::forbidden);
  const answer garbage = std::string{"<html>"};
  const answer job_now = object_text("job", "job-uid", 5);
  struct row {
    const char* what;
    core::decision order;
    std::vector<answer> answers;
    const char* course;
  };
  // clang-format off
  const row rows[] = {
      {"created", create(), {pod_text("new")}, "create pods; done new"},
      {"refused", create(), {forbidden}, "create pods; failed forbidden"},
      {"no such namespace", create(), {gone}, "create pods; failed not_found"},
      {"an answer that is none", create(), {garbage, found_ours("new")},
       "create pods; list pods; satisfied new"},
      {"unknown, and created", create(), {timeout, found_ours("new")},
       "create pods; list pods; satisfied new"},
      {"unknown, and not created", create(), {timeout, none},
       "create pods; list pods; failed timeout"},
      {"another's", create(), {exists, found("it")},
       "create pods; wait for the name, list pods; failed exists, exists it"},
      {"ours, of another slot", create(),
       {exists, found("it", 5, worker_meta(1))},
       "create pods; wait for the name, list pods; failed exists, exists it"},
      {"gone meanwhile", create(), {exists, none},
       "create pods; wait for the name, list pods; free, failed exists"},
      {"a service, gone meanwhile", create_service(),
       {exists, none, pod_text("new")},
       "create services; wait for the name, list services; "
       "create services; done new"},
      {"gone for ever", create_service(),
       {exists, none, exists, none, exists, none},
       "create services; wait for the name, list services; "
       "create services; wait for the name, list services; "
       "create services; wait for the name, list services; failed exists"},
      {"no right to look", create(), {exists, forbidden},
       "create pods; wait for the name, list pods; failed exists"},
      {"five looks", create(),
       {timeout, timeout, garbage, timeout, timeout, timeout},
       "create pods; list pods; list pods; list pods; list pods; list pods; "
       "failed timeout"},

      {"deleted", remove(), {std::string{"{}"}}, "delete pods; done"},
      {"it ends", remove(), {pod_text("uid", 6, deleting)},
       "delete pods; done uid"},
      {"deleted before", remove(), {gone}, "delete pods; satisfied"},
      {"another one has the name", remove(), {conflict, found("x")},
       "delete pods; list pods; satisfied"},
      {"a webhook objects", remove(), {conflict, found("uid")},
       "delete pods; list pods; failed conflict"},
      {"unknown, and it ends", remove(), {timeout, found("uid", 6, deleting)},
       "delete pods; list pods; done uid"},

      {"updated", update(), {pod_text("uid", 6)},
       "update configmaps; done uid"},
      {"updated by another", update(), {conflict, found("uid", 6)},
       "update configmaps; list configmaps; satisfied uid"},
      {"patched", patch(), {pod_text("uid", 6)}, "patch jobs; done uid"},
      {"its status patched", patch(true), {pod_text("uid", 6)},
       "patch jobs/status; done uid"},
      {"not patched, as it has changed", patch(), {conflict, found("uid", 6)},
       "patch jobs; list jobs; satisfied uid"},
      {"patched, unknown", patch(), {timeout, found("uid", 5)},
       "patch jobs; list jobs; failed timeout"},
      {"none to patch", patch(), {gone}, "patch jobs; satisfied"},
      {"patch forbidden", patch(), {forbidden}, "patch jobs; failed forbidden"},
      {"another one of the name", patch(), {conflict, found("it")},
       "patch jobs; list jobs; satisfied"},
      {"looked up", look_up(), {found("it")}, "list jobs; done it"},
      {"looked up in vain", look_up(), {none}, "list jobs; satisfied"},
      {"lookup forbidden", look_up(), {forbidden}, "list jobs; failed forbidden"},
      {"unknown, and not updated", update(), {timeout, found("uid", 5)},
       "update configmaps; list configmaps; failed timeout"},

      {"node read", read_node(), {object_text("n7", "n", 5)},
       "get nodes; done n"},
      {"node gone", read_node(), {gone}, "get nodes; satisfied"},
      {"node forbidden", read_node(), {forbidden}, "get nodes; failed forbidden"},
      {"node unknown", read_node(), {timeout}, "get nodes; failed timeout"},
      {"no node", read_node(), {garbage}, "get nodes; failed garbage"},
      {"a Status in place of a node", read_node(),
       {std::string{R"({"kind":"Status","code":404})"}},
       "get nodes; failed not_found"},

      {"read", read(), {found("uid")}, "list configmaps; done uid"},
      {"of a later object", read(), {found("x")}, "list configmaps; satisfied"},
      {"older than known", read(), {found("uid", 4)},
       "list configmaps; failed server_error"},
      {"not read", read(), {timeout}, "list configmaps; failed timeout"},

      {"adopted", adopt(), {job_now, pod_text("uid", 6)},
       "get tfjobs; patch pods; done uid"},
      {"the job ends", adopt(), {object_text("job", "job-uid", 5, deleting)},
       "get tfjobs; failed not_found"},
      {"the job is gone", adopt(), {gone}, "get tfjobs; failed not_found"},
      {"nobody knows", adopt(), {timeout}, "get tfjobs; failed timeout"},

      {"released before", release(), {gone}, "patch pods; satisfied"},
      {"a conflict", release(), {conflict}, "patch pods; failed conflict"},
      {"annotated", annotate(), {pod_text("uid", 6)}, "patch pods; done uid"},
      {"no order", core::delete_job{"job-uid", ""}, {}, "failed bug"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what)
  BOOST_TEST(course_of(r.order, r.answers) == r.course);
}

// It says why, in the end, to who reads the event.
BOOST_AUTO_TEST_CASE(a_taken_name_says_whose_it_is) {
  order_course course{{1, create()},
                      std::make_shared<const core::job>(make_job().get())};
  course.begin(options);
  course.on_answer(failed(k8s::ec::exists), options);
  auto last = course.on_answer(found("it"), options);
  BOOST_TEST(std::get<core::order_failed>(last).why.message
             == "failed; it has no owner");
}

BOOST_AUTO_TEST_SUITE_END()
