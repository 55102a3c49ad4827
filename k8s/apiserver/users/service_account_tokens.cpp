#include "k8s/apiserver/users/service_account_tokens.hpp"

#include "k8s/apiserver/access/service_account_names.hpp"
#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

constexpr std::int64_t default_seconds = 3600;
constexpr std::int64_t least_seconds = 600;
constexpr std::int64_t most_seconds = std::int64_t{1} << 32;
/// Tokens whose signatures are known to be right.
constexpr std::size_t most_remembered_tokens = 10'000;

std::int64_t to_unix_seconds(time_point t) {
  return std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch())
      .count();
}

bool have_common_element(const std::vector<std::string>& a,
                         const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& one) {
    return std::find(b.begin(), b.end(), one) != b.end();
  });
}

/// What is wrong with the spec of a request.
field_errors find_token_lifetime_errors(const json& spec) {
  field_errors out;
  auto seconds = number_at(spec, {"expirationSeconds"}, default_seconds);
  if (seconds < least_seconds)
    out.push_back(
        invalid_value("spec.expirationSeconds", seconds,
                      "may not specify a duration less than 10 minutes"));
  if (seconds > most_seconds)
    out.push_back(
        invalid_value("spec.expirationSeconds", seconds,
                      "may not specify a duration larger than 2^32 seconds"));
  return out;
}

struct bound_kind {
  const char* kind;
  const char* bucket;
  const char* claim;
};

const bound_kind* find_bound_kind(const std::string& kind) {
  static constexpr bound_kind all[] = {{"Pod", "pods", "pod"},
                                       {"Secret", "secrets", "secret"}};
  for (const auto& one : all)
    if (kind == one.kind)
      return &one;
  return nullptr;
}

json make_name_and_uid_claim(const std::string& name, const std::string& uid) {
  return {{"name", name}, {"uid", uid}};
}

/// Adds what the token is bound to, if anything.
std::optional<status_error> add_bound_object_claim(const server_state& state,
                                                   const request_info& info,
                                                   const json& reference,
                                                   json& claims) {
  const auto& kind = text_at(reference, {"kind"});
  const auto& name = text_at(reference, {"name"});
  if (!reference.is_object() || (kind.empty() && name.empty()))
    return std::nullopt;
  const auto* bound = find_bound_kind(kind);
  if (!bound)
    return bad_request("cannot bind token for serviceaccount \"" + info.name
                       + "\" to kind \"" + kind
                       + "\": this server binds tokens to Pods and Secrets");
  auto object = state.objects.find(bound->bucket, storage_key(info.ns, name));
  if (!object)
    return not_found("", bound->bucket, name);
  const auto& uid = text_at(object->value(), {"metadata", "uid"});
  const auto& wanted = text_at(reference, {"uid"});
  if (!wanted.empty() && wanted != uid)
    return conflict("", bound->bucket, name,
                    "the UID in the bound object reference (" + wanted
                        + ") does not match the UID in record. The object "
                          "might have been deleted and then recreated");
  claims[bound->claim] = make_name_and_uid_claim(name, uid);
  if (kind != "Pod")
    return std::nullopt;
  auto account = text_at(object->value(), {"spec", "serviceAccountName"},
                         default_service_account);
  if (account != info.name)
    return bad_request("cannot bind token for serviceaccount \"" + info.name
                       + "\" to pod running with different serviceaccount "
                         "name.");
  const auto& node = text_at(object->value(), {"spec", "nodeName"});
  if (auto n = state.objects.find("nodes", storage_key("", node)))
    claims["node"] =
        make_name_and_uid_claim(node, text_at(n->value(), {"metadata", "uid"}));
  return std::nullopt;
}

/// The claims of a token that one of our keys has signed; null if none has.
std::shared_ptr<const json> signed_claims_or_null(server_state& state,
                                                  std::string_view token) {
  auto& known = state.signed_tokens;
  if (auto i = known.find(std::string{token}); i != known.end())
    return i->second;
  auto signer = state.get_or_make_token_signer();
  auto claims = signer ? (*signer)->verify_signature_and_parse_claims(token)
                       : std::nullopt;
  if (!claims)
    return nullptr;
  if (known.size() >= most_remembered_tokens)
    known.clear();
  auto kept = std::make_shared<const json>(std::move(*claims));
  known.emplace(token, kept);
  return kept;
}

/// Whether an object is there and is the one that the claim names.
bool is_claimed_object_stored(const server_state& state,
                              const std::string& bucket, const std::string& ns,
                              const json& claim) {
  auto object =
      state.objects.find(bucket, storage_key(ns, text_at(claim, {"name"})));
  return object
         && text_at(object->value(), {"metadata", "uid"})
                == text_at(claim, {"uid"});
}

