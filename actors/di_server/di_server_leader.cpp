#include "actors/di_server/di_server_leader.hpp"

#include "k8s/json.hpp"

namespace troupe::actors {

namespace {

constexpr const char* address_annotation =
    "training.kubeflow.org/di-server-address";
constexpr const char* token_annotation =
    "training.kubeflow.org/di-server-token";

} // namespace

di_server_leader::di_server_leader(std::string address, std::string token)
    : address_(std::move(address))
    , token_(std::move(token)) {}

std::map<std::string, std::string> di_server_leader::annotations() const {
  return {{address_annotation, address_}, {token_annotation, token_}};
}

void di_server_leader::on_lease_observed(bool leads, const std::string& lease) {
  auto object = k8s::parse_json_or_null(lease);
  auto annotation = [&](const char* name) {
    return k8s::text_at(object, {"metadata", "annotations", name});
  };
  route now{leads, annotation(address_annotation),
            annotation(token_annotation)};
  // Whoever wrote these does not lead any more.
  if (k8s::text_at(object, {"spec", "holderIdentity"}).empty()
      || now.token == token_)
    now.address.clear();
  std::lock_guard guard{lock_};
  route_ = std::move(now);
}

di_server_leader::route di_server_leader::current_route() const {
  std::lock_guard guard{lock_};
  return route_;
}

bool di_server_leader::has_forwarding_token(const std::string& token) const {
  return !token.empty() && token == token_;
}

} // namespace troupe::actors
