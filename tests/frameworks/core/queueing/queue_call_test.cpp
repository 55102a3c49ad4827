#include "frameworks/core/queueing/job_admission.hpp"
#include "frameworks/core/queueing/queue_call.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace troupe;
using namespace troupe::fixtures;
using core::queue_action;

BOOST_AUTO_TEST_SUITE(queue_call_test)

namespace {

using strings = std::vector<std::string>;

job_builder plain() {
  return make_queued_job().workers(2).suspended();
}

core::queue_order order(queue_action what, const char* uid = "workload",
                        std::uint64_t version = 5) {
  core::queue_order o;
  o.what = what;
  o.name = core::workload_name(plain());
  o.uid = uid;
  o.version = version;
  o.content_hash = "hash";
  o.decided = base_time;
  if (what == queue_action::grow)
    o.second = "second";
  return o;
}

struct named {
  std::string operator()(const core::queue_read& r) const {
    const char* ways[] = {"get ", "try ", "list ", "list all "};
    return ways[static_cast<int>(r.how)] + r.type.plural
           + (r.ns.empty() ? r.name.empty() ? "" : " " : " " + r.ns + "/")
           + r.name;
  }
  std::string operator()(const core::queue_write& w) const {
    const char* verbs[] = {"create ", "update ", "update status of ",
                           "delete "};
    return verbs[static_cast<int>(w.how)] + w.type.plural + " " + w.ns + "/"
           + w.name;
  }
  std::string operator()(const core::queue_nothing& n) const {
    return std::string{"nothing"} + (n.workload.empty() ? "" : ", workload")
           + (n.job.empty() ? "" : ", job");
  }
  std::string operator()(const k8s::failure& f) const {
    return std::string{"failed "} + k8s::to_string(f.code);
  }
};

core::queue_call call(const core::queue_order& o, const job_builder& b,
                      const strings& answers) {
  return core::next_queue_call(o, b, answers);
}

/// All calls, each after one more of the answers.
std::string calls(const core::queue_order& o, const job_builder& b,
                  const strings& answers) {
  std::string result;
  for (std::size_t i = 0; i <= answers.size(); ++i)
    result += (i > 0 ? "; " : "")
              + std::visit(named{},
                           call(o, b, {answers.begin(), answers.begin() + i}));
  return result;
}

json body(const core::queue_order& o, const job_builder& b,
          const strings& answers) {
  return json::parse(std::get<core::queue_write>(call(o, b, answers)).body);
}

const std::string w = "workloads ns/" + core::workload_name(plain());
const std::string get_job = "get tfjobs ns/job";
const std::string list_classes = "list all priorityclasses";
const std::string classes = R"({"items":[]})";

std::string text(const job_builder& b) {
  return b.whole().dump();
}

} // namespace

BOOST_AUTO_TEST_CASE(each_order_reads_and_then_writes_once) {
  const auto job = text(plain());
  const auto found = workload_builder{plain()}.list();
  const auto admitted = workload_builder{plain()}.admitted().list();
  const std::string flavor = R"({"spec":{}})";
  struct row {
    queue_action what;
    strings answers;
    std::string calls;
  };
  const row rows[] = {
      {queue_action::ask,
       {job, classes},
       get_job + "; " + list_classes + "; create " + w},
      {queue_action::remove, {}, "delete " + w},
      {queue_action::start,
       {admitted, flavor, job},
       "list " + w + "; get resourceflavors f1; " + get_job
           + "; update tfjobs ns/job"},
      {queue_action::ask_anew,
       {found, job, classes},
       "list " + w + "; " + get_job + "; " + list_classes + "; update " + w},
      {queue_action::label, {found}, "list " + w + "; update " + w},
      {queue_action::shrink, {found}, "list " + w + "; update " + w},
      {queue_action::grow,
       {found},
       "list " + w + "; create workloads ns/second"},
      {queue_action::regrow, {found}, "list " + w + "; update " + w},
      {queue_action::report, {found}, "list " + w + "; update status of " + w},
      {queue_action::release, {found}, "list " + w + "; update status of " + w},
      {queue_action::finish, {found}, "list " + w + "; update status of " + w},
      {queue_action::unguard, {found}, "list " + w + "; update " + w},
  };
  for (const auto& r : rows)
    BOOST_TEST(calls(order(r.what), plain(), r.answers) == r.calls);
  auto runs = plain().suspended(false);
  BOOST_TEST(calls(order(queue_action::hold), runs, {found, text(runs)})
             == "list " + w + "; " + get_job + "; update tfjobs ns/job");
  BOOST_TEST(calls(order(queue_action::hold, ""), runs, {text(runs)})
             == get_job + "; update tfjobs ns/job");
}

