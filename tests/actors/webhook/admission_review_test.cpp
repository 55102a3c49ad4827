#include "actors/webhook/admission_review.hpp"
#include "actors/webhook/conversion_review.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "frameworks/conversions.hpp"
#include "frameworks/registry.hpp"
#include "k8s/deep_json.hpp"
#include "k8s/general/base64.hpp"
#include "tests/fixtures/builders.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(admission_review_test)

namespace {

std::vector<const core::framework*> all_kinds() {
  std::vector<const core::framework*> result;
  for (const auto& f : frameworks::all())
    result.push_back(&f);
  return result;
}

json job_of(const char* kind, const std::string& name = "job") {
  const auto* f = frameworks::find(kind);
  auto b = make_job_of(kind, name);
  for (const auto& rule : f->replicas)
    if (rule.required || rule.type == std::string{"Worker"})
      b.type(rule.type, 1);
  return {{"apiVersion", "kubeflow.org/v1"},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "ns"}}},
          {"spec", b.spec()}};
}

json review_of(const char* operation, const json& object,
               const json& old = nullptr) {
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "review-1"},
            {"operation", operation},
            {"object", object},
            {"oldObject", old}}}};
}

k8s::http::response
post(const char* kind, const json& review,
     const std::vector<const core::framework*>& kinds = all_kinds()) {
  k8s::http::request r;
  r.method = "POST";
  r.path = actors::validating_webhook_path(*frameworks::find(kind));
  r.body = review.is_string() ? review.get<std::string>() : review.dump();
  return actors::answer_admission_review(r, kinds);
}

/// The message of the answer, "" if the job is allowed.
std::string
denial(const char* kind, const json& review,
       const std::vector<const core::framework*>& kinds = all_kinds()) {
  auto answer = post(kind, review, kinds);
  BOOST_REQUIRE_EQUAL(answer.status, 200);
  BOOST_TEST(answer.content_type == "application/json");
  auto body = json::parse(answer.body);
  BOOST_TEST(body["apiVersion"] == "admission.k8s.io/v1");
  BOOST_TEST(body["kind"] == "AdmissionReview");
  const auto& response = body["response"];
  BOOST_TEST(response["uid"] == "review-1");
  const auto& status = response["status"];
  bool allowed = response["allowed"];
  BOOST_TEST(status["code"] == (allowed ? 200 : 403));
  BOOST_TEST(status.contains("message") == !allowed);
  BOOST_TEST((allowed || status["reason"] == "Forbidden"));
  return status.value("message", "");
}

} // namespace

BOOST_AUTO_TEST_CASE(names_are_those_of_the_original) {
  const auto& f = *frameworks::find("PyTorchJob");
  BOOST_TEST(actors::validating_webhook_path(f)
             == "/validate-kubeflow-org-v1-pytorchjob");
  BOOST_TEST(actors::validating_webhook_name(f)
             == "validator.pytorchjob.training-operator.kubeflow.org");
}

BOOST_AUTO_TEST_CASE(every_kind_is_validated) {
  for (const auto* f : kinds_with_replica_map())
    BOOST_TEST_CONTEXT(f->names.type.kind) {
      const auto* kind = f->names.type.kind.c_str();
      auto good = job_of(kind);
      BOOST_TEST(denial(kind, review_of("CREATE", good)) == "");
      BOOST_TEST(denial(kind, review_of("UPDATE", good, good)) == "");
      auto bad = good;
      bad["spec"].erase(f->names.spec_field);
      auto wanted = "spec." + std::string{f->names.spec_field}
                    + ": Required value: must be ";
      for (const auto& text : {denial(kind, review_of("CREATE", bad)),
                               denial(kind, review_of("UPDATE", bad, good))})
        BOOST_TEST(text.find(wanted) != std::string::npos, text);
      // Another operator reconciles this kind.
      BOOST_TEST(denial(kind, review_of("CREATE", bad), {}) == "");
    }
}

