#include "frameworks/conversions.hpp"
#include "frameworks/di/base/dijob_conversion.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(dijob_conversion_test)

using namespace troupe::frameworks::di;
using k8s::json;
using k8s::text_at;
using k8s::value_at;

namespace {

json with_coordinator() {
  return json::parse(R"({
    "apiVersion": "diengine.opendilab.org/v1alpha1", "kind": "DIJob",
    "metadata": {"name": "j", "namespace": "ns", "uid": "u",
                 "labels": {"a": "b"}},
    "spec": {"group": "g", "priorityClassName": "high",
             "cleanPodPolicy": "All", "volumes": [{"name": "v"}],
             "coordinator": {"template": {"spec": {"containers": []}}}},
    "status": {"phase": "Created",
               "conditions": [{"type": "Created", "status": "True"}],
               "replicaStatus": {"Coordinator": {"active": 1}}}})");
}

json of_tasks() {
  return json::parse(R"({
    "apiVersion": "diengine.opendilab.org/v2alpha1", "kind": "DIJob",
    "metadata": {"name": "j", "namespace": "ns", "uid": "u",
                 "annotations": {"a": "b"}},
    "spec": {"priority": "high", "backoffLimit": 1, "preemptible": false,
             "cleanPodPolicy": "Running",
             "tasks": [{"type": "learner", "replicas": 2}]},
    "status": {"phase": "Running", "replicas": 2, "readyReplicas": 2,
               "restarts": 0, "reschedules": 0,
               "taskStatus": {"learner": {"Running": 2}},
               "conditions": [{"type": "Running", "status": "True"}]}})");
}

std::string other(const json& job) {
  return text_at(job, {"apiVersion"}) == "diengine.opendilab.org/v1alpha1"
             ? "v2alpha1"
             : "v1alpha1";
}

/// What the conversion of a job, or of its outline, gives: text, or a refusal.
std::string text_or_refusal(const k8s::result<json>& made) {
  return made ? k8s::to_text(*made) : made.error().message;
}

/// In its other version. That of its outline is the same to the byte.
k8s::result<json> convert(const json& job) {
  auto made = convert_dijob(job, other(job));
  const auto outline = frameworks::read_job_outline(k8s::to_text(job));
  BOOST_TEST(text_or_refusal(convert_dijob_outline(outline, other(job)))
             == text_or_refusal(made));
  BOOST_TEST(find_dijob_restore_error(outline)
             == find_dijob_restore_error(job));
  return made;
}

/// In its other version; fails the test if that is refused.
json converted(const json& job) {
  auto made = convert(job);
  BOOST_REQUIRE_MESSAGE(made, (made ? "" : made.error().message));
  return *made;
}

/// Why it is refused, "" if it is not.
std::string refusal(const json& job) {
  auto made = convert(job);
  if (made)
    return {};
  BOOST_TEST((made.error().code == k8s::ec::invalid));
  return made.error().message;
}

/// What an API server fills in when it reads v2alpha1.
json with_defaults(json job) {
  if (other(job) != "v1alpha1")
    return job;
  for (auto [name, value] : {std::pair<const char*, json>{"priority", "normal"},
                             {"backoffLimit", 3},
                             {"preemptible", false},
                             {"cleanPodPolicy", "Running"}})
    k8s::set_default(job["spec"], name, value);
  if (job.contains("status"))
    for (auto [name, value] : {std::pair<const char*, json>{"phase", "Pending"},
                               {"restarts", 0},
                               {"reschedules", 0}})
      k8s::set_default(job["status"], name, value);
  return job;
}

void check_round_trip(const json& job) {
  auto view = converted(job);
  BOOST_TEST(text_at(view, {"metadata", "labels", converted_from_label})
             == text_at(job, {"apiVersion"}).substr(23));
  BOOST_TEST(converted(view) == job, view << "\n" << job);
  BOOST_TEST(converted(with_defaults(view)) == job, view << "\n" << job);
}

json random_value(std::mt19937& random, int depth = 0) {
  switch (random() % (depth > 2 ? 4 : 6)) {
  case 0:
    return random() % 5;
  case 1:
    return std::string(random() % 4, 'x');
  case 2:
    return random() % 2 == 0;
  case 3:
    return "normal";
  case 4: {
    auto out = json::array();
    for (auto n = random() % 3; n > 0; --n)
      out.push_back(random_value(random, depth + 1));
    return out;
  }
  default: {
    auto out = json::object();
    for (auto n = random() % 3; n > 0; --n)
      out[std::string(1, static_cast<char>('a' + random() % 5))] =
          random_value(random, depth + 1);
    return out;
  }
  }
}