BOOST_AUTO_TEST_CASE(nothing_is_written_to_what_was_not_looked_at) {
  const auto changed = workload_builder{plain()}.version(6).list();
  const auto another = workload_builder{plain()}.uid("other").list();
  const std::string gone = R"({"items":[]})";
  for (auto what :
       {queue_action::start, queue_action::ask_anew, queue_action::hold,
        queue_action::label, queue_action::shrink, queue_action::grow,
        queue_action::regrow, queue_action::report, queue_action::release,
        queue_action::finish, queue_action::unguard}) {
    auto end = [&](const std::string& list) {
      return std::visit(named{}, call(order(what), plain(), {list}));
    };
    BOOST_TEST(end(changed) == "nothing, workload");
    BOOST_TEST(end(another) == "nothing");
    BOOST_TEST(end(gone) == "nothing");
    BOOST_TEST(end("no JSON") == "nothing");
  }
  auto now = std::get<core::queue_nothing>(
      call(order(queue_action::report), plain(), {changed}));
  BOOST_TEST(json::parse(now.workload)["metadata"]["resourceVersion"] == "6");
  BOOST_TEST(json::parse(now.workload)["kind"] == "Workload");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_as_it_should_be_is_not_written) {
  const auto found = workload_builder{plain()}.list();
  BOOST_TEST(calls(order(queue_action::hold), plain(), {found, text(plain())})
             == "list " + w + "; " + get_job + "; nothing, job");
}

BOOST_AUTO_TEST_CASE(another_job_of_that_name_is_not_written) {
  auto other = plain().whole();
  other["metadata"]["uid"] = "other";
  const auto found = workload_builder{plain()}.list();
  BOOST_TEST(calls(order(queue_action::hold), plain(), {found, other.dump()})
             == "list " + w + "; " + get_job + "; failed not_found");
  BOOST_TEST(calls(order(queue_action::ask), plain(), {other.dump()})
             == get_job + "; failed not_found");
  BOOST_TEST(calls(order(queue_action::ask), plain(), {"no JSON"})
             == get_job + "; failed garbage");
}

BOOST_AUTO_TEST_CASE(the_class_that_a_job_names_is_read) {
  auto b = plain().label("kueue.x-k8s.io/priority-class", "high");
  const std::string value = R"({"value":12})";
  BOOST_TEST(calls(order(queue_action::ask), b, {text(b), value})
             == get_job + "; get workloadpriorityclasses high; create " + w);
  BOOST_TEST(
      body(order(queue_action::ask), b, {text(b), value})["spec"]["priority"]
      == 12);
  auto c = plain().policy("schedulingPolicy", {{"priorityClass", "p"}});
  const auto found = workload_builder{c}.list();
  BOOST_TEST(calls(order(queue_action::ask_anew), c, {found, text(c), value})
             == "list " + w + "; " + get_job
                    + "; get priorityclasses p; update " + w);
}

BOOST_AUTO_TEST_CASE(another_class_changes_nothing_else) {
  auto b = plain().label("kueue.x-k8s.io/priority-class", "high");
  auto admitted = workload_builder{b}.admitted();
  auto other = plain().label("kueue.x-k8s.io/priority-class", "low");
  const strings answers{admitted.list(), text(other), R"({"value":-3})"};
  BOOST_TEST(calls(order(queue_action::rank), other, answers)
             == "list " + w + "; " + get_job
                    + "; get workloadpriorityclasses low; update " + w);
  auto expected = json::parse(admitted.list())["items"][0];
  expected["apiVersion"] = "kueue.x-k8s.io/v1beta2";
  expected["kind"] = "Workload";
  expected["spec"]["priorityClassRef"]["name"] = "low";
  expected["spec"]["priority"] = -3;
  BOOST_TEST(body(order(queue_action::rank), other, answers) == expected);
  // Of another kind it cannot be while quota is reserved.
  BOOST_TEST(calls(order(queue_action::rank), other,
                   {admitted.list(), text(plain()), classes})
             == "list " + w + "; " + get_job + "; " + list_classes
                    + "; nothing, job");
}

BOOST_AUTO_TEST_CASE(a_job_whose_queue_has_changed_meanwhile_is_decided_anew) {
  auto without = make_job().workers(2).suspended();
  BOOST_TEST(calls(order(queue_action::ask), plain(), {text(without)})
             == get_job + "; nothing, job");
  BOOST_TEST(calls(order(queue_action::ask), without, {text(plain())})
             == get_job + "; nothing, job");
}

BOOST_AUTO_TEST_CASE(without_a_class_the_global_default_counts) {
  auto one = [](const char* name, int value, bool is_default) {
    return json{{"metadata", {{"name", name}}},
                {"value", value},
                {"globalDefault", is_default}};
  };
  auto spec = [](json items) {
    return body(
        order(queue_action::ask), plain(),
        {text(plain()), json{{"items", std::move(items)}}.dump()})["spec"];
  };
  auto none = spec({one("a", 5, false)});
  BOOST_TEST(!none.contains("priority"));
  BOOST_TEST(!none.contains("priorityClassRef"));
  // The least of several is what Kubernetes gives to pods.
  auto found =
      spec({one("a", 5, false), one("b", 9, true), one("c", -7, true)});
  BOOST_TEST(found["priority"] == -7);
  BOOST_TEST(found["priorityClassRef"].dump()
             == R"({"group":"scheduling.k8s.io","kind":"PriorityClass",)"
                R"("name":"c"})");
}

