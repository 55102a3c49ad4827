#include "k8s/apiserver/patch.hpp"

#include "k8s/apiserver/strategic_merge_patch.hpp"

namespace troupe::k8s::apiserver {

namespace {

/// As API servers have it, a member that is to be replaced need not be there.
json change_replace_to_add_if_missing(const json& target, json operation) {
  if (text_at(operation, {"op"}) == "replace"
      && !target.contains(json::json_pointer(text_at(operation, {"path"}))))
    operation["op"] = "add";
  return operation;
}

status_or<json> apply_json_patch(const json& target, const json& patch) {
  // The library reports what cannot be applied by throwing.
  try {
    json out = target;
    for (const auto& operation : patch)
      out = out.patch(
          json::array({change_replace_to_add_if_missing(out, operation)}));
    return out;
  } catch (const json::exception& e) {
    status_error r{
        422, "Invalid",
        std::string("the server rejected our request due to an error in "
                    "our request: ")
            + e.what()};
    return r;
  }
}

} // namespace

status_or<json> apply_patch(const json& target, const json& patch,
                            const std::string& content_type, bool builtin) {
  auto type = content_type.substr(0, content_type.find(';'));
  if (type == "application/json-patch+json") {
    if (!patch.is_array())
      return bad_request("a JSON patch must be an array of operations");
    return apply_json_patch(target, patch);
  }
  if (!patch.is_object())
    return bad_request("the patch must be an object");
  if (type == "application/merge-patch+json") {
    json out = target;
    out.merge_patch(patch);
    return out;
  }
  if (type != "application/strategic-merge-patch+json" || !builtin)
    return unsupported_media_type(
        "the body of the request was in an unknown format - accepted media "
        "types "
        "include: application/json-patch+json, application/merge-patch+json"
        + std::string(builtin ? ", application/strategic-merge-patch+json" : "")
        + ", application/apply-patch+yaml");
  std::string error;
  auto out = strategic_merge(target, patch, error);
  if (!error.empty())
    return bad_request(error);
  return out;
}

} // namespace troupe::k8s::apiserver