/// Why the claims do not hold, or "".
std::string find_claim_error(const server_state& state, const json& claims,
                             const std::vector<std::string>& audiences) {
  auto now = to_unix_seconds(state.now());
  constexpr std::int64_t leeway = 10; // As a restart may turn the clock back.
  if (now >= number_at(claims, {"exp"}))
    return "service account token has expired";
  if (now + leeway < number_at(claims, {"nbf"}))
    return "service account token is not valid yet";
  if (text_at(claims, {"iss"}) != token_issuer)
    return "service account token is of another issuer";
  auto own = strings_at(claims, {"aud"});
  if (!have_common_element(own, audiences))
    return "token audiences [\"" + join(own, "\" \"")
           + "\"] is invalid for the target audiences [\""
           + join(audiences, "\" \"") + "\"]";
  const auto& bound = value_at(claims, {"kubernetes.io"});
  const auto& ns = text_at(bound, {"namespace"});
  if (!is_claimed_object_stored(state, "serviceaccounts", ns,
                                value_at(bound, {"serviceaccount"})))
    return "service account token has been invalidated: the account is gone";
  for (const char* kind : {"Pod", "Secret"}) {
    const auto* k = find_bound_kind(kind);
    if (const auto* claim = find_value(bound, {k->claim});
        claim && !is_claimed_object_stored(state, k->bucket, ns, *claim))
      return "service account token has been invalidated: its "
             + std::string{k->claim} + " is gone";
  }
  return "";
}

user_ptr make_token_user(const json& claims) {
  const auto& bound = value_at(claims, {"kubernetes.io"});
  const auto& ns = text_at(bound, {"namespace"});
  auto user = std::make_shared<user_info>();
  user->name =
      service_account_user_name(ns, text_at(bound, {"serviceaccount", "name"}));
  user->uid = text_at(bound, {"serviceaccount", "uid"});
  user->groups = service_account_groups(ns);
  user->groups.emplace_back("system:authenticated");
  const std::string prefix = "authentication.kubernetes.io/";
  user->extra[prefix + "credential-id"] = {"JTI=" + text_at(claims, {"jti"})};
  for (const char* kind : {"pod", "node"})
    if (const auto* claim = find_value(bound, {kind})) {
      user->extra[prefix + kind + "-name"] = {text_at(*claim, {"name"})};
      user->extra[prefix + kind + "-uid"] = {text_at(*claim, {"uid"})};
    }
  return user;
}

} // namespace

status_or<write_result> create_service_account_token(server_state& state,
                                                     const request_info& info,
                                                     const json& request) {
  auto account = state.objects.find("serviceaccounts", info.storage_key());
  if (!account)
    return info.not_found_error();
  json spec = value_at(request, {"spec"});
  if (!spec.is_object())
    spec = json::object();
  if (auto errors = find_token_lifetime_errors(spec); !errors.empty())
    return invalid("authentication.k8s.io", "TokenRequest", "", errors);
  if (array_at(spec, {"audiences"}).empty())
    spec["audiences"] = {token_issuer};
  auto seconds = number_at(spec, {"expirationSeconds"}, default_seconds);
  spec["expirationSeconds"] = seconds;
  json bound{{"namespace", info.ns},
             {"serviceaccount",
              make_name_and_uid_claim(
                  info.name, text_at(account->value(), {"metadata", "uid"}))}};
  if (auto error = add_bound_object_claim(
          state, info, value_at(spec, {"boundObjectRef"}), bound))
    return *error;
  auto now = to_unix_seconds(state.now());
  json claims{{"aud", spec["audiences"]},
              {"exp", now + seconds},
              {"iat", now},
              {"iss", token_issuer},
              {"jti", state.new_uid()},
              {"kubernetes.io", std::move(bound)},
              {"nbf", now},
              {"sub", service_account_user_name(info.ns, info.name)}};
  auto signer = state.get_or_make_token_signer();
  auto token = signer ? (*signer)->sign(claims) : signer.error();
  if (!token)
    return status_error{500, "InternalError", token.error().message};
  write_result out;
  out.http_status = 201;
  out.body = {{"kind", "TokenRequest"},
              {"apiVersion", "authentication.k8s.io/v1"},
              {"metadata",
               {{"name", info.name},
                {"namespace", info.ns},
                {"creationTimestamp", state.timestamp()}}},
              {"spec", std::move(spec)},
              {"status",
               {{"token", *token},
                {"expirationTimestamp",
                 to_rfc3339(state.now() + std::chrono::seconds{seconds})}}}};
  return out;
}

user_ptr
authenticate_service_account_token(server_state& state, std::string_view token,
                                   const std::vector<std::string>& audiences,
                                   std::string& why) {
  auto claims = signed_claims_or_null(state, token);
  why = claims ? find_claim_error(state, *claims, audiences)
               : "invalid bearer token";
  return why.empty() ? make_token_user(*claims) : nullptr;
}

std::vector<std::string> token_audiences(server_state& state,
                                         std::string_view token) {
  auto claims = signed_claims_or_null(state, token);
  return claims ? strings_at(*claims, {"aud"}) : std::vector<std::string>{};
}

} // namespace troupe::k8s::apiserver
