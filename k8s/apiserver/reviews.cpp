#include "k8s/apiserver/reviews.hpp"

#include "k8s/apiserver/service_account_tokens.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

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

std::vector<std::string> strings_at(const json& value, key_path path) {
  std::vector<std::string> out;
  for (const auto& one : array_at(value, path))
    if (one.is_string())
      out.push_back(one);
  return out;
}

} // namespace

const user_info& user_of(const request_info& info) {
  return info.request->user ? *info.request->user : *administrator();
}

status_or<json> answer_access_review(server_state&, const request_info&,
                                     json review) {
  review["status"] = {{"allowed", true},
                      {"reason", "whoever is known may do everything"}};
  return review;
}

status_or<json> answer_self_access_review(server_state& state,
                                          const request_info& info,
                                          json review) {
  return answer_access_review(state, info, std::move(review));
}

status_or<json> answer_rules_review(server_state&, const request_info&,
                                    json review) {
  const auto all = json::array({"*"});
  review["status"] = {
      {"resourceRules",
       json::array({{{"verbs", all}, {"apiGroups", all}, {"resources", all}}})},
      {"nonResourceRules",
       json::array({{{"verbs", all}, {"nonResourceURLs", all}}})},
      {"incomplete", false}};
  return review;
}

status_or<json> answer_subject_review(server_state&, const request_info& info,
                                      json review) {
  review["status"] = {{"userInfo", user_to_json(user_of(info))}};
  return review;
}

status_or<json> answer_token_review(server_state& state, const request_info&,
                                    json review) {
  const auto& token = text_at(review, {"spec", "token"});
  if (token.empty())
    return invalid("authentication.k8s.io", "TokenReview", "",
                   {required_value("spec.token", "a token is required")});
  auto audiences = strings_at(review, {"spec", "audiences"});
  if (audiences.empty())
    audiences = {token_issuer};
  std::string why;
  auto user = find_token_user(state, token, audiences, why);
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

} // namespace troupe::k8s::apiserver
