#include "actors/webhook/admission_review.hpp"

#include "actors/webhook/review.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "frameworks/conversions.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "frameworks/core/queueing/queue_rules.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "frameworks/registry.hpp"
#include "k8s/general/base64.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

using k8s::json;
using k8s::text_at;
using k8s::value_at;

const frameworks::object_conversion* find_conversion_of(const json& job) {
  return frameworks::find_conversion_of_kind(text_at(job, {"apiVersion"}),
                                             text_at(job, {"kind"}));
}

/// Whether the job was made in another version than that of `kind`. It obeys
/// the rules of that one, which has a webhook of its own.
bool was_created_in_other_version(const core::framework& kind,
                                  const json& job) {
  const auto* c = find_conversion_of(job);
  return (c && frameworks::is_converted(*c, job))
         || !core::is_job_of(kind, text_at(job, {"spec", "createdAs"}));
}

std::string spec_text(const json& job) {
  return k8s::to_text(value_at(job, {"spec"}));
}

core::policy_annotations policy_annotations_of(const json& job) {
  return core::policy_annotations_of(
      value_at(job, {"metadata", "annotations"}));
}

/// A webhook that is served.
struct served_webhook {
  const core::framework* kind = nullptr;
  bool mutating = false;
};

/// Without a kind if no webhook has the path.
served_webhook find_webhook_at_path(const std::string& path) {
  for (const auto& f : frameworks::all()) {
    if (path == validating_webhook_path(f))
      return {&f, false};
    if (!f.admission.mutating.path.empty() && path == f.admission.mutating.path)
      return {&f, true};
  }
  return {};
}

/// What is wrong with the form of a request, "" if nothing.
std::string find_malformed_field_error(const core::framework& kind,
                                       const json& request) {
  const auto& operation = text_at(request, {"operation"});
  if (operation != "CREATE" && operation != "UPDATE")
    return {};
  for (const char* field : {"object", "oldObject"}) {
    const auto& job = value_at(request, {field});
    bool needed = std::string{"object"} == field || operation == "UPDATE";
    if (job.is_null() ? needed : !job.is_object())
      return "request." + std::string{field} + " must be an object";
    if (needed && text_at(job, {"kind"}) != kind.names.type.kind)
      return "request." + std::string{field} + ".kind must be "
             + kind.names.type.kind + ", as this path validates that kind only";
  }
  return {};
}

/// The status of an AdmissionResponse.
json admission_response_status(const core::framework& kind,
                               const std::optional<std::string>& error) {
  if (!error)
    return {{"metadata", json::object()}, {"code", 200}};
  if (kind.admission.denies_by_reason)
    return {{"metadata", json::object()}, {"reason", *error}, {"code", 403}};
  return {{"metadata", json::object()},
          {"message", *error},
          {"reason", "Forbidden"},
          {"code", 403}};
}

/// Writes of the status and the scale are not reviewed.
bool needs_review(const json& request) {
  const auto& operation = text_at(request, {"operation"});
  return (operation == "CREATE" || operation == "UPDATE")
         && text_at(request, {"subResource"}).empty();
}

json validation_response(const core::framework& kind, const json& request,
                         const core::queueing_options& queueing) {
  json response;
  const auto& job = value_at(request, {"object"});
  std::optional<std::string> error;
  if (needs_review(request)) {
    error = find_admission_error(kind, job,
                                 text_at(request, {"operation"}) == "UPDATE"
                                     ? value_at(request, {"oldObject"})
                                     : json{},
                                 queueing);
    if (auto warnings = find_admission_warnings(kind, job); !warnings.empty())
      response["warnings"] = warnings;
  }
  response["allowed"] = !error;
  response["status"] = admission_response_status(kind, error);
  return response;
}

json allowed_response(const core::framework& kind) {
  return {{"allowed", true},
          {"status", admission_response_status(kind, std::nullopt)}};
}

