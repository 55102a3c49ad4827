#include "actors/webhook/conversion_review.hpp"

#include "actors/webhook/review.hpp"
#include "frameworks/conversions.hpp"
#include "k8s/json.hpp"

namespace troupe::actors {

namespace {

using k8s::json;
using k8s::text_at;
using k8s::value_at;

/// What is wrong with the form of a request, "" if nothing.
std::string find_malformed_conversion_error(const json& request) {
  if (text_at(request, {"desiredAPIVersion"}).empty())
    return "request.desiredAPIVersion is missing";
  const auto& objects = value_at(request, {"objects"});
  if (!objects.is_null() && !objects.is_array())
    return "request.objects must be an array";
  return {};
}

k8s::result<json> convert_object_to_version(const json& object,
                                            const std::string& desired) {
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

json failed_conversion_response(const std::string& why) {
  return {{"convertedObjects", json::array()},
          {"result",
           {{"metadata", json::object()},
            {"status", "Failure"},
            {"reason", "Invalid"},
            {"code", 422},
            {"message", why}}}};
}

/// "ns/name: " of one object of several, to tell which is meant.
std::string object_name_prefix(const json& object, std::size_t of) {
  const auto& ns = text_at(object, {"metadata", "namespace"});
  const auto& name = text_at(object, {"metadata", "name"});
  return of > 1 ? ns + "/" + name + ": " : "";
}

json conversion_response(const json& request) {
  const auto& objects = k8s::array_at(request, {"objects"});
  auto converted = json::array();
  for (const auto& object : objects) {
    auto one = convert_object_to_version(
        object, text_at(request, {"desiredAPIVersion"}));
    if (!one)
      return failed_conversion_response(
          object_name_prefix(object, objects.size()) + one.error().message);
    converted.push_back(std::move(*one));
  }
  return {{"convertedObjects", std::move(converted)},
          {"result", {{"metadata", json::object()}, {"status", "Success"}}}};
}

} // namespace

k8s::http::response answer_conversion_review(const k8s::http::request& r) {
  static const review_kind kind{
      "apiextensions.k8s.io/v1", "ConversionReview",
      "spec.conversion.webhook.conversionReviewVersions to [v1] in the "
      "CustomResourceDefinition",
      find_malformed_conversion_error, conversion_response};
  return answer_review(r, kind);
}

} // namespace troupe::actors
