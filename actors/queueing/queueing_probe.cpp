#include "actors/queueing/queueing_probe.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"

namespace troupe::actors {

namespace {

using k8s::json;

constexpr const char* needs_rights =
    "Kueue is there, but this account may not use it; to have jobs wait for "
    "its queues, apply deploy/overlays/kueue";

k8s::request discover_kueue() {
  k8s::request r;
  r.path = "/apis/kueue.x-k8s.io/v1beta2";
  r.resource = "apiresources";
  return r;
}

bool serves_workloads(const std::string& text) {
  const auto list = k8s::parse_json_or_null(text);
  for (const auto& one : k8s::array_at(list, {"resources"}))
    if (k8s::text_at(one, {"name"}) == "workloads")
      return true;
  return false;
}

k8s::request ask_for_right() {
  const k8s::resource reviews{"authorization.k8s.io", "v1",
                              "selfsubjectaccessreviews",
                              "SelfSubjectAccessReview"};
  json review{{"apiVersion", reviews.api_version()},
              {"kind", reviews.kind},
              {"spec",
               {{"resourceAttributes",
                 {{"verb", "create"},
                  {"group", "kueue.x-k8s.io"},
                  {"resource", "workloads"}}}}}};
  return k8s::create(reviews, "", k8s::to_text(review));
}

/// Where a webhook does not answer, ours or Kueue's, nothing is known.
bool is_no_answer(const k8s::failure& why) {
  return why.code == k8s::ec::timeout || why.code == k8s::ec::unreachable
         || why.code == k8s::ec::server_error;
}

/// The smallest job of the kind that its rules accept.
json smallest_job(const core::framework& kind, const std::string& ns) {
  const std::string usual = kind.pods.container;
  json container{{"name", usual.empty() ? "main" : usual}, {"image", "none"}};
  json pods{
      {"replicas", 1},
      {"restartPolicy", "Never"},
      {"template",
       {{"spec", {{"containers", json::array({std::move(container)})}}}}}};
  json types;
  for (const auto& rule : kind.replicas)
    if (types.is_null() || rule.type == std::string{"Worker"}
        || rule.type == std::string{"Launcher"})
      types[rule.type] = pods;
  return {{"apiVersion", kind.names.type.api_version()},
          {"kind", kind.names.type.kind},
          {"metadata",
           {{"generateName", "troupe-queueing-trial-"},
            {"namespace", ns},
            {"labels", {{core::label::kueue_queue, "troupe-queueing-trial"}}}}},
          {"spec", {{kind.names.spec_field, std::move(types)}}}};
}

k8s::request try_to_create(const core::framework& kind, const std::string& ns) {
  auto r =
      k8s::create(kind.names.type, ns, k8s::to_text(smallest_job(kind, ns)));
  r.path += (r.path.find('?') == std::string::npos ? "?" : "&")
            + std::string{"dryRun=All"};
  return r;
}

bool was_suspended(const std::string& text) {
  return k8s::bool_at(k8s::parse_json_or_null(text),
                      {"spec", "runPolicy", "suspend"});
}

} // namespace

kueue_mode parse_kueue_mode(const std::string& text) {
  if (text == "auto")
    return kueue_mode::automatic;
  return text == "own" ? kueue_mode::own : kueue_mode::off;
}

queueing_probe::step queueing_probe::begin() {
  at_ = phase::discovery;
  next_kind_ = 0;
  found_ = {};
  if (config_.mode == kueue_mode::off)
    return found_;
  return discover_kueue();
}

queueing_probe::step
queueing_probe::on_answer(const k8s::result<std::string>& answer) {
  switch (at_) {
  case phase::discovery:
    return on_discovered(answer);
  case phase::rights:
    return on_rights(answer);
  case phase::trial:
    break;
  }
  return on_tried(answer);
}

queueing_probe::step
queueing_probe::on_discovered(const k8s::result<std::string>& answer) {
  if (!answer && answer.error().code != k8s::ec::not_found)
    return answer.error();
  bool own = config_.mode == kueue_mode::own;
  if (!answer || !serves_workloads(*answer)) {
    found_.holds = own;
    if (own)
      found_.why_off = "waits for Kueue, whose definitions "
                       "(kueue.x-k8s.io/v1beta2) are not installed";
    return found_;
  }
  if (own) {
    found_.on = true;
    return found_;
  }
  at_ = phase::rights;
  return ask_for_right();
}

queueing_probe::step
queueing_probe::on_rights(const k8s::result<std::string>& answer) {
  if (!answer)
    return answer.error();
  if (!k8s::bool_at(k8s::parse_json_or_null(*answer), {"status", "allowed"})) {
    found_.why_off = needs_rights;
    return found_;
  }
  at_ = phase::trial;
  return try_next_kind();
}

queueing_probe::step queueing_probe::try_next_kind() {
  while (next_kind_ < config_.kinds.size()
         && !core::is_queueable(*config_.kinds[next_kind_]))
    ++next_kind_;
  if (next_kind_ < config_.kinds.size())
    return try_to_create(*config_.kinds[next_kind_], config_.ns);
  found_.on = true;
  return found_;
}

/// What is refused says nothing: then both may look after the kind, which their
/// common naming of Workloads allows.
queueing_probe::step
queueing_probe::on_tried(const k8s::result<std::string>& answer) {
  if (!answer && answer.error().code == k8s::ec::forbidden
      && answer.error().message.find("cannot create resource")
             != std::string::npos) { // Not a quota, nor a webhook.
    found_ = {};
    found_.why_off = needs_rights;
    return found_;
  }
  auto kind = core::name_in_queueing(*config_.kinds[next_kind_]);
  if (answer && was_suspended(*answer))
    found_.left_to_kueue.insert(std::move(kind));
  else if (!answer && is_no_answer(answer.error()))
    found_.undecided.insert(std::move(kind));
  ++next_kind_;
  return try_next_kind();
}

} // namespace troupe::actors
