#include "actors/webhook/conversion_review.hpp"

#include "frameworks/conversions.hpp"
#include "k8s/json.hpp"

namespace troupe::actors {

namespace {

using k8s::json;
using k8s::text_at;
using k8s::value_at;

constexpr const char* conversion_review_version = "apiextensions.k8s.io/v1";
constexpr const char* conversion_review_kind = "ConversionReview";

k8s::http::response conversion_request_error(int status, std::string sentence) {
  k8s::http::response r;
  r.status = status;
  r.content_type = "text/plain; charset=utf-8";
  r.body = std::move(sentence) + "\n";
  return r;
}

/// What is wrong with the form of a review, "" if nothing.
std::string find_malformed_conversion_field(const json& review) {
  if (text_at(review, {"kind"}) != conversion_review_kind
      || text_at(review, {"apiVersion"}) != conversion_review_version)
    return "the body must be a ConversionReview of apiextensions.k8s.io/v1; "
           "set spec.conversion.webhook.conversionReviewVersions to [v1] in "
           "the CustomResourceDefinition";
  if (text_at(review, {"request", "uid"}).empty())
    return "request.uid is missing";
  if (text_at(review, {"request", "desiredAPIVersion"}).empty())
    return "request.desiredAPIVersion is missing";
  const auto& objects = value_at(review, {"request", "objects"});
  if (!objects.is_null() && !objects.is_array())
    return "request.objects must be an array";
  return {};
}

k8s::result<json> convert_one(const json& object, const std::string& desired) {
  const auto& from = text_at(object, {"apiVersion"});
  const auto& kind = text_at(object, {"kind"});
  const auto* c = frameworks::find_conversion(from, kind);
  auto slash = desired.find('/');
  if (!c || slash == desired.npos || desired.substr(0, slash) != c->group)
    return k8s::failure{k8s::ec::invalid, "no conversion of " + kind + " from "
                                              + from + " to " + desired
                                              + " is known"};
  return c->convert(object, desired.substr(slash + 1));
}

json failed_conversion(const std::string& why) {
  return {{"convertedObjects", json::array()},
          {"result",
           {{"metadata", json::object()},
            {"status", "Failure"},
            {"reason", "Invalid"},
            {"code", 422},
            {"message", why}}}};
}

/// "ns/name: " of one object of several, to tell which is meant.
std::string object_prefix(const json& object, std::size_t of) {
  const auto& ns = text_at(object, {"metadata", "namespace"});
  const auto& name = text_at(object, {"metadata", "name"});
  return of > 1 ? ns + "/" + name + ": " : "";
}

json convert_all(const json& request) {
  const auto& objects = k8s::array_at(request, {"objects"});
  auto converted = json::array();
  for (const auto& object : objects) {
    auto one = convert_one(object, text_at(request, {"desiredAPIVersion"}));
    if (!one)
      return failed_conversion(object_prefix(object, objects.size())
                               + one.error().message);
    converted.push_back(std::move(*one));
  }
  return {{"convertedObjects", std::move(converted)},
          {"result", {{"metadata", json::object()}, {"status", "Success"}}}};
}

} // namespace

k8s::http::response answer_conversion_review(const k8s::http::request& r) {
  if (r.method != "POST") {
    auto refusal = conversion_request_error(
        405, "a ConversionReview must be sent by POST");
    refusal.headers["Allow"] = "POST";
    return refusal;
  }
  auto review = k8s::parse_json(r.body);
  if (!review)
    return conversion_request_error(400, "the body is not JSON: "
                                             + review.error().message);
  if (auto wrong = find_malformed_conversion_field(*review); !wrong.empty())
    return conversion_request_error(400, wrong);
  const auto& request = value_at(*review, {"request"});
  auto response = convert_all(request);
  response["uid"] = text_at(request, {"uid"});
  k8s::http::response answer;
  answer.body = k8s::to_text({{"apiVersion", conversion_review_version},
                              {"kind", conversion_review_kind},
                              {"response", std::move(response)}});
  return answer;
}

} // namespace troupe::actors
