#include "tests/actors/webhook/review_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(admission_review_test)

namespace {

k8s::http::response
post(const char* kind, const json& review,
     const std::vector<const core::framework*>& kinds = all_kinds()) {
  return answer_to(
      actors::validating_webhook_path(*frameworks::find(kind)),
      review.is_string() ? review.get<std::string>() : review.dump(), kinds);
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
