#include "actors/webhook/certificate_rotator.hpp"

#include "actors/metrics/metrics.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "config/logging.hpp"
#include "k8s/calls.hpp"
#include "k8s/http/certificate_reader.hpp"

namespace troupe::actors {

namespace {

k8s::json empty_secret_json(const std::string& ns, const std::string& name) {
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

void certificate_rotator_state::start_round() {
  wrote_ = false;
  refused_ = false;
  configurations_.clear();
  read_next_or_finish_round();
}

void certificate_rotator_state::read_next_or_finish_round() {
  const auto& all = webhook_configurations();
  if (configurations_.size() < all.size()) {
    send_call(read_configuration_call,
              k8s::get(all[configurations_.size()].ref()));
  } else if (planner_->has_no_configuration_to_manage(configurations_)) {
    *config_.ready = true;
    log_no_configuration_once();
    start_or_schedule_next_round();
  } else {
    failures_.erase(
        {read_configuration_call, object_index_of(read_configuration_call)});
    send_call(read_secret_call,
              k8s::get({k8s::resources::secrets, config_.ns, config_.secret}));
  }
}

void certificate_rotator_state::send_call(call_kind kind, k8s::request r) {
  self_->send(context_->gateway_for(""),
              api_call{kind, std::move(r), "", call_priority::always,
                       caf::actor_cast<api_caller_actor>(self_)});
}

void certificate_rotator_state::on_api_response(const api_response& a) {
  const auto& outcome = *a.outcome;
  if (!outcome && outcome.error().code == k8s::ec::cancelled)
    return; // The operator is stopping.
  auto kind = static_cast<call_kind>(a.tag);
  if (kind == write_secret_call || kind == write_configuration_call) {
    on_write_response(kind, outcome);
    if (kind == write_secret_call && plan_.configuration)
      write_configuration();
    else
      start_or_schedule_next_round();
    return;
  }
  bool is_secret = kind == read_secret_call;
  bool made_here = is_secret
                   || should_create_configuration(
                       webhook_configurations()[configurations_.size()],
                       config_.configuration);
  auto object = parse_read_response_or_log(kind, made_here, outcome);
  if (!object) {
    start_or_schedule_next_round();
  } else if (is_secret) {
    secret_ = std::move(*object);
    plan_and_execute_next_step();
  } else {
    configurations_.push_back(std::move(*object));
    read_next_or_finish_round();
  }
}

std::optional<k8s::json> certificate_rotator_state::parse_read_response_or_log(
    call_kind kind, bool creates_if_absent,
    const k8s::result<std::string>& outcome) {
  k8s::json object;
  if (outcome)
    object = k8s::parse_json_or_null(*outcome);
  bool absent = !outcome && outcome.error().code == k8s::ec::not_found;
  // Who may not read the configuration may not complete it either.
  bool forbidden = !outcome && outcome.error().code == k8s::ec::forbidden;
  if (object.is_object() || absent) {
    failures_.erase({kind, object_index_of(kind)});
    if (object.is_object() || creates_if_absent
        || kind == read_configuration_call)
      return object;
  }
  log_failure_if_new(kind, outcome
                               ? k8s::failure{k8s::ec::garbage, "not an object"}
                               : outcome.error());
  return !creates_if_absent && forbidden ? std::optional{k8s::json{}}
                                         : std::nullopt;
}

void certificate_rotator_state::plan_and_execute_next_step() {
  plan_ = planner_->plan(certificates_from_secret(secret_), configurations_,
                         context_->clock());
  if (plan_.serve)
    use_serving_certificate_if_changed();
  if (auto known = certificates_from_secret(secret_).authorities;
      config_.use_authorities && !known.empty())
    config_.use_authorities(known);
  if (plan_.ready && !config_.ready->exchange(true))
    log::info("the webhooks are ready", {});
  if (plan_.due != certificate_renewal::none)
    renew_and_write_certificates();
  else if (plan_.configuration)
    write_configuration();
  else
    start_or_schedule_next_round();
}

void certificate_rotator_state::use_serving_certificate_if_changed() {
  auto pair = certificates_from_secret(secret_).serving;
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

void certificate_rotator_state::renew_and_write_certificates() {
  auto made = renew_certificates(certificates_from_secret(secret_), plan_.due,
                                 planner_->certificates(), context_->clock());
  if (!made) {
    log_failure_if_new(write_secret_call, made.error());
    start_or_schedule_next_round();
    return;
  }
  if (secret_.is_null())
    send_call(write_secret_call,
              k8s::create(
                  k8s::resources::secrets, config_.ns,
                  k8s::to_text(secret_with_certificates(
                      empty_secret_json(config_.ns, config_.secret), *made))));
  else
    send_call(
        write_secret_call,
        k8s::update({k8s::resources::secrets, config_.ns, config_.secret},
                    k8s::to_text(secret_with_certificates(secret_, *made))));
}

void certificate_rotator_state::write_configuration() {
  auto text = k8s::to_text(*plan_.configuration);
  auto i = plan_.configuration_index;
  auto ref = webhook_configurations()[i].ref();
  send_call(write_configuration_call, configurations_[i].is_null()
                                          ? k8s::create(ref.type, "", text)
                                          : k8s::update(ref, text));
}

std::size_t certificate_rotator_state::object_index_of(call_kind kind) const {
  if (kind == read_configuration_call)
    return configurations_.size();
  return kind == write_configuration_call ? plan_.configuration_index : 0;
}

const std::string&
certificate_rotator_state::configuration_name_being_read() const {
  return webhook_configurations()[configurations_.size()].name;
}

const std::string&
certificate_rotator_state::configuration_name_being_written() const {
  return webhook_configurations()[plan_.configuration_index].name;
}

void certificate_rotator_state::on_write_response(
    call_kind kind, const k8s::result<std::string>& outcome) {
  if (outcome) {
    wrote_ = true;
    failures_.erase({kind, object_index_of(kind)});
    if (kind == write_secret_call)
      log::info("renewed certificates of the webhooks",
                {{"certificates", to_string(plan_.due)}});
    else
      log::info("updated the configuration of the webhooks",
                {{"name", configuration_name_being_written()}});
  } else if (outcome.error().code == k8s::ec::conflict
             || outcome.error().code == k8s::ec::exists) {
    wrote_ = true; // Another replica has.
  } else {
    refused_ = refused_ || outcome.error().is_refusal();
    log_failure_if_new(kind, outcome.error());
  }
}

void certificate_rotator_state::start_or_schedule_next_round() {
  if (wrote_)
    start_round();
  else
    self_->delayed_send(self_, planner_->next_round_delay(refused_),
                        timer_fired{0});
}

void certificate_rotator_state::log_no_configuration_once() {
  const char* message = "no webhook configuration or CRD conversion found; "
                        "webhooks are not called";
  auto& logged = failures_[{read_configuration_call,
                            object_index_of(read_configuration_call)}];
  if (std::exchange(logged, message) != message)
    log::warn(message);
}

void certificate_rotator_state::log_failure_if_new(call_kind kind,
                                                   const k8s::failure& why) {
  if (std::exchange(failures_[{kind, object_index_of(kind)}], why.message)
      == why.message)
    return;
  auto secret = config_.ns + "/" + config_.secret;
  bool forbidden = why.code == k8s::ec::forbidden;
  switch (kind) {
  case read_secret_call:
    log::error(forbidden ? "failed to get webhook Secret: the operator needs "
                           "the verb get on secrets"
                         : "failed to get webhook Secret",
               {{"secret", secret}, {"error", why.message}});
    break;
  case write_secret_call:
    log::error(forbidden ? "failed to update webhook Secret: create it empty, "
                           "and grant the operator the verb update on secrets"
                         : "failed to update webhook Secret",
               {{"secret", secret}, {"error", why.message}});
    break;
  case read_configuration_call:
    log::warn(
        "failed to get webhook configuration, will retry",
        {{"name", configuration_name_being_read()}, {"error", why.message}});
    break;
  case write_configuration_call:
    log::error(
        "failed to update webhook configuration: webhooks cannot be "
        "called without its CA bundle",
        {{"name", configuration_name_being_written()}, {"error", why.message}});
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
      [self](atom::start) { self->state.start_round(); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const timer_fired&) { self->state.start_round(); },
  };
}

} // namespace troupe::actors