json random_part(std::mt19937& random, std::initializer_list<const char*> names,
                 std::initializer_list<json> common) {
  if (random() % 20 == 0)
    return random_value(random);
  auto out = json::object();
  for (const auto* name : names)
    if (random() % 2)
      out[name] = random_value(random);
  if (random() % 2)
    for (const auto& c : common)
      if (random() % 2)
        out.update(c);
  return out;
}

json random_job(std::mt19937& random) {
  bool stored = random() % 2;
  json job{{"apiVersion", std::string{"diengine.opendilab.org/"}
                              + (stored ? "v1alpha1" : "v2alpha1")},
           {"kind", "DIJob"},
           {"metadata", {{"name", "j"}}}};
  if (random() % 10)
    job["spec"] =
        stored ? random_part(
            random,
            {"coordinator", "collector", "learner", "group", "volumes",
             "priorityClassName", "tasks", "x"},
            {{{"cleanPodPolicy", "Running"}}, {{"cleanPodPolicy", "All"}}})
               : random_part(random,
                             {"tasks", "backoffLimit", "preemptible", "volumes",
                              "priority", "coordinator", "x"},
                             {{{"cleanPodPolicy", "Running"}},
                              {{"cleanPodPolicy", "None"}}});
  if (random() % 3)
    job["status"] = random_part(
        random,
        {"conditions", "replicaStatus", "replicas", "restarts", "taskStatus"},
        {{{"phase", "Pending"}}, {{"phase", "Running"}}});
  // What is null is as good as absent.
  for (const char* part : {"spec", "status"})
    if (job.contains(part) && job[part].is_null())
      job.erase(part);
  return job;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_job_with_a_coordinator_reads_as_a_job_without_tasks) {
  BOOST_TEST(converted(with_coordinator()) == json::parse(R"({
    "apiVersion": "diengine.opendilab.org/v2alpha1", "kind": "DIJob",
    "metadata": {"name": "j", "namespace": "ns", "uid": "u",
      "labels": {"a": "b",
                 "diengine.opendilab.org/converted-from": "v1alpha1"},
      "annotations": {"diengine.opendilab.org/unconverted":
        "{\"spec\":{\"coordinator\":{\"template\":{\"spec\":{\"containers\":[]}}},\"group\":\"g\",\"priorityClassName\":\"high\"},\"status\":{\"replicaStatus\":{\"Coordinator\":{\"active\":1}}}}"}},
    "spec": {"cleanPodPolicy": "All", "volumes": [{"name": "v"}], "tasks": [],
             "backoffLimit": 3, "preemptible": false, "priority": "normal"},
    "status": {"phase": "Created",
               "conditions": [{"type": "Created", "status": "True"}]}})"));
}

BOOST_AUTO_TEST_CASE(a_job_of_tasks_reads_as_a_job_without_a_coordinator) {
  auto view = converted(of_tasks());
  BOOST_TEST(view["spec"] == json({{"cleanPodPolicy", "Running"}}));
  BOOST_TEST(
      view["status"]
      == json({{"phase", "Running"},
               {"conditions", {{{"type", "Running"}, {"status", "True"}}}}}));
  BOOST_TEST(view["metadata"]["labels"]
             == json({{converted_from_label, "v2alpha1"}}));
  BOOST_TEST(view["metadata"]["annotations"]["a"] == "b");
  BOOST_TEST(json::parse(text_at(
                 view, {"metadata", "annotations", unconverted_annotation}))
             == json::parse(R"({
    "spec": {"priority": "high", "backoffLimit": 1, "preemptible": false,
             "tasks": [{"type": "learner", "replicas": 2}]},
    "status": {"replicas": 2, "readyReplicas": 2, "restarts": 0,
               "reschedules": 0, "taskStatus": {"learner": {"Running": 2}}}})"));
}

BOOST_AUTO_TEST_CASE(what_is_converted_back_is_the_same) {
  check_round_trip(with_coordinator());
  check_round_trip(of_tasks());
  for (const char* change : {
           R"({"spec": {"cleanPodPolicy": null}})",
           R"({"status": null})",
           R"({"status": {"phase": null, "conditions": null}})",
           R"({"spec": null})",
       })
    for (auto job : {with_coordinator(), of_tasks()}) {
      job.merge_patch(json::parse(change));
      check_round_trip(job);
    }
  auto same = with_coordinator();
  BOOST_TEST(*convert_dijob(same, "v1alpha1") == same);
}

