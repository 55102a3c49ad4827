#include "actors/webhook/certificate_rotator.hpp"

#include "actors/metrics.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "config/logging.hpp"
#include "k8s/calls.hpp"
#include "k8s/http/certificate_reader.hpp"

namespace troupe::actors {

namespace {

const k8s::object_ref& configuration_ref() {
  static const k8s::object_ref it{
      k8s::resources::validating_webhook_configurations, "",
      webhook_configuration_name};
  return it;
}

k8s::json new_secret(const std::string& ns, const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"type", "Opaque"},
          {"metadata", {{"name", name}, {"namespace", ns}}}};
}

const char* to_string(certificate_renewal r) {
  switch (r) {
  case certificate_renewal::none:
    return "none";
  case certificate_renewal::serving:
    return "serving certificate";
  case certificate_renewal::authority:
    return "certificate authority";
  case certificate_renewal::authority_and_serving:
    break;
  }
  return "certificate authority and serving certificate";
}

} // namespace

void certificate_rotator_state::init(context_ptr context,
                                     certificate_rotator_config config) {
  context_ = std::move(context);
  config_ = std::move(config);
  config_.certificates.jitter = context_->jitter();
  planner_.emplace(config_.certificates, config_.configuration);
}

void certificate_rotator_state::read() {
  wrote_ = false;
  refused_ = false;
  send(read_configuration_call, k8s::get(configuration_ref()));
}

void certificate_rotator_state::send(call tag, k8s::request r) {
  self_->send(context_->gateway_for(""),
              api_call{tag, std::move(r), "", call_priority::always,
                       caf::actor_cast<api_caller_actor>(self_)});
}

void certificate_rotator_state::on_api_response(const api_response& a) {
  const auto& outcome = *a.outcome;
  if (!outcome && outcome.error().code == k8s::ec::cancelled)
    return; // The operator is stopping.
  auto tag = static_cast<call>(a.tag);
  if (tag == write_secret_call || tag == write_configuration_call) {
    on_written(tag, outcome);
    if (tag == write_secret_call && plan_.configuration)
      write_configuration();
    else
      finish();
    return;
  }
  if (!store_object(tag, outcome)) {
    finish();
  } else if (tag == read_secret_call) {
    act_on_plan();
  } else if (planner_->is_absent_and_not_made_here(configuration_)) {
    *config_.ready = true;
    finish();
  } else {
    send(read_secret_call,
         k8s::get({k8s::resources::secrets, config_.ns, config_.secret}));
  }
}

bool certificate_rotator_state::store_object(
    call tag, const k8s::result<std::string>& outcome) {
  bool is_configuration = tag == read_configuration_call;
  auto& object = is_configuration ? configuration_ : secret_;
  object = nullptr;
  if (outcome)
    object = k8s::parse_json_or_null(*outcome);
  bool absent = !outcome && outcome.error().code == k8s::ec::not_found;
  // Who may not read the configuration may not complete it either.
  bool forbidden = !outcome && outcome.error().code == k8s::ec::forbidden;
  bool is_made_here = !is_configuration || !config_.configuration.url.empty();
  if (object.is_object() || (absent && is_made_here)) {
    failures_.erase(tag);
    return true;
  }
  log_failure(tag, outcome ? k8s::failure{k8s::ec::garbage, "not an object"}
                           : outcome.error());
  return !is_made_here && (absent || forbidden);
}

void certificate_rotator_state::act_on_plan() {
  plan_ =
      planner_->plan(read_secret(secret_), configuration_, context_->clock());
  if (plan_.serve)
    use_certificate();
  if (plan_.ready && !config_.ready->exchange(true))
    log::info("the webhooks are ready", {});
  if (plan_.due != certificate_renewal::none)
    write_certificates();
  else if (plan_.configuration)
    write_configuration();
  else
    finish();
}

