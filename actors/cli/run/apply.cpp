#include "actors/cli/run/apply.hpp"

#include "actors/cli/base/embedded_crds.hpp"
#include "actors/cli/base/send_and_wait.hpp"
#include "actors/cli/manifest/manifest_errors.hpp"
#include "actors/cli/manifest/missing_controllers.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <optional>

namespace troupe::cli {

using k8s::text_at;
using k8s::to_text;

namespace {

using k8s::ec;
using k8s::failure;
using k8s::result;

struct address {
  k8s::resource type;
  std::string ns; ///< "" for cluster-scoped objects.
};

/// What the server calls the kind of an object, or which of its kinds is
/// written almost like it.
struct discovery {
  std::optional<address> found;
  std::string nearest;
};

/// "kind LocalQueue of kueue.x-k8s.io/v1beta1".
std::string describe_kind_and_version(const k8s::yaml_document& d) {
  return "kind " + text_at(d.value, {"kind"}) + " of "
         + text_at(d.value, {"apiVersion"});
}

failure unknown_kind_failure(const k8s::yaml_document& d,
                             const std::string& nearest) {
  return {ec::invalid,
          d.where + ": the cluster does not know the "
              + describe_kind_and_version(d)
              + (nearest.empty() ? "; is its definition installed?"
                                 : "; did you mean " + nearest + "?")};
}

std::string left_out_message(const k8s::yaml_document& d,
                             const std::string& nearest) {
  auto is_own = is_api_of_kubernetes(text_at(d.value, {"apiVersion"}));
  return std::string{"this local cluster has no "}
         + (is_own ? "" : "controller of the ") + describe_kind_and_version(d)
         + (nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

result<discovery> discover_kind(k8s::api& client, const k8s::yaml_document& d) {
  auto version = text_at(d.value, {"apiVersion"});
  auto kind = text_at(d.value, {"kind"});
  auto listed =
      send_and_wait(client, make_get_request(discovery_path(version)));
  if (!listed && listed.error().code != ec::not_found)
    return failure{listed.error().code,
                   d.where + ": " + listed.error().message};
  auto found = listed ? find_served_kind(*listed, kind) : std::nullopt;
  if (!found)
    return discovery{
        std::nullopt,
        nearest_served_kind(listed ? *listed : nlohmann::json{}, kind)};
  auto slash = version.find('/');
  address a;
  a.type.group = slash == std::string::npos ? "" : version.substr(0, slash);
  a.type.version =
      slash == std::string::npos ? version : version.substr(slash + 1);
  a.type.kind = kind;
  a.type.plural = found->plural;
  if (found->namespaced)
    a.ns = text_at(d.value, {"metadata", "namespace"});
  return discovery{std::move(a), ""};
}

result<address> discover_resource(k8s::api& client,
                                  const k8s::yaml_document& d) {
  auto asked = discover_kind(client, d);
  if (!asked)
    return asked.error();
  if (!asked->found)
    return unknown_kind_failure(d, asked->nearest);
  return std::move(*asked->found);
}

failure prefix_with_location(const k8s::yaml_document& d, const failure& why) {
  return {why.code,
          refusal_with_location(d, why.message, embedded_schema_of(d.value))};
}

/// The server refuses a field that it does not know, instead of dropping it.
k8s::request strict_create_request(const address& where, std::string body) {
  auto r = k8s::create(where.type, where.ns, std::move(body));
  r.path += "?fieldValidation=Strict";
  return r;
}

result<k8s::nothing> create_or_patch(k8s::api& client, const address& target,
                                     k8s::yaml_document d) {
  if (target.ns.empty())
    d.value["metadata"].erase("namespace");
  auto text = to_text(d.value);
  auto made = send_and_wait(client, strict_create_request(target, text));
  // Who has a generated name already is somebody else's.
  if (!made && made.error().code == ec::exists
      && !has_generated_name(d.value)) {
    auto name = text_at(d.value, {"metadata", "name"});
    made = send_and_wait(
        client, k8s::merge_patch({target.type, target.ns, name}, text));
  }
  if (!made)
    return prefix_with_location(d, made.error());
  return k8s::nothing{};
}

/// Others may be of their kinds, or in them.
bool must_be_created_first(const k8s::yaml_document& d) {
  const auto& kind = text_at(d.value, {"kind"});
  return kind == "Namespace" || kind == "CustomResourceDefinition";
}

/// Kinds of other controllers are in groups.
bool may_be_left_out(const k8s::yaml_document& d) {
  return text_at(d.value, {"apiVersion"}).find('/') != std::string::npos;
}

result<k8s::nothing> create_supporting_objects(k8s::api& client,
                                               const workload& load,
                                               unknown_kinds unknown,
                                               applied_workload& out) {
  auto all = load.supporting;
  std::stable_partition(all.begin(), all.end(), must_be_created_first);
  for (auto& d : all) {
    auto asked = discover_kind(client, d);
    if (!asked)
      return asked.error();
    if (asked->found) {
      if (auto done = create_or_patch(client, *asked->found, std::move(d));
          !done)
        return done.error();
    } else if (unknown == unknown_kinds::are_left_out && may_be_left_out(d)) {
      auto why = left_out_message(d, asked->nearest);
      out.left_out.push_back({std::move(d), std::move(why)});
    } else {
      return unknown_kind_failure(d, asked->nearest);
    }
  }
  return k8s::nothing{};
}

result<k8s::resource> create_job(k8s::api& client, const job_manifest& job) {
  auto target = discover_resource(client, job.document);
  if (!target)
    return target.error();
  auto made = send_and_wait(
      client, strict_create_request(*target, to_text(job.document.value)));
  if (made)
    return target->type;
  auto why = prefix_with_location(job.document, made.error());
  if (why.code == ec::exists)
    why.message += "; delete it first, or give this one another name";
  return why;
}

} // namespace

result<applied_workload> apply_workload(k8s::api& client, const workload& load,
                                        unknown_kinds unknown) {
  for (const auto& job : load.jobs)
    if (auto target = discover_resource(client, job.document); !target)
      return target.error();
  applied_workload out;
  if (auto done = create_supporting_objects(client, load, unknown, out); !done)
    return done.error();
  for (const auto& job : load.jobs) {
    auto type = create_job(client, job);
    if (!type) {
      for (std::size_t i = 0; i < out.types.size(); ++i)
        delete_job_ignoring_failure(client, load.jobs[i], out.types[i]);
      return type.error();
    }
    out.types.push_back(std::move(*type));
  }
  return out;
}

void delete_job_ignoring_failure(k8s::api& client, const job_manifest& job,
                                 const k8s::resource& type) {
  // Gone already is as good; anything else shows, since the pods stay.
  (void)send_and_wait(client, k8s::remove({type, job.ns, job.name}, ""));
}

} // namespace troupe::cli
