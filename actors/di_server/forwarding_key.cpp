#include "actors/di_server/forwarding_key.hpp"

#include "config/logging.hpp"
#include "k8s/calls.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/http/access.hpp"

#include <utility>

namespace troupe::actors {

namespace {

constexpr const char* key_field = "di-server.key";

/// Shorter ones are none of ours.
constexpr std::size_t least_key_size = 32;

constexpr std::chrono::minutes between_reads{10};
constexpr std::chrono::seconds after_failure{10};
/// Until rights change.
constexpr std::chrono::minutes after_refusal{5};

/// "" if the Secret has none.
std::string key_in_secret_or_empty(const k8s::json& secret) {
  auto key = k8s::from_base64(k8s::text_at(secret, {"data", key_field}));
  return key && key->size() >= least_key_size ? *key : "";
}

} // namespace

void forwarding_key_state::init(context_ptr context,
                                forwarding_key_config config) {
  context_ = std::move(context);
  config_ = std::move(config);
}

void forwarding_key_state::read_secret() {
  send_call(read_call,
            k8s::get({k8s::resources::secrets, config_.ns, config_.secret}));
}

void forwarding_key_state::send_call(call_kind kind, k8s::request r) {
  self_->send(context_->gateway_for(""),
              api_call{kind, std::move(r), "", call_priority::always,
                       caf::actor_cast<api_caller_actor>(self_)});
}

void forwarding_key_state::on_api_response(const api_response& a) {
  if (!*a.outcome && a.outcome->error().code == k8s::ec::cancelled)
    return; // The operator is stopping.
  a.tag == read_call ? on_read(*a.outcome) : on_write(*a.outcome);
}

void forwarding_key_state::on_read(const k8s::result<std::string>& outcome) {
  k8s::json secret;
  if (outcome)
    secret = k8s::parse_json_or_null(*outcome);
  else if (outcome.error().code != k8s::ec::not_found)
    return log_and_read_again_later(
        "failed to get the Secret with the key for "
        "di-server: replicas cannot forward requests",
        outcome.error());
  if (outcome && !secret.is_object())
    return log_and_read_again_later(
        "failed to read the Secret with the key for "
        "di-server: replicas cannot forward requests",
        {k8s::ec::garbage, "the answer is no object", {}});
  auto key = key_in_secret_or_empty(secret);
  if (key.empty())
    return write_new_key(std::move(secret));
  last_failure_.clear();
  if (std::exchange(key_, key) != key)
    config_.use_key(key);
  read_again_after(between_reads);
}

void forwarding_key_state::write_new_key(k8s::json secret) {
  auto key = k8s::http::make_bearer_token();
  if (!key)
    return log_and_read_again_later("failed to make a key for di-server",
                                    key.error());
  bool create = !secret.is_object();
  if (create)
    secret = {
        {"apiVersion", "v1"},
        {"kind", "Secret"},
        {"type", "Opaque"},
        {"metadata", {{"name", config_.secret}, {"namespace", config_.ns}}}};
  k8s::ensure_object(secret, "data")[key_field] = k8s::to_base64(*key);
  auto text = k8s::to_text(secret);
  send_call(
      write_call,
      create ? k8s::create(k8s::resources::secrets, config_.ns, text)
             : k8s::update(
                 {k8s::resources::secrets, config_.ns, config_.secret}, text));
}

void forwarding_key_state::on_write(const k8s::result<std::string>& outcome) {
  bool other_was_first = !outcome
                         && (outcome.error().code == k8s::ec::conflict
                             || outcome.error().code == k8s::ec::exists);
  if (outcome)
    return read_secret();
  if (other_was_first)
    return read_again_after(std::chrono::seconds{1});
  log_and_read_again_later(
      "failed to write a key for di-server into the Secret: create "
      "it empty, and grant the operator the verbs get and update on "
      "it; until then replicas cannot forward requests",
      outcome.error());
}

void forwarding_key_state::log_and_read_again_later(const char* what,
                                                    const k8s::failure& why) {
  if (std::exchange(last_failure_, why.message) != why.message)
    log::warn(what, {{"secret", config_.ns + "/" + config_.secret},
                     {"error", why.message}});
  read_again_after(why.is_refusal() ? std::chrono::milliseconds{after_refusal}
                                    : std::chrono::milliseconds{after_failure});
}

void forwarding_key_state::read_again_after(std::chrono::milliseconds delay) {
  self_->delayed_send(self_, delay, timer_fired{0});
}

report_ptr forwarding_key_state::report() const {
  auto out = own_report(
      *self_, {{"known", !key_.empty()}, {"lastFailure", last_failure_}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

forwarding_key_actor::behavior_type
forwarding_key(self_pointer<forwarding_key_actor, forwarding_key_state> self,
               context_ptr context, forwarding_key_config config) {
  self->state.init(std::move(context), std::move(config));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](atom::start) { self->state.read_secret(); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const timer_fired&) { self->state.read_secret(); },
  };
}

} // namespace troupe::actors
