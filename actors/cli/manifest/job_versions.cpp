#include "actors/cli/manifest/job_versions.hpp"

#include "frameworks/registry.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <vector>

namespace troupe::cli {

namespace {

using k8s::text_at;
using k8s::value_at;
using nlohmann::json;

/// Fields that were those of the spec itself before v1.
constexpr const char* run_policy_fields[] = {
    "activeDeadlineSeconds", "backoffLimit", "cleanPodPolicy",
    "schedulingPolicy",      "suspend",      "ttlSecondsAfterFinished"};

/// A field of a spec that another version has.
struct changed_field {
  const char* kind;
  const char* field;
  const char* advice;
};

constexpr changed_field changed_fields[] = {
    {"TFJob", "replicaSpecs",
     "turn the list spec.replicaSpecs into the map spec.tfReplicaSpecs, whose "
     "keys are Chief (the MASTER of v1alpha1), Worker, PS and Evaluator"},
    {"TFJob", "terminationPolicy",
     "leave out spec.terminationPolicy (the Chief decides, else worker 0, or "
     "spec.successPolicy)"},
    {"TFJob", "tfImage", "leave out spec.tfImage"},
    {"TFJob", "tensorboard", "leave out spec.tensorboard"},
    {"PyTorchJob", "replicaSpecs",
     "turn the list spec.replicaSpecs into the map spec.pytorchReplicaSpecs, "
     "whose keys are Master and Worker"},
    {"PyTorchJob", "terminationPolicy", "leave out spec.terminationPolicy"},
    {"MXJob", "replicaSpecs",
     "turn the list spec.replicaSpecs into the map spec.mxReplicaSpecs, whose "
     "keys are Scheduler, Server and Worker"},
    {"MPIJob", "template",
     "turn spec.template into the templates of Launcher and Worker in the map "
     "spec.mpiReplicaSpecs"},
    {"MPIJob", "replicas",
     "write spec.replicas as spec.mpiReplicaSpecs.Worker.replicas"},
    {"MPIJob", "gpus",
     "write spec.gpus as limits (nvidia.com/gpu) of the containers"},
    {"MPIJob", "processingUnits",
     "write spec.processingUnits as limits of the containers"},
    {"MPIJob", "launcherOnMaster", "leave out spec.launcherOnMaster"},
};

/// The apiVersions in which this program runs the kind.
std::vector<std::string> served_versions(const std::string& kind) {
  std::vector<std::string> versions;
  for (const auto& f : frameworks::all())
    if (f.names.type.kind == kind)
      versions.push_back(f.names.type.api_version());
  return versions;
}

bool has_field(const json& of, const char* name) {
  return of.is_object() && of.contains(name);
}

std::vector<std::string> advice_on_changed_fields(const json& job,
                                                  const std::string& kind) {
  const auto& spec = value_at(job, {"spec"});
  std::vector<std::string> changes;
  std::vector<std::string> moved;
  for (const auto* field : run_policy_fields)
    if (has_field(spec, field))
      moved.push_back(std::string{"spec."} + field);
  if (!moved.empty())
    changes.push_back("move " + k8s::join(moved, ", ")
                      + " into spec.runPolicy");
  for (const auto& changed : changed_fields)
    if (kind == changed.kind && has_field(spec, changed.field))
      changes.emplace_back(changed.advice);
  return changes;
}

} // namespace

std::string unserved_version_message(const json& job) {
  const auto& kind = text_at(job, {"kind"});
  const auto& version = text_at(job, {"apiVersion"});
  auto served = served_versions(kind);
  if (served.empty() || frameworks::find(version, kind))
    return {};
  auto text = kind + " of " + version + " is not what this troupe runs; write "
              + "apiVersion: " + k8s::join(served, " or ");
  for (const auto& change : advice_on_changed_fields(job, kind))
    text += "; " + change;
  return text;
}

} // namespace troupe::cli