BOOST_AUTO_TEST_CASE(random_jobs_are_restored) {
  std::mt19937 random{1};
  for (int i = 0; i < 20'000; ++i)
    check_round_trip(random_job(random));
}

BOOST_AUTO_TEST_CASE(what_both_versions_have_can_be_changed_in_either) {
  for (const auto& job : {with_coordinator(), of_tasks()}) {
    auto view = converted(job);
    auto wanted = job;
    for (auto* changed : {&view, &wanted}) {
      (*changed)["metadata"]["labels"]["new"] = "label";
      (*changed)["metadata"]["finalizers"] = {"x.io/y"};
      (*changed)["spec"]["cleanPodPolicy"] = "None";
      (*changed)["spec"]["volumes"] = {{{"name", "w"}}};
    }
    BOOST_TEST(converted(view) == wanted);
  }
  // A policy that was absent and is set to the default stays absent.
  auto job = with_coordinator();
  job["spec"].erase("cleanPodPolicy");
  auto view = converted(job);
  BOOST_TEST(view["spec"]["cleanPodPolicy"] == "Running");
  view["spec"]["cleanPodPolicy"] = "All";
  BOOST_TEST(converted(view)["spec"]["cleanPodPolicy"] == "All");
}

BOOST_AUTO_TEST_CASE(what_the_version_of_origin_does_not_have_is_refused) {
  struct row {
    const char* change;
    const char* error; ///< Its beginning; "": none.
  };
  const row rows[] = {
      {R"({"spec": {"tasks": [{"type": "learner"}]}})",
       "spec.tasks: Forbidden: the job was made as "
       "diengine.opendilab.org/v1alpha1, which has no such field; unset it, or "
       "delete the job and create it as diengine.opendilab.org/v2alpha1"},
      {R"({"spec": {"backoffLimit": 2}})", "spec.backoffLimit: Forbidden"},
      {R"({"spec": {"backoffLimit": 0}})", "spec.backoffLimit: Forbidden"},
      {R"({"spec": {"preemptible": true}})", "spec.preemptible: Forbidden"},
      {R"({"spec": {"priority": "high"}})", "spec.priority: Forbidden"},
      {R"({"spec": {"coordinator": {"a": 1}}})", "spec.coordinator: Forbidden"},
      {R"({"status": {"replicas": 2}})", "status.replicas: Forbidden"},
      {R"({"spec": {"backoffLimit": 3, "preemptible": false,
                    "priority": "normal", "tasks": []},
           "status": {"replicas": 0, "taskStatus": {}, "restarts": 0}})",
       ""},
      {R"({"spec": {"backoffLimit": null, "priority": null}})", ""},
      {R"({"metadata": {"labels":
           {"diengine.opendilab.org/converted-from": null}}})",
       "metadata.labels[diengine.opendilab.org/converted-from]"},
      {R"({"metadata": {"labels":
           {"diengine.opendilab.org/converted-from": "v3"}}})",
       "metadata.labels[diengine.opendilab.org/converted-from]"},
      {R"({"metadata": {"labels":
           {"diengine.opendilab.org/converted-from": "v2alpha1"}}})",
       "metadata.labels[diengine.opendilab.org/converted-from]"},
      {R"({"metadata": {"annotations":
           {"diengine.opendilab.org/unconverted": null}}})",
       "metadata.annotations[diengine.opendilab.org/unconverted]: Invalid"},
      {R"({"metadata": {"annotations":
           {"diengine.opendilab.org/unconverted": "{"}}})",
       "metadata.annotations[diengine.opendilab.org/unconverted]: Invalid"},
      {R"({"metadata": {"annotations":
           {"diengine.opendilab.org/unconverted": "[]"}}})",
       "metadata.annotations[diengine.opendilab.org/unconverted]: Invalid"},
      {R"({"metadata": {"annotations":
           {"diengine.opendilab.org/unconverted": "{}"}}})",
       "metadata.annotations[diengine.opendilab.org/unconverted]: Invalid"},
  };
  for (const auto& r : rows) {
    auto view = converted(with_coordinator());
    view.merge_patch(json::parse(r.change));
    auto why = refusal(view);
    BOOST_TEST(why.substr(0, std::string{r.error}.size()) == r.error, why);
    BOOST_TEST(why.empty() == !*r.error, why);
  }
  auto own = of_tasks();
  own["metadata"]["annotations"][unconverted_annotation] = "{}";
  BOOST_TEST(refusal(own).find("Forbidden: only conversion")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_stored_job_can_be_read_whatever_marks_it_has) {
  auto view = converted(of_tasks());
  const char* changes[] = {
      // A job of tasks, changed in the stored version.
      R"({"spec": {"coordinator": {"template": {}}}})",
      R"({"metadata": {"labels":
          {"diengine.opendilab.org/converted-from": null}}})",
      R"({"metadata": {"labels":
          {"diengine.opendilab.org/converted-from": "v1alpha1"}}})",
      R"({"metadata": {"annotations":
          {"diengine.opendilab.org/unconverted": null}}})",
      R"({"metadata": {"annotations":
          {"diengine.opendilab.org/unconverted": "x"}}})",
      // What an API server would refuse, and with it the whole list.
      R"({"metadata": {"annotations": {"diengine.opendilab.org/unconverted":
          "{\"spec\":{},\"metadata\":{\"labels\":7}}"}}})",
      R"({"metadata": {"annotations": {"diengine.opendilab.org/unconverted":
          "{\"spec\":{},\"metadata\":{\"labels\":\"-\"}}"}}})",
      R"({"metadata": {"annotations": {"diengine.opendilab.org/unconverted":
          "{\"spec\":{},\"metadata\":{\"annotations\":{}}}"}}})",
      R"({"metadata": {"annotations":
          {"diengine.opendilab.org/unconverted": "{\"omitted\":true}"}}})",
  };
  for (const char* change : changes) {
    auto stored = view;
    stored.merge_patch(json::parse(change));
    if (value_at(stored, {"metadata", "labels"}).empty())
      stored["metadata"].erase("labels"); // As an API server does.
    auto read = converted(stored);
    BOOST_TEST(read["spec"]["tasks"] == json::array());
    BOOST_TEST(converted(read) == stored, change);
  }
  auto read = converted(view);
  BOOST_TEST(read == of_tasks());
  // A status is written without a review.
  view["status"]["replicaStatus"] = {{"Coordinator", {{"active", 1}}}};
  BOOST_TEST(converted(view) == of_tasks());
}

