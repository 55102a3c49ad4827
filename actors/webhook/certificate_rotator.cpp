#include "actors/webhook/certificate_rotator.hpp"

#include "actors/metrics.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "config/logging.hpp"
#include "k8s/calls.hpp"
#include "k8s/http/certificate_reader.hpp"

namespace troupe::actors {

namespace {

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
  configurations_.clear();
  read_next();
}

void certificate_rotator_state::read_next() {
  const auto& all = webhook_configurations();
  if (configurations_.size() < all.size()) {
    send(read_configuration_call, k8s::get(all[configurations_.size()].ref()));
  } else if (planner_->are_absent_and_not_made_here(configurations_)) {
    *config_.ready = true;
    log_failure(read_configuration_call,
                {k8s::ec::not_found, "there is none of the objects"});
    finish();
  } else {
    send(read_secret_call,
         k8s::get({k8s::resources::secrets, config_.ns, config_.secret}));
  }
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
  bool is_secret = tag == read_secret_call;
  bool made_here =
      is_secret
      || is_made_here(webhook_configurations()[configurations_.size()],
                      config_.configuration);
  auto object = object_read(tag, made_here, outcome);
  if (!object) {
    finish();
  } else if (is_secret) {
    secret_ = std::move(*object);
    act_on_plan();
  } else {
    configurations_.push_back(std::move(*object));
    read_next();
  }
}

std::optional<k8s::json> certificate_rotator_state::object_read(
    call tag, bool is_made_here, const k8s::result<std::string>& outcome) {
  k8s::json object;
  if (outcome)
    object = k8s::parse_json_or_null(*outcome);
  bool absent = !outcome && outcome.error().code == k8s::ec::not_found;
  // Who may not read the configuration may not complete it either.
  bool forbidden = !outcome && outcome.error().code == k8s::ec::forbidden;
  if (object.is_object() || absent) {
    failures_.erase({tag, subject_of(tag)});
    if (object.is_object() || is_made_here || tag == read_configuration_call)
      return object;
  }
  log_failure(tag, outcome ? k8s::failure{k8s::ec::garbage, "not an object"}
                           : outcome.error());
  return !is_made_here && forbidden ? std::optional{k8s::json{}} : std::nullopt;
}

void certificate_rotator_state::act_on_plan() {
  plan_ =
      planner_->plan(read_secret(secret_), configurations_, context_->clock());
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
  auto i = plan_.configuration_index;
  auto ref = webhook_configurations()[i].ref();
  send(write_configuration_call, configurations_[i].is_null()
                                     ? k8s::create(ref.type, "", text)
                                     : k8s::update(ref, text));
}

std::size_t certificate_rotator_state::subject_of(call tag) const {
  if (tag == read_configuration_call)
    return configurations_.size();
  return tag == write_configuration_call ? plan_.configuration_index : 0;
}

/// Or all, when all were read.
std::string certificate_rotator_state::configuration_being_read() const {
  const auto& all = webhook_configurations();
  auto i = configurations_.size();
  return i < all.size() ? all[i].name : "all";
}

const std::string& certificate_rotator_state::written_configuration() const {
  return webhook_configurations()[plan_.configuration_index].name;
}

void certificate_rotator_state::on_written(
    call tag, const k8s::result<std::string>& outcome) {
  if (outcome) {
    wrote_ = true;
    failures_.erase({tag, subject_of(tag)});
    if (tag == write_secret_call)
      log::info("renewed certificates of the webhooks",
                {{"certificates", to_string(plan_.due)}});
    else
      log::info("updated the configuration of the webhooks",
                {{"name", written_configuration()}});
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
  if (std::exchange(failures_[{tag, subject_of(tag)}], why.message)
      == why.message)
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
    log::warn("cannot read a configuration of webhooks: they have no "
              "certificate until it exists and can be read",
              {{"name", configuration_being_read()}, {"error", why.message}});
    break;
  case write_configuration_call:
    log::error("cannot write the configuration of the webhooks: they cannot be "
               "called without its CA bundle",
               {{"name", written_configuration()}, {"error", why.message}});
  }
}

report_ptr certificate_rotator_state::report() const {
  k8s::json failures = k8s::json::array();
  for (const auto& [what, text] : failures_)
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
