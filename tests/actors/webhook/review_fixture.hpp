#pragma once

#include "actors/webhook/admission_review.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "frameworks/registry.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::fixtures {

inline std::vector<const core::framework*> all_kinds() {
  std::vector<const core::framework*> result;
  for (const auto& f : frameworks::all())
    result.push_back(&f);
  return result;
}

inline json job_of(const char* kind, const std::string& name = "job") {
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

inline json review_of(const char* operation, const json& object,
                      const json& old = nullptr) {
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "review-1"},
            {"operation", operation},
            {"object", object},
            {"oldObject", old}}}};
}

/// What the webhook answers to this body at this path.
inline k8s::http::response
answer_to(const std::string& path, std::string body,
          const std::vector<const core::framework*>& kinds = all_kinds()) {
  k8s::http::request r;
  r.method = "POST";
  r.path = path;
  r.body = std::move(body);
  return actors::answer_admission_review(r, kinds);
}

/// The `response` of the answer to a review.
inline json response_to(const std::string& path, const std::string& review) {
  auto answer = answer_to(path, review);
  BOOST_REQUIRE_EQUAL(answer.status, 200);
  return json::parse(answer.body)["response"];
}

} // namespace troupe::fixtures
