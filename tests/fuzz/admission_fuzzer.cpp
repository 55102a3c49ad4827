#include "actors/webhook/admission_review.hpp"
#include "actors/webhook/conversion_review.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "frameworks/conversions.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/registry.hpp"
#include "k8s/text.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// What an API server asks the webhook, and what the operator does with the job.
// The first byte says which kind. The second: '0': a whole AdmissionReview;
// '1': the spec of a new job; '2': an update, the old spec behind a line `%%`;
// '3': a job on the server, its status behind that line; '4': a whole
// ConversionReview; '5': an object that is converted, of any version; '6': the
// spec of a new job, its failure policy behind that line, as an annotation.

namespace {

using namespace troupe;
using fuzz::require;
using k8s::json;

/// Larger jobs take long, and show nothing else.
constexpr int max_replicas = 20;

std::vector<const core::framework*> all_kinds() {
  std::vector<const core::framework*> kinds;
  for (const auto& f : frameworks::all())
    kinds.push_back(&f);
  return kinds;
}

json job_json(const core::framework& kind, json spec) {
  return {{"apiVersion", kind.names.type.api_version()},
          {"kind", kind.names.type.kind},
          {"metadata", {{"name", "a"}, {"namespace", "ns"}}},
          {"spec", std::move(spec)}};
}

json review_of(const core::framework& kind, json spec, json old_spec) {
  bool update = !old_spec.is_null();
  json request{{"uid", "u"},
               {"operation", update ? "UPDATE" : "CREATE"},
               {"object", job_json(kind, std::move(spec))}};
  if (update)
    request["oldObject"] = job_json(kind, std::move(old_spec));
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request", std::move(request)}};
}

/// The answer's `response`; null if the request was refused.
json answer(const core::framework& kind, std::string body) {
  static const auto kinds = all_kinds();
  k8s::http::request r;
  r.method = "POST";
  r.path = actors::validating_webhook_path(kind);
  r.body = std::move(body);
  auto answered = actors::answer_admission_review(r, kinds);
  require(answered.status == 200 || answered.status == 400,
          "a review is answered or refused");
  if (answered.status == 400)
    return nullptr;
  auto response =
      k8s::value_at(k8s::parse_json_or_null(answered.body), {"response"});
  require(!k8s::text_at(response, {"uid"}).empty(), "an answer has a UID");
  require(k8s::bool_at(response, {"allowed"})
              || !k8s::text_at(response, {"status", "message"}).empty()
              || !k8s::text_at(response, {"status", "reason"}).empty(),
          "who refuses says why");
  return response;
}

bool is_json(const k8s::result<std::string>& body) {
  return !body || k8s::parse_json(*body);
}

void check_decision(const core::job& j, const core::decision& d) {
  const core::cluster_options cluster;
  if (const auto* c = std::get_if<core::create_child>(&d))
    require(is_json(!c->body.empty() ? k8s::result<std::string>{c->body}
                    : c->kind == core::child_kind::pod
                        ? core::make_pod_json(j, c->at, cluster)
                        : core::make_service_json(j, c->at)),
            "pods and services are JSON");
  else if (const auto* a = std::get_if<core::create_auxiliary>(&d))
    require(is_json(core::make_auxiliary_json(j, *a->wanted)),
            "auxiliary objects are JSON");
}

void check_plan(const core::job& j, const core::job_status& saved) {
  const auto noon = *k8s::from_rfc3339("2026-03-01T12:00:00Z");
  for (auto gang : {core::gang::none, core::gang::volcano}) {
    core::cluster_options cluster;
    cluster.scheduling = gang;
    auto planned = core::plan(j, {}, {}, saved, saved, noon, cluster);
    for (const auto& d : planned.decisions)
      check_decision(j, d);
    const auto& format = j.kind->own.status;
    require(format.decode(format.encode(planned.status)) == planned.status,
            "a status that is written and read is the same");
  }
}

/// The job with this spec, and this failure policy in an annotation unless it
/// is "", as the operator sees it; nullopt if it cannot.
std::optional<core::job> decode(const core::framework& kind,
                                const std::string& spec,
                                const std::string& policy = {}) {
  k8s::object seen;
  if (!policy.empty())
    seen.meta.annotations[core::label::failure_policy] = policy;
  seen.meta.name = "a";
  seen.meta.ns = "ns";
  seen.meta.uid = "u";
  seen.state = k8s::spec_and_status_state{spec, "null"};
  auto j = core::decode_job(kind, seen);
  return j ? std::optional{std::move(*j)} : std::nullopt;
}

void check_job(const core::framework& kind, const std::string& spec,
               std::string_view status) {
  auto saved = kind.own.status.decode(status);
  require(kind.own.status.decode(kind.own.status.encode(saved)) == saved,
          "a status that is read and written is the same");
  auto j = decode(kind, spec);
  if (j && j->total_replicas() <= max_replicas)
    check_plan(*j, saved);
}

/// The result's status, "" if the request was refused.
std::string answer_conversion(std::string body) {
  k8s::http::request r;
  r.method = "POST";
  r.path = actors::conversion_path;
  r.body = std::move(body);
  auto answered = actors::answer_conversion_review(r);
  require(answered.status == 200 || answered.status == 400,
          "a conversion is answered or refused");
  auto review = k8s::parse_json_or_null(answered.body);
  auto status = k8s::text_at(review, {"response", "result", "status"});
  require(
      answered.status == 400 || status == "Success"
          || !k8s::text_at(review, {"response", "result", "message"}).empty(),
      "who refuses a conversion says why");
  return status;
}

/// Without what is null or empty, which an API server does not keep.
void drop_empty_maps(json& object) {
  if (auto* meta = k8s::find_value(object, {"metadata"}); meta)
    for (const char* map : {"labels", "annotations"})
      if (auto* found = k8s::find_value(*meta, {map});
          found && (found->is_null() || found->empty()))
        object["metadata"].erase(map);
}

/// What an API server keeps no object with.
bool is_storable(const json& object) {
  const auto& meta = k8s::value_at(object, {"metadata"});
  if (!meta.is_object())
    return false;
  for (const char* map : {"labels", "annotations"}) {
    const auto& all = k8s::value_at(meta, {map});
    if (!all.is_null() && !all.is_object())
      return false;
  }
  for (const char* part : {"spec", "status"})
    if (auto* found = k8s::find_value(object, {part}))
      for (const char* field :
           {"", "cleanPodPolicy", "volumes", "phase", "conditions"})
        if (auto* value = *field ? k8s::find_value(*found, {field}) : found;
            value && value->is_null())
          return false;
  return true;
}

void check_conversion(const json& object) {
  for (const auto& c : frameworks::object_conversions()) {
    auto stored = object;
    stored["apiVersion"] = c.api_version(c.versions.front());
    drop_empty_maps(stored);
    for (const auto& version : c.versions) {
      auto read = c.convert(stored, version);
      require(!!read, "what is stored can be read");
      require(k8s::text_at(*read, {"apiVersion"}) == c.api_version(version),
              "it has the version that was asked for");
      auto back = c.convert(*read, c.versions.front());
      if (back && is_storable(stored) && !frameworks::is_converted(c, stored))
        require(*back == stored, "what is converted back is the same");
      auto other = object;
      other["apiVersion"] = c.api_version(version);
      drop_empty_maps(other);
      auto written = c.convert(other, c.versions.front());
      if (!written) {
        require(!written.error().message.empty(), "a refusal says why");
        continue;
      }
      auto again = c.convert(*written, version);
      if (is_storable(other) && !frameworks::is_converted(c, other))
        require(again && *again == other, "what is written can be read");
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  fuzz::fuzz_input input{data, size};
  // '0' is the first kind. One more gets a number that no input has had.
  constexpr std::size_t numbers = 16;
  const auto& all = frameworks::all();
  auto number = static_cast<std::uint8_t>(input.take_byte() - '0') % numbers;
  if (number >= all.size())
    return 0;
  const auto& kind = all[number];
  auto mode = static_cast<std::uint8_t>(input.take_byte() - '0') % 7;
  if (mode == 4) {
    answer_conversion(std::string{input.rest()});
    return 0;
  }
  if (mode == 5) {
    auto object = k8s::parse_json_or_null(input.rest());
    if (object.is_object())
      check_conversion(object);
    return 0;
  }
  if (mode == 0) {
    answer(kind, std::string{input.rest()});
    return 0;
  }
  auto spec = k8s::parse_json(input.take_until("\n%%\n"));
  if (!spec)
    return 0;
  auto text = k8s::to_text(*spec);
  if (mode == 3) {
    check_job(kind, text, input.rest());
    return 0;
  }
  auto old_spec = mode == 2 ? k8s::parse_json_or_null(input.rest()) : json{};
  auto review = review_of(kind, std::move(*spec), old_spec);
  std::string policy{mode == 6 ? input.rest() : ""};
  if (!k8s::is_utf8(policy))
    return 0;
  if (!policy.empty())
    review["request"]["object"]["metadata"]["annotations"]
          [core::label::failure_policy] = policy;
  auto response = answer(kind, k8s::to_text(review));
  if (k8s::bool_at(response, {"allowed"})
      && core::has_readable_value_count(text)) {
    auto j = decode(kind, text, policy);
    require(j && j->validation_error.empty(),
            "a job that is allowed can be run");
    require(mode == 2 || j->limit_error.empty(),
            "a new job that is allowed may begin");
  }
  return 0;
}
