#include "actors/cli/apply.hpp"

#include "actors/cli/embedded_crds.hpp"
#include "actors/cli/manifest_errors.hpp"
#include "actors/cli/send_and_wait.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"

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

/// Asks the server what it calls the kind of `d`.
result<address> discover_resource(k8s::api& client,
                                  const k8s::yaml_document& d) {
  auto version = text_at(d.value, {"apiVersion"});
  auto kind = text_at(d.value, {"kind"});
  auto listed =
      send_and_wait(client, make_get_request(discovery_path(version)));
  if (!listed && listed.error().code != ec::not_found)
    return failure{listed.error().code,
                   d.where + ": " + listed.error().message};
  auto found = listed ? find_served_kind(*listed, kind) : std::nullopt;
  if (!found)
    return failure{ec::invalid, d.where
                                    + ": the cluster does not know the "
                                      "kind "
                                    + kind + " of " + version
                                    + "; is its definition installed?"};
  auto slash = version.find('/');
  address a;
  a.type.group = slash == std::string::npos ? "" : version.substr(0, slash);
  a.type.version =
      slash == std::string::npos ? version : version.substr(slash + 1);
  a.type.kind = kind;
  a.type.plural = found->plural;
  if (found->namespaced)
    a.ns = text_at(d.value, {"metadata", "namespace"});
  return a;
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

result<k8s::nothing> create_or_patch(k8s::api& client, k8s::yaml_document d) {
  auto target = discover_resource(client, d);
  if (!target)
    return target.error();
  if (target->ns.empty())
    d.value["metadata"].erase("namespace");
  auto text = to_text(d.value);
  auto made = send_and_wait(client, strict_create_request(*target, text));
  if (!made && made.error().code == ec::exists) {
    auto name = text_at(d.value, {"metadata", "name"});
    made = send_and_wait(
        client, k8s::merge_patch({target->type, target->ns, name}, text));
  }
  if (!made)
    return prefix_with_location(d, made.error());
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

result<std::vector<k8s::resource>> apply_workload(k8s::api& client,
                                                  const workload& load) {
  for (const auto& job : load.jobs)
    if (auto target = discover_resource(client, job.document); !target)
      return target.error();
  for (const auto& d : load.supporting)
    if (auto done = create_or_patch(client, d); !done)
      return done.error();
  std::vector<k8s::resource> made;
  for (const auto& job : load.jobs) {
    auto type = create_job(client, job);
    if (!type) {
      for (std::size_t i = 0; i < made.size(); ++i)
        delete_job_ignoring_failure(client, load.jobs[i], made[i]);
      return type.error();
    }
    made.push_back(std::move(*type));
  }
  return made;
}

void delete_job_ignoring_failure(k8s::api& client, const job_manifest& job,
                                 const k8s::resource& type) {
  // Gone already is as good; anything else shows, since the pods stay.
  (void)send_and_wait(client, k8s::remove({type, job.ns, job.name}, ""));
}

} // namespace troupe::cli