json mutation_response(const core::framework& kind, const json& request) {
  auto response = allowed_response(kind);
  if (!needs_review(request))
    return response;
  const auto& job = value_at(request, {"object"});
  auto changed = job;
  set_admission_defaults_if_any(kind, changed);
  if (changed != job) {
    response["patchType"] = "JSONPatch";
    response["patch"] = k8s::to_base64(k8s::to_text(json::diff(job, changed)));
  }
  return response;
}

json webhook_response(const served_webhook& webhook, const json& request,
                      const std::vector<const core::framework*>& kinds,
                      const core::queueing_options& queueing) {
  const auto& kind = *webhook.kind;
  if (std::find(kinds.begin(), kinds.end(), &kind) == kinds.end())
    return allowed_response(kind);
  return webhook.mutating ? mutation_response(kind, request)
                          : validation_response(kind, request, queueing);
}

/// Rules of jobs that wait for queues.
std::vector<core::field_error>
find_queueing_errors(const core::framework& kind, const json& job,
                     const std::string& spec, const json& old,
                     const std::string& old_spec,
                     const core::queueing_options& queueing) {
  core::cluster_options cluster;
  cluster.queueing = queueing;
  if (!core::may_be_queued(kind, cluster))
    return {};
  core::written_queueing before;
  if (!old.is_null())
    before = {&value_at(old, {"metadata", "labels"}), old_spec};
  return core::find_queueing_errors(
      kind, {&value_at(job, {"metadata", "labels"}), spec}, before);
}

} // namespace

std::optional<std::string>
find_admission_error(const core::framework& kind, const json& job,
                     const json& old, const core::queueing_options& queueing) {
  const auto spec = spec_text(job);
  const auto old_spec = old.is_null() ? std::string{} : spec_text(old);
  if (auto error = core::find_new_density_error(spec, old_spec))
    return core::to_string({*error});
  if (const auto* c = find_conversion_of(job))
    if (auto own = frameworks::find_conversion_write_error(*c, job, old);
        !own.empty())
      return own;
  if (was_created_in_other_version(kind, job)
      || !core::has_readable_value_count(spec))
    return std::nullopt;
  if (kind.admission.find_write_error)
    if (auto own = kind.admission.find_write_error(value_at(job, {"spec"}));
        !own.empty())
      return own;
  auto errors = core::validate_write(kind, text_at(job, {"metadata", "name"}),
                                     {spec, policy_annotations_of(job)},
                                     {old_spec, policy_annotations_of(old)},
                                     text_at(job, {"metadata", "namespace"}));
  auto of_queue =
      find_queueing_errors(kind, job, spec, old, old_spec, queueing);
  errors.insert(errors.end(), of_queue.begin(), of_queue.end());
  if (errors.empty())
    return std::nullopt;
  return core::to_string(errors);
}

void set_admission_defaults_if_any(const core::framework& kind, json& job) {
  if (kind.admission.set_defaults && value_at(job, {"spec"}).is_object()
      && !was_created_in_other_version(kind, job))
    kind.admission.set_defaults(job["spec"]);
}

std::vector<std::string> find_admission_warnings(const core::framework& kind,
                                                 const json& job) {
  if (was_created_in_other_version(kind, job))
    return {};
  return core::find_spec_warnings(kind, spec_text(job));
}

k8s::http::response
answer_admission_review(const k8s::http::request& r,
                        const std::vector<const core::framework*>& kinds,
                        const core::queueing_options& queueing) {
  auto webhook = find_webhook_at_path(r.path);
  if (!webhook.kind)
    return make_plain_text_error(404, "no webhook has this path");
  return answer_review(
      r, {"admission.k8s.io/v1", "AdmissionReview",
          "admissionReviewVersions to [v1] in the webhook configuration",
          frameworks::paths_of_job_outlines(
              {{"request", "object"}, {"request", "oldObject"}}),
          [&](const json& request) {
            return find_malformed_field_error(*webhook.kind, request);
          },
          [&](const json& request) {
            return webhook_response(webhook, request, kinds, queueing);
          }});
}

} // namespace troupe::actors
