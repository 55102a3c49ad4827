#include "k8s/apiserver/users/reviews.hpp"

#include "k8s/apiserver/access/authorization.hpp"
#include "k8s/apiserver/users/service_account_tokens.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

/// Who has sent the request; one from inside the process has no user.
const user_info& requesting_user_or_admin(const request_info& info) {
  return info.request->user ? *info.request->user : *admin_user();
}

json user_to_json(const user_info& user) {
  json out{{"username", user.name}};
  if (!user.uid.empty())
    out["uid"] = user.uid;
  if (!user.groups.empty())
    out["groups"] = user.groups;
  if (!user.extra.empty())
    out["extra"] = user.extra;
  return out;
}

/// nullopt if the review is about nothing.
std::optional<access_attributes> read_review_attributes(const json& spec) {
  access_attributes out;
  if (const auto* other = find_value(spec, {"nonResourceAttributes"});
      other && other->is_object()) {
    out.is_resource = false;
    out.path = text_at(*other, {"path"});
    out.verb = text_at(*other, {"verb"});
    return out;
  }
  const auto* about = find_value(spec, {"resourceAttributes"});
  if (!about || !about->is_object())
    return std::nullopt;
  out.verb = text_at(*about, {"verb"});
  out.api_group = text_at(*about, {"group"});
  out.resource = text_at(*about, {"resource"});
  out.subresource = text_at(*about, {"subresource"});
  out.ns = text_at(*about, {"namespace"});
  out.name = text_at(*about, {"name"});
  return out;
}

status_or<json> evaluate_access_of_user(const server_state& state,
                                        const request_info& info,
                                        const user_info& user, json review) {
  auto wanted = read_review_attributes(value_at(review, {"spec"}));
  if (!wanted && state.enforced_policy())
    return invalid(info.type->name.group, info.type->name.kind, "",
                   {invalid_value("spec.resourceAttributes", nullptr,
                                  "exactly one of nonResourceAttributes or "
                                  "resourceAttributes must be specified")});
  auto decision = allow_without_policy_or_decide(
      state.enforced_policy(), user, wanted.value_or(access_attributes{}));
  review["status"] = {{"allowed", decision.allowed}};
  if (auto reason = decision.reason(); !reason.empty())
    review["status"]["reason"] = reason;
  return review;
}

status_or<json> evaluate_access_review(server_state& state,
                                       const request_info& info, json review) {
  const auto& spec = value_at(review, {"spec"});
  user_info user;
  user.name = text_at(spec, {"user"});
  user.groups = strings_at(spec, {"groups"});
  user.uid = text_at(spec, {"uid"});
  // Without authorization it does not matter who it is about.
  if (state.enforced_policy() && user.name.empty() && user.groups.empty())
    return invalid(
        info.type->name.group, info.type->name.kind, "",
        {required_value("spec.user", "at least one of user or group must be "
                                     "specified")});
  if (info.type->namespaced
      && text_at(spec, {"resourceAttributes", "namespace"}) != info.ns)
    return bad_request("spec.resourceAttributes.namespace must be the "
                       "namespace of the request, "
                       + info.ns);
  return evaluate_access_of_user(state, info, user, std::move(review));
}

status_or<json> evaluate_self_access_review(server_state& state,
                                            const request_info& info,
                                            json review) {
  return evaluate_access_of_user(state, info, requesting_user_or_admin(info),
                                 std::move(review));
}

status_or<json> evaluate_self_rules_review(server_state& state,
                                           const request_info& info,
                                           json review) {
  const auto& ns = text_at(review, {"spec", "namespace"});
  if (state.enforced_policy() && ns.empty())
    return bad_request("no namespace on request");
  std::vector<std::string> errors;
  auto rules = rules_granted_to(
      state.policy,
      state.enforced_policy() ? requesting_user_or_admin(info) : *admin_user(),
      ns, errors);
  json resource_rules = json::array(), other_rules = json::array();
  for (auto& rule : policy_rules_to_json(rules))
    (rule.contains("nonResourceURLs") ? other_rules : resource_rules)
        .push_back(std::move(rule));
  review["status"] = {{"resourceRules", std::move(resource_rules)},
                      {"nonResourceRules", std::move(other_rules)},
                      {"incomplete", !errors.empty()}};
  if (!errors.empty())
    review["status"]["evaluationError"] = join(errors, ", ");
  return review;
}

status_or<json> evaluate_self_subject_review(server_state&,
                                             const request_info& info,
                                             json review) {
  review["status"] = {
      {"userInfo", user_to_json(requesting_user_or_admin(info))}};
  return review;
}

status_or<json> evaluate_token_review(server_state& state, const request_info&,
                                      json review) {
  const auto& token = text_at(review, {"spec", "token"});
  if (token.empty())
    return invalid("authentication.k8s.io", "TokenReview", "",
                   {required_value("spec.token", "a token is required")});
  auto audiences = strings_at(review, {"spec", "audiences"});
  if (audiences.empty())
    audiences = {token_issuer};
  std::string why;
  auto user = authenticate_service_account_token(state, token, audiences, why);
  auto& status = review["status"] = json::object();
  if (!user) {
    status["error"] = why;
    return review;
  }
  json shared = json::array();
  for (const auto& own : token_audiences(state, token))
    if (std::find(audiences.begin(), audiences.end(), own) != audiences.end())
      shared.push_back(own);
  status = {{"authenticated", true}, {"user", user_to_json(*user)}};
  status["audiences"] = std::move(shared);
  return review;
}

struct review_row {
  const char* kind;
  status_or<json> (*evaluate)(server_state& state, const request_info& info,
                              json review);
};

constexpr review_row reviews[] = {
    {"SelfSubjectReview", evaluate_self_subject_review},
    {"TokenReview", evaluate_token_review},
    {"SelfSubjectAccessReview", evaluate_self_access_review},
    {"SelfSubjectRulesReview", evaluate_self_rules_review},
    {"SubjectAccessReview", evaluate_access_review},
    {"LocalSubjectAccessReview", evaluate_access_review},
};

} // namespace

status_or<json> evaluate_review(server_state& state, const request_info& info,
                                json review) {
  for (const auto& row : reviews)
    if (info.type->name.kind == row.kind)
      return row.evaluate(state, info, std::move(review));
  return info.method_not_allowed_error();
}

} // namespace troupe::k8s::apiserver