BOOST_AUTO_TEST_CASE(a_job_that_is_too_large_can_be_read_but_not_written) {
  auto stored = with_coordinator();
  stored["spec"]["group"] = std::string(200'000, 'x');
  check_round_trip(stored);
  // As kubectl apply leaves it: a copy of the job is in an annotation.
  stored["metadata"]["annotations"]["copy"] = std::string(100'000, 'x');
  auto view = converted(stored);
  BOOST_TEST(text_at(view, {"metadata", "annotations", unconverted_annotation})
             == R"({"omitted":true})");
  BOOST_TEST(refusal(view).find("too large to be written in this version; "
                                "write it as diengine.opendilab.org/v1alpha1")
             != std::string::npos);
  auto job = of_tasks();
  job["spec"]["tasks"][0]["name"] = std::string(300'000, 'x');
  BOOST_TEST(refusal(job).find("metadata.annotations: Too long") == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_no_dijob_of_a_known_version_is_refused) {
  for (const char* text :
       {"null", "[]", R"({"apiVersion": 1})", R"({"apiVersion": "v1"})",
        R"({"apiVersion": "diengine.opendilab.org/v3"})"}) {
    auto made = convert_dijob(json::parse(text), "v1alpha1");
    BOOST_REQUIRE(!made);
    BOOST_TEST(made.error().message.find("apiVersion: Unsupported value")
               == 0u);
  }
  auto made = convert_dijob(of_tasks(), "v3");
  BOOST_REQUIRE(!made);
  BOOST_TEST(made.error().message
             == "a DIJob cannot be converted to v3, only to v1alpha1 and "
                "v2alpha1");
  for (const char* text : {
           R"({"apiVersion": "diengine.opendilab.org/v1alpha1"})",
           R"({"apiVersion": "diengine.opendilab.org/v1alpha1",
               "metadata": [], "spec": 1, "status": []})",
       })
    converted(json::parse(text));
}

BOOST_AUTO_TEST_CASE(a_stored_job_is_checked_for_what_it_was_made_of) {
  auto stored = converted(of_tasks());
  BOOST_TEST(find_dijob_restore_error(stored) == "");
  stored["spec"]["coordinator"] = {{"template", {{"spec", "x"}}}};
  BOOST_TEST(find_dijob_restore_error(stored).find(
                 "spec.coordinator: Forbidden: the job was made as "
                 "diengine.opendilab.org/v2alpha1")
             == 0u);
  BOOST_TEST(find_dijob_restore_error(with_coordinator()) == "");
  BOOST_TEST(find_dijob_restore_error(nullptr) == "");
}

BOOST_AUTO_TEST_SUITE_END()