void certificate_rotator_state::use_certificate() {
  auto pair = read_secret(secret_).serving;
  if (pair.certificate == served_)
    return;
  if (auto used = config_.use_certificate(pair); !used) {
    log::error("cannot use the certificate of the webhooks",
               {{"secret", config_.secret}, {"error", used.error().message}});
    return;
  }
  served_ = pair.certificate;
  for (const auto& c : k8s::http::read_certificates(served_))
    if (!c.is_authority)
      context_->counters->set_webhook_certificate_expiry(c.not_after);
  log::info("serving webhooks with a new certificate", {});
}

void certificate_rotator_state::write_certificates() {
  auto made = renew_certificates(read_secret(secret_), plan_.due,
                                 planner_->certificates(), context_->clock());
  if (!made) {
    log_failure(write_secret_call, made.error());
    finish();
    return;
  }
  if (secret_.is_null())
    send(write_secret_call,
         k8s::create(k8s::resources::secrets, config_.ns,
                     k8s::to_text(write_secret(
                         new_secret(config_.ns, config_.secret), *made))));
  else
    send(write_secret_call,
         k8s::update({k8s::resources::secrets, config_.ns, config_.secret},
                     k8s::to_text(write_secret(secret_, *made))));
}

void certificate_rotator_state::write_configuration() {
  auto text = k8s::to_text(*plan_.configuration);
  const auto& ref = configuration_ref();
  send(write_configuration_call, configuration_.is_null()
                                     ? k8s::create(ref.type, "", text)
                                     : k8s::update(ref, text));
}

void certificate_rotator_state::on_written(
    call tag, const k8s::result<std::string>& outcome) {
  if (outcome) {
    wrote_ = true;
    failures_.erase(tag);
    if (tag == write_secret_call)
      log::info("renewed certificates of the webhooks",
                {{"certificates", to_string(plan_.due)}});
    else
      log::info("updated the ValidatingWebhookConfiguration", {});
  } else if (outcome.error().code == k8s::ec::conflict
             || outcome.error().code == k8s::ec::exists) {
    wrote_ = true; // Another replica has.
  } else {
    refused_ = refused_ || outcome.error().is_refusal();
    log_failure(tag, outcome.error());
  }
}

void certificate_rotator_state::finish() {
  if (wrote_)
    read();
  else
    self_->delayed_send(self_, planner_->interval(refused_), timer_fired{0});
}

void certificate_rotator_state::log_failure(call tag, const k8s::failure& why) {
  if (std::exchange(failures_[tag], why.message) == why.message)
    return;
  auto secret = config_.ns + "/" + config_.secret;
  switch (tag) {
  case read_secret_call:
    log::error("cannot read the Secret of the webhooks: the operator needs the "
               "verb get on secrets",
               {{"secret", secret}, {"error", why.message}});
    break;
  case write_secret_call:
    log::error("cannot write the Secret of the webhooks: create it empty, and "
               "grant the operator the verb update on secrets",
               {{"secret", secret}, {"error", why.message}});
    break;
  case read_configuration_call:
    log::warn("cannot read the ValidatingWebhookConfiguration: no certificate "
              "is made for webhooks until it exists and can be read",
              {{"name", webhook_configuration_name}, {"error", why.message}});
    break;
  case write_configuration_call:
    log::error("cannot write the ValidatingWebhookConfiguration: webhooks "
               "cannot be called without its CA bundle",
               {{"name", webhook_configuration_name}, {"error", why.message}});
  }
}

report_ptr certificate_rotator_state::report() const {
  k8s::json failures = k8s::json::array();
  for (const auto& [tag, text] : failures_)
    failures.push_back(text);
  auto out = own_report(*self_, {{"ready", config_.ready->load()},
                                 {"serving", !served_.empty()},
                                 {"failures", std::move(failures)}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

certificate_rotator_actor::behavior_type certificate_rotator(
    self_pointer<certificate_rotator_actor, certificate_rotator_state> self,
    context_ptr context, certificate_rotator_config config) {
  self->state.init(std::move(context), std::move(config));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](atom::start) { self->state.read(); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const timer_fired&) { self->state.read(); },
  };
}

} // namespace troupe::actors
