#include "actors/di_server/di_server_leader.hpp"

#include "k8s/general/digest.hpp"
#include "k8s/json.hpp"

namespace troupe::actors {

namespace {

constexpr const char* address_annotation =
    "training.kubeflow.org/di-server-address";
constexpr const char* term_annotation = "training.kubeflow.org/di-server-term";

/// Former releases wrote a secret there.
constexpr const char* token_annotation =
    "training.kubeflow.org/di-server-token";

} // namespace

di_server_leader::di_server_leader(std::string address, std::string term)
    : address_(std::move(address))
    , term_(std::move(term)) {}

std::map<std::string, std::string> di_server_leader::lease_annotations() const {
  return {{address_annotation, address_},
          {term_annotation, term_},
          {token_annotation, ""}};
}

void di_server_leader::on_lease_observed(bool leads, const std::string& lease) {
  auto object = k8s::parse_json_or_null(lease);
  auto annotation = [&](const char* name) {
    return k8s::text_at(object, {"metadata", "annotations", name});
  };
  route now{leads, annotation(address_annotation), annotation(term_annotation)};
  // Whoever wrote these does not lead any more.
  if (k8s::text_at(object, {"spec", "holderIdentity"}).empty()
      || now.term == term_)
    now.address.clear();
  std::lock_guard guard{lock_};
  route_ = std::move(now);
}

void di_server_leader::set_key(std::string key) {
  std::lock_guard guard{lock_};
  key_ = std::move(key);
}

di_server_leader::route di_server_leader::current_route() const {
  std::lock_guard guard{lock_};
  auto result = route_;
  result.has_key = !key_.empty();
  return result;
}

std::string di_server_leader::make_forwarded_header(const k8s::http::request& q,
                                                    const route& to,
                                                    const std::string& client) {
  std::lock_guard guard{lock_};
  return sign_forwarding(
      key_, q, {to.term, term_, ++forwarded_, client, k8s::sha256_hex(q.body)});
}

std::string di_server_leader::verified_client_of_forwarded(
    const k8s::http::request& head) const {
  std::lock_guard guard{lock_};
  auto said = verify_forwarding_except_body(key_, head);
  return said && said->term == term_ ? said->client : "";
}

bool di_server_leader::accept_forwarded_once(const k8s::http::request& q) {
  std::lock_guard guard{lock_};
  auto said = verify_forwarding_except_body(key_, q);
  return said && said->term == term_ && said->body == k8s::sha256_hex(q.body)
         && taken_.take_if_new(said->replica, said->count);
}

} // namespace troupe::actors
