#include "actors/webhook/conversion_review.hpp"

#include "actors/webhook/review.hpp"
#include "frameworks/conversions.hpp"
#include "k8s/json_outline.hpp"
#include "k8s/json_parts.hpp"

namespace troupe::actors {

namespace {

using k8s::json;
using k8s::text_at;
using k8s::value_at;

/// The text of `request.objects`, "[]" if there are none, ""
/// if they are no list.
std::string_view objects_text_or_empty(const json& request) {
  const auto& objects = value_at(request, {"objects"});
  if (objects.is_null() || objects.is_array()) // It is empty.
    return "[]";
  auto text = k8s::text_of_value(objects);
  return !text.empty() && text.front() == '[' ? text : std::string_view{};
}

/// What is wrong with the form of a request, "" if nothing.
std::string find_malformed_conversion_error(const json& request) {
  if (text_at(request, {"desiredAPIVersion"}).empty())
    return "request.desiredAPIVersion is missing";
  if (objects_text_or_empty(request).empty())
    return "request.objects must be an array";
  return {};
}

k8s::result<json> convert_object_to_version(const json& object,
                                            const std::string& desired) {
  const auto& from = text_at(object, {"apiVersion"});
  const auto& kind = text_at(object, {"kind"});
  const auto* c = frameworks::find_conversion_of_kind(from, kind);
  auto slash = desired.find('/');
  if (!c || slash == desired.npos || desired.substr(0, slash) != c->group)
    return k8s::failure{k8s::ec::invalid, "no conversion of " + kind + " from "
                                              + from + " to " + desired
                                              + " is known"};
  return c->convert_outline(object, desired.substr(slash + 1));
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
std::string object_prefix_if_several(const json& object,
                                     std::size_t object_count) {
  const auto& ns = text_at(object, {"metadata", "namespace"});
  const auto& name = text_at(object, {"metadata", "name"});
  return object_count > 1 ? ns + "/" + name + ": " : "";
}

/// One object after the other is read, converted and dropped.
json conversion_response(const json& request) {
  const auto objects = objects_text_or_empty(request);
  const auto& version = text_at(request, {"desiredAPIVersion"});
  std::size_t count = 0;
  k8s::for_each_json_element(objects, [&](auto) { ++count; });
  std::string converted = "[";
  std::string error;
  k8s::for_each_json_element(objects, [&](std::string_view text) {
    if (!error.empty())
      return;
    const auto object = frameworks::read_job_outline(text);
    auto one = convert_object_to_version(object, version);
    if (!one) {
      error = object_prefix_if_several(object, count) + one.error().message;
      return;
    }
    if (converted.size() > 1)
      converted += ',';
    k8s::append_text(converted, *one);
  });
  if (!error.empty())
    return failed_conversion_response(error);
  return {{"convertedObjects", k8s::make_text_value(converted + "]")},
          {"result", {{"metadata", json::object()}, {"status", "Success"}}}};
}

} // namespace

k8s::http::response answer_conversion_review(const k8s::http::request& r) {
  static const review_kind kind{
      "apiextensions.k8s.io/v1",
      "ConversionReview",
      "spec.conversion.webhook.conversionReviewVersions to [v1] in the "
      "CustomResourceDefinition",
      {},
      find_malformed_conversion_error,
      conversion_response};
  return answer_review(r, kind);
}

} // namespace troupe::actors