BOOST_AUTO_TEST_CASE(a_job_without_a_queue_gets_that_of_its_namespace) {
  auto b = make_job().workers(2).suspended();
  const auto ask = order(queue_action::ask);
  const std::string look = get_job + "; try localqueues ns/default; ";
  BOOST_TEST(calls(ask, b, {text(b), "{}"}) == look + "update tfjobs ns/job");
  auto expected = b.whole();
  expected["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "default";
  BOOST_TEST(body(ask, b, {text(b), "{}"}) == expected);
  BOOST_TEST(calls(ask, b, {text(b), "null", classes})
             == look + list_classes + "; create " + w);
  BOOST_TEST(
      !body(ask, b, {text(b), "null", classes})["spec"].contains("queueName"));
}

BOOST_AUTO_TEST_CASE(what_contradicts_the_templates_finishes_the_workload) {
  auto b = plain();
  b.pod_template("Worker")["spec"]["nodeSelector"]["pool"] = "slow";
  auto admitted = workload_builder{b}.admitted();
  const strings answers{admitted.list(),
                        R"({"spec":{"nodeLabels":{"pool":"fast"}}})", text(b)};
  BOOST_TEST(calls(order(queue_action::start), b, answers)
             == "list " + w + "; get resourceflavors f1; " + get_job
                    + "; update status of " + w);
  auto after = body(order(queue_action::start), b, answers);
  const auto& end = after["status"]["conditions"].back();
  BOOST_TEST(end["type"] == "Finished");
  BOOST_TEST(end["reason"] == "FailedToStart");
  BOOST_TEST(end["message"].get<std::string>().find("pool")
             != std::string::npos);
  // While pods run, quota is not given back: they are ended first.
  auto beside = order(queue_action::start);
  beside.beside_pods = true;
  b.suspended(false);
  const strings while_it_runs{answers[0], answers[1], text(b)};
  BOOST_TEST(calls(beside, b, while_it_runs)
             == "list " + w + "; get resourceflavors f1; " + get_job
                    + "; update tfjobs ns/job");
  BOOST_TEST(body(beside, b, while_it_runs)["spec"]["runPolicy"]["suspend"]
             == true);
}

BOOST_AUTO_TEST_CASE(what_pods_request_is_noted) {
  const char* requests = "training.kubeflow.org/workload-requests";
  auto noted = [&](queue_action what, const job_builder& b,
                   const strings& answers) {
    return body(order(what), b, answers)["metadata"]["annotations"].value(
        requests, "");
  };
  auto list = workload_builder{plain()}.made_by_kueue().admitted().list();
  const auto hash = core::hash_of_requests(plain());
  auto runs = plain().suspended(false);
  BOOST_TEST(noted(queue_action::ask, plain(), {text(plain()), classes})
             == hash);
  BOOST_TEST(
      noted(queue_action::ask_anew, plain(), {list, text(plain()), classes})
      == hash);
  BOOST_TEST(noted(queue_action::label, runs, {list}) == hash);
}

BOOST_AUTO_TEST_CASE(a_spec_is_written_as_a_whole) {
  auto before = plain()
                    .annotation("kueue.x-k8s.io/admission-gated-by", "gate")
                    .annotation("provreq.kueue.x-k8s.io/x", "1");
  auto found = workload_builder{before};
  found.body()["spec"]["active"] = false;
  found.body()["metadata"]["annotations"]["other"] = "kept";
  auto b = plain().workers(4).label("kueue.x-k8s.io/queue-name", "r");
  auto after =
      body(order(queue_action::ask_anew), b, {found.list(), text(b), classes});
  BOOST_TEST(after["spec"]["active"] == false);
  BOOST_TEST(after["spec"]["queueName"] == "r");
  BOOST_TEST(after["spec"]["podSets"][0]["count"] == 4);
  const auto& annotations = after["metadata"]["annotations"];
  BOOST_TEST(annotations["other"] == "kept");
  BOOST_TEST(annotations["training.kubeflow.org/workload-content"] == "hash");
  // The gate that the job has no more would hold it for ever.
  BOOST_TEST(!annotations.contains("kueue.x-k8s.io/admission-gated-by"));
  BOOST_TEST(!annotations.contains("provreq.kueue.x-k8s.io/x"));
  BOOST_TEST(after["metadata"]["resourceVersion"] == "5");
}

BOOST_AUTO_TEST_SUITE_END()