BOOST_AUTO_TEST_CASE(who_manages_a_job_of_any_kind_cannot_be_changed) {
  for (const auto* f : kinds_with_replica_map())
    BOOST_TEST_CONTEXT(f->names.type.kind) {
      const auto* kind = f->names.type.kind.c_str();
      auto old = job_of(kind);
      auto job = old;
      job["spec"]["runPolicy"]["managedBy"] = "kubeflow.org/training-operator";
      BOOST_TEST(denial(kind, review_of("UPDATE", job, old))
                     .find("spec.runPolicy.managedBy: Invalid value: "
                           "\"kubeflow.org/training-operator\": field is "
                           "immutable")
                 != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_a_write_of_a_job_is_allowed) {
  json broken{{"kind", "TFJob"}};
  BOOST_TEST(denial("TFJob", review_of("CREATE", broken)) != "");
  BOOST_TEST(denial("TFJob", review_of("DELETE", nullptr, broken)) == "");
  BOOST_TEST(denial("TFJob", review_of("CONNECT", broken)) == "");
  for (const char* part : {"status", "scale"}) {
    auto review = review_of("UPDATE", broken, broken);
    review["request"]["subResource"] = part;
    BOOST_TEST(denial("TFJob", review) == "");
  }
}

BOOST_AUTO_TEST_CASE(warnings_come_with_either_answer) {
  auto job = job_of("PyTorchJob");
  auto warnings = [&] {
    auto body = json::parse(post("PyTorchJob", review_of("CREATE", job)).body);
    return body["response"].value("warnings", json::array());
  };
  BOOST_TEST(warnings().empty());
  job["spec"]["elasticPolicy"]["nProcPerNode"] = 2;
  auto wanted =
      json::array({"spec.elasticPolicy.nProcPerNode is deprecated, use "
                   "spec.nprocPerNode instead"});
  BOOST_TEST(warnings() == wanted);
  BOOST_TEST(denial("PyTorchJob", review_of("CREATE", job)) == "");
  job["spec"]["nprocPerNode"] = "2";
  BOOST_TEST(warnings() == wanted);
  BOOST_TEST(denial("PyTorchJob", review_of("CREATE", job))
             == "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used "
                "with spec.nprocPerNode");
}

BOOST_AUTO_TEST_CASE(what_is_no_review_is_refused_with_the_reason) {
  auto job = job_of("TFJob");
  auto changed = [&](const std::function<void(json&)>& how) {
    auto review = review_of("UPDATE", job, job);
    how(review);
    return review;
  };
  const std::pair<json, const char*> table[] = {
      {"", "the body is not JSON: "},
      {"{", "the body is not JSON: "},
      {"[]", "the body must have the kind AdmissionReview and the apiVersion "
             "admission.k8s.io/v1"},
      {changed([](json& r) { r["apiVersion"] = "admission.k8s.io/v1beta1"; }),
       "the body must have the kind AdmissionReview and the apiVersion "
       "admission.k8s.io/v1"},
      {changed([](json& r) { r["kind"] = "Pod"; }),
       "the body must have the kind AdmissionReview"},
      {changed([](json& r) { r.erase("request"); }), "request.uid is missing"},
      {changed([](json& r) { r["request"]["uid"] = 5; }),
       "request.uid is missing"},
      {changed([](json& r) { r["request"].erase("object"); }),
       "request.object must be an object"},
      {changed([](json& r) { r["request"]["object"] = "text"; }),
       "request.object must be an object"},
      {changed([](json& r) { r["request"]["oldObject"] = nullptr; }),
       "request.oldObject must be an object"},
      {changed([](json& r) { r["request"]["object"]["kind"] = "Pod"; }),
       "request.object.kind must be TFJob"},
  };
  for (const auto& [body, sentence] : table) {
    auto answer = post("TFJob", body);
    BOOST_TEST(answer.status == 400);
    BOOST_TEST(answer.body.find(sentence) == 0u, answer.body);
  }
}

BOOST_AUTO_TEST_CASE(other_requests_are_refused) {
  k8s::http::request r;
  r.method = "GET";
  r.path = "/validate-kubeflow-org-v1-tfjob";
  BOOST_TEST(actors::answer_admission_review(r, all_kinds()).status == 405);
  r.method = "POST";
  r.path = "/validate-kubeflow-org-v1-pod";
  BOOST_TEST(actors::answer_admission_review(r, all_kinds()).status == 404);
}

namespace {

json dijob(const char* policy) {
  auto spec = di_spec();
  if (*policy != '\0')
    spec["cleanPodPolicy"] = policy;
  return {{"apiVersion", "diengine.opendilab.org/v1alpha1"},
          {"kind", "DIJob"},
          {"metadata", {{"name", "cp"}, {"namespace", "ns"}}},
          {"spec", spec}};
}

json response_to(const char* path, const json& review) {
  k8s::http::request r;
  r.method = "POST";
  r.path = path;
  r.body = review.dump();
  auto answer = actors::answer_admission_review(r, all_kinds());
  BOOST_REQUIRE_EQUAL(answer.status, 200);
  return json::parse(answer.body)["response"];
}

} // namespace

BOOST_AUTO_TEST_CASE(a_dijob_is_denied_with_a_reason_and_no_message) {
  const char* path = "/validate-diengine-opendilab-org-v1alpha1-dijob";
  for (const char* good : {"Running", "All", "ALL", "None"})
    BOOST_TEST(response_to(path, review_of("CREATE", dijob(good)))["allowed"]
               == true);
  auto job = dijob("Most");
  for (const auto& review :
       {review_of("CREATE", job), review_of("UPDATE", job, dijob("All"))}) {
    auto response = response_to(path, review);
    BOOST_TEST(response["allowed"] == false);
    BOOST_TEST(response["status"]
               == (json{{"metadata", json::object()},
                        {"code", 403},
                        {"reason", "Invalid CleanPodPolicy Most, expected in "
                                   "[None, Running, All]"}}));
  }
}

namespace {

/// The job with a template this much too deep for what is read elsewhere.
json with_nesting(json job, std::size_t levels) {
  std::string text(levels, '[');
  text.append(levels, ']');
  k8s::run_on_deep_json_thread([&] {
    job["spec"]["x"] = "here";
    auto whole = k8s::to_text(job);
    auto at = whole.find("\"here\"");
    whole.replace(at, 6, text);
    job = *k8s::parse_json(whole);
  });
  return job;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_job_that_is_too_deep_is_denied_for_every_kind) {
  for (const auto& f : frameworks::all())
    for (std::size_t levels : {150u, 198u, 1'100u, 9'990u})
      BOOST_TEST_CONTEXT(f.names.type.kind << " " << levels) {
        json job{{"apiVersion", f.names.type.api_version()},
                 {"kind", f.names.type.kind},
                 {"metadata", {{"name", "job"}, {"namespace", "ns"}}},
                 {"spec", json::object()}};
        auto old = job;
        std::string created;
        std::string updated;
        auto deep = with_nesting(job, levels);
        k8s::run_on_deep_json_thread([&] {
          created = k8s::to_text(review_of("CREATE", deep));
          updated = k8s::to_text(review_of("UPDATE", deep, deep));
        });
        auto path = actors::validating_webhook_path(f);
        auto answer_to = [&](const std::string& body) {
          k8s::http::request r;
          r.method = "POST";
          r.path = path;
          r.body = body;
          return actors::answer_admission_review(r, all_kinds());
        };
        auto refusal = answer_to(created);
        BOOST_TEST(refusal.status == 200);
        BOOST_TEST(refusal.body.find("\"allowed\":false") != std::string::npos);
        BOOST_TEST(refusal.body.find("spec: Invalid value: is nested "
                                     + std::to_string(levels + 1)
                                     + " levels deep, the limit is 100")
                       != std::string::npos,
                   refusal.body.substr(0, 300));
        // An update that leaves it as it was has the other rules only.
        BOOST_TEST(answer_to(updated).body.find("levels deep")
                   == std::string::npos);
      }
}

namespace {

/// `[0,0,...]` with so many items.
std::string zeros(std::size_t count) {
  std::string text = "[0";
  for (std::size_t i = 1; i < count; ++i)
    text += ",0";
  return text + "]";
}

/// A review as text, as its objects are too dense for values: what is in their
/// metadata beside the name, and their specs.
std::string dense_review(const core::framework& f, const std::string& meta,
                         const std::string& spec, const std::string& old_spec) {
  auto object = [&](const std::string& more, const std::string& its_spec) {
    return "{\"apiVersion\":\"" + f.names.type.api_version() + "\",\"kind\":\""
           + f.names.type.kind
           + R"(","metadata":{"name":"job","namespace":"ns")" + more
           + "},\"spec\":" + its_spec + "}";
  };
  auto request = std::string{R"({"uid":"review-1","operation":")"}
                 + (old_spec.empty() ? "CREATE" : "UPDATE") + R"(","object":)"
                 + object(meta, spec);
  if (!old_spec.empty())
    request += ",\"oldObject\":" + object("", old_spec);
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
         R"("request":)"
         + request + "}}";
}

/// The message or reason of a refusal, "" if it is allowed.
std::string refusal_by(const std::string& path, const std::string& body) {
  k8s::http::request r;
  r.method = "POST";
  r.path = path;
  r.body = body;
  auto answer = actors::answer_admission_review(r, all_kinds());
  BOOST_REQUIRE_EQUAL(answer.status, 200);
  auto response = json::parse(answer.body)["response"];
  if (response["allowed"] == true)
    return "";
  const auto& status = response["status"];
  return status.contains("message") ? status["message"] : status["reason"];
}

} // namespace

BOOST_AUTO_TEST_CASE(a_job_of_too_many_values_is_denied_for_every_kind) {
  const auto list = zeros(300'000);
  const auto dense = "{\"x\":" + list + "}";
  for (const auto& f : frameworks::all())
    BOOST_TEST_CONTEXT(f.names.type.kind) {
      auto path = actors::validating_webhook_path(f);
      auto refusal = [&](const std::string& meta, const std::string& spec,
                         const std::string& old_spec) {
        return refusal_by(path, dense_review(f, meta, spec, old_spec));
      };
      const std::string sentence =
          "spec: Too many: has 300002 values, the limit is 100000; put data "
          "into a ConfigMap, or into the image";
      BOOST_TEST(refusal("", dense, "") == sentence);
      BOOST_TEST(refusal("", dense, "{}") == sentence);
      BOOST_TEST(refusal("", "{\"a\":" + list + ",\"b\":" + list + "}", "")
                     .find("spec: Too many: has 600003 values")
                 == 0u);
      // The removal of a finalizer, a suspension, a smaller one.
      BOOST_TEST(refusal("", dense, dense) == "");
      BOOST_TEST(
          refusal("", "{\"runPolicy\":{\"suspend\":true},\"x\":" + list + "}",
                  dense)
          == "");
      BOOST_TEST(refusal("", "{\"x\":" + zeros(200'000) + "}", dense) == "");
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_reviewed_may_have_any_number_of_values) {
  const auto list = zeros(400'000);
  for (const char* kind : {"TFJob", "MPIJob"}) {
    auto job = job_of(kind);
    const auto& f = *frameworks::find(kind);
    auto path = actors::validating_webhook_path(f);
    for (const char* field : {"managedFields", "x"})
      BOOST_TEST(
          refusal_by(path,
                     dense_review(f, ",\"" + std::string{field} + "\":" + list,
                                  job["spec"].dump(), ""))
          == "");
    auto bad = dense_review(f, ",\"x\":" + list, "{}", "");
    BOOST_TEST(refusal_by(path, bad).find("Required value")
               != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_dijob_of_too_many_values_gets_no_defaults) {
  const auto& f = *frameworks::find("DIJob");
  auto answer = [&](const std::string& spec) {
    k8s::http::request r;
    r.method = "POST";
    r.path = f.admission.mutating.path;
    r.body = dense_review(f, "", spec, "");
    return json::parse(
        actors::answer_admission_review(r, all_kinds()).body)["response"];
  };
  BOOST_TEST(answer("{\"x\":[1,2]}")["patch"].is_string());
  BOOST_TEST(answer("{\"x\":" + zeros(400'000) + "}")["allowed"] == true);
}

BOOST_AUTO_TEST_CASE(a_dense_dijob_can_be_read_in_both_versions) {
  const auto& c = frameworks::object_conversions().front();
  // What is in the annotation, and what is too large for one.
  for (std::size_t items : {100'000u, 700'000u})
    for (const char* from : {"v1alpha1", "v2alpha1"}) {
      auto other = std::string{from} == "v1alpha1" ? "v2alpha1" : "v1alpha1";
      auto list = zeros(items);
      auto made = R"({"apiVersion":")" + c.api_version(from)
                  + R"(","kind":"DIJob","metadata":{"name":"a","x":)" + list
                  + R"(},"spec":{"tasks":)" + list + R"(,"volumes":)" + list
                  + R"(},"status":{"conditions":)" + list + "}}";
      auto convert = [&](const std::string& object, const char* to) {
        k8s::http::request r;
        r.method = "POST";
        r.path = actors::conversion_path;
        r.body = R"({"apiVersion":"apiextensions.k8s.io/v1",)"
                 R"("kind":"ConversionReview","request":{"uid":"u",)"
                 R"("desiredAPIVersion":")"
                 + c.api_version(to) + R"(","objects":[)" + object + "]}}";
        return json::parse(
            actors::answer_conversion_review(r).body)["response"];
      };
      auto there = convert(made, other);
      const auto status = k8s::text_at(there, {"result", "status"});
      bool fits = items == 100'000u;
      // Only what is stored is read whatever it has.
      BOOST_TEST(
          status
          == (fits || std::string{from} == "v1alpha1" ? "Success" : "Failure"));
      if (status != "Success")
        continue;
      const auto& view = there["convertedObjects"][0];
      BOOST_TEST((view["spec"]["volumes"] == json::parse(list)));
      auto back = convert(view.dump(), from);
      BOOST_TEST((k8s::text_at(back, {"result", "status"}) == "Success")
                 == fits);
      if (fits)
        BOOST_TEST((back["convertedObjects"][0] == json::parse(made)));
    }
}

BOOST_AUTO_TEST_CASE(a_deep_dijob_can_be_read_in_both_versions) {
  const auto& c = frameworks::object_conversions().front();
  for (const char* from : {"v1alpha1", "v2alpha1"})
    for (std::size_t levels : {198u, 1'100u, 9'980u})
      BOOST_TEST_CONTEXT(from << " " << levels) {
        auto other = std::string{from} == "v1alpha1" ? "v2alpha1" : "v1alpha1";
        json made{{"apiVersion", c.api_version(from)},
                  {"kind", "DIJob"},
                  {"metadata", {{"name", "deep"}, {"namespace", "ns"}}},
                  {"spec", json::object()}};
        auto plain = made;
        plain["metadata"]["name"] = "plain";
        auto deep = with_nesting(made, levels);
        auto convert = [&](const std::string& objects, const char* to) {
          k8s::http::request r;
          r.method = "POST";
          r.path = actors::conversion_path;
          r.body = R"({"apiVersion":"apiextensions.k8s.io/v1",)"
                   R"("kind":"ConversionReview","request":{"uid":"u",)"
                   R"("desiredAPIVersion":")"
                   + c.api_version(to) + R"(","objects":)" + objects + "}}";
          return actors::answer_conversion_review(r);
        };
        std::string objects;
        k8s::run_on_deep_json_thread([&] {
          objects = "[" + k8s::to_text(deep) + "," + k8s::to_text(plain) + "]";
        });
        auto there = convert(objects, other);
        BOOST_REQUIRE_EQUAL(there.status, 200);
        k8s::run_on_deep_json_thread([&] {
          auto answer = *k8s::parse_json(there.body);
          const auto& list = answer["response"]["convertedObjects"];
          BOOST_REQUIRE_EQUAL(list.size(), 2u);
          objects = k8s::to_text(list);
        });
        auto back = convert(objects, from);
        k8s::run_on_deep_json_thread([&] {
          auto answer = *k8s::parse_json(back.body);
          const auto& list = answer["response"]["convertedObjects"];
          BOOST_REQUIRE_EQUAL(list.size(), 2u);
          BOOST_TEST((list[0] == deep));
          BOOST_TEST((list[1] == plain));
        });
      }
}

BOOST_AUTO_TEST_CASE(the_policy_of_a_dijob_is_set_if_it_has_none) {
  const char* path = "/mutate-diengine-opendilab-org-v1alpha1-dijob";
  for (const char* policy : {"Running", "ALL"})
    BOOST_TEST(!response_to(path, review_of("CREATE", dijob(policy)))
                    .contains("patch"));
  auto response = response_to(path, review_of("CREATE", dijob("")));
  BOOST_TEST(response["allowed"] == true);
  BOOST_TEST(response["patchType"] == "JSONPatch");
  auto patch = json::parse(
      k8s::from_base64(response["patch"].get<std::string>()).value());
  BOOST_TEST(patch
             == json::array({{{"op", "add"},
                              {"path", "/spec/cleanPodPolicy"},
                              {"value", "Running"}}}));
  auto status = review_of("UPDATE", dijob(""), dijob(""));
  status["request"]["subResource"] = "status";
  BOOST_TEST(!response_to(path, status).contains("patch"));
  BOOST_TEST(!response_to(path, review_of("DELETE", nullptr, dijob("")))
                  .contains("patch"));
}

BOOST_AUTO_TEST_CASE(a_job_that_was_made_in_another_version_has_its_rules) {
  const auto& c = frameworks::object_conversions().front();
  const auto& kind = *frameworks::find("DIJob");
  json made{{"apiVersion", c.api_version("v2alpha1")},
            {"kind", "DIJob"},
            {"metadata", {{"name", "j"}, {"namespace", "ns"}}},
            {"spec", {{"tasks", {{{"type", "learner"}}}}}}};
  auto view = *c.convert(made, "v1alpha1");
  // It has no coordinator, and no policy to be set.
  BOOST_TEST(!actors::find_admission_error(kind, view, view));
  auto same = view;
  actors::set_admission_defaults_if_any(kind, same);
  BOOST_TEST(same == view);
  auto changed = view;
  changed["spec"]["cleanPodPolicy"] = "All";
  BOOST_TEST(!actors::find_admission_error(kind, changed, view));
  changed["spec"]["coordinator"] = {{"template", json::object()}};
  auto error = actors::find_admission_error(kind, changed, view);
  BOOST_REQUIRE(error);
  BOOST_TEST(error->find("spec.coordinator: Forbidden: the job was made as "
                         "diengine.opendilab.org/v2alpha1")
             == 0u);
  changed = view;
  changed["metadata"].erase("labels");
  BOOST_TEST(actors::find_admission_error(kind, changed, view).has_value());
  // Nobody marks a job himself.
  error = actors::find_admission_error(kind, view, nullptr);
  BOOST_REQUIRE(error);
  BOOST_TEST(error->find("leave it out") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_is_reviewed_by_the_version_that_it_was_born_as) {
  const auto& kind = *frameworks::find("kubeflow.org/v1", "MPIJob");
  auto job = job_of("MPIJob");
  job["spec"]["mpiReplicaSpecs"]["Oracle"] = {{"replicas", 1}};
  BOOST_TEST(actors::find_admission_error(kind, job, nullptr).has_value());
  job["spec"]["createdAs"] = "v1";
  BOOST_TEST(actors::find_admission_error(kind, job, nullptr).has_value());
  job["spec"]["createdAs"] = "v2beta1";
  BOOST_TEST(!actors::find_admission_error(kind, job, nullptr));
  BOOST_TEST(actors::find_admission_warnings(kind, job).empty());
}

BOOST_AUTO_TEST_CASE(policies_are_reviewed_in_spec_and_annotations) {
  auto job = job_of("PyTorchJob");
  job["spec"]["runPolicy"]["failurePolicy"] = {{"restartScope", "All"}};
  BOOST_TEST(denial("PyTorchJob", review_of("CREATE", job))
             == "spec.runPolicy.failurePolicy.restartScope: Unsupported value: "
                "\"All\": supported values: \"Pod\", \"ReplicaType\", \"Job\"");
  job = job_of("PyTorchJob");
  auto& notes = job["metadata"]["annotations"];
  notes[core::label::failure_policy] = "restartScope: Job";
  notes[core::label::success_policy] = "operator: All";
  BOOST_TEST(denial("PyTorchJob", review_of("CREATE", job)) == "");
  auto wrong = job;
  wrong["metadata"]["annotations"][core::label::success_policy] =
      "operator: Most";
  const auto* text =
      "metadata.annotations[training.kubeflow.org/success-policy]: operator: "
      "Unsupported value: \"Most\": supported values: \"All\", \"Any\"";
  BOOST_TEST(denial("PyTorchJob", review_of("CREATE", wrong)) == text);
  BOOST_TEST(denial("PyTorchJob", review_of("UPDATE", wrong, job)) == text);
  BOOST_TEST(denial("PyTorchJob", review_of("UPDATE", wrong, wrong)) == "");
}

BOOST_AUTO_TEST_SUITE_END()
