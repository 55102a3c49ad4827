#include "k8s/apiserver/patch/patch.hpp"

#include "k8s/apiserver/patch/json_patch.hpp"
#include "k8s/apiserver/patch/strategic_merge_patch.hpp"

namespace troupe::k8s::apiserver {

status_or<json> apply_patch(const json& target, const json& patch,
                            const std::string& content_type,
                            bool allows_strategic_merge) {
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
  if (type != "application/strategic-merge-patch+json"
      || !allows_strategic_merge)
    return unsupported_media_type(
        "the body of the request was in an unknown format - accepted media "
        "types "
        "include: application/json-patch+json, application/merge-patch+json"
        + std::string(allows_strategic_merge
                          ? ", application/strategic-merge-patch+json"
                          : "")
        + ", application/apply-patch+yaml");
  std::string error;
  auto out = strategic_merge(target, patch, error);
  if (!error.empty())
    return bad_request(error);
  return out;
}

} // namespace troupe::k8s::apiserver
