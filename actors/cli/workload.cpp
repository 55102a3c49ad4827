#include "actors/cli/workload.hpp"

#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::cli {

namespace {

using k8s::array_at;
using k8s::ec;
using k8s::failure;
using k8s::result;
using k8s::text_at;
using k8s::value_at;
using nlohmann::json;

/// Groups whose kinds are jobs, but for some.
constexpr const char* job_groups[] = {"kubeflow.org/",
                                      "diengine.opendilab.org/"};
constexpr const char* other_kinds[] = {"AggregatorConfig"};

/// Why a job of somebody else's is not run, "" for all others.
std::string unsupported_job_kind_message(const std::string& version,
                                         const std::string& kind) {
  if (kind == "TrainJob" && version.rfind("trainer.kubeflow.org/", 0) == 0)
    return "TrainJob is of Kubeflow Trainer v2, which takes the pods from a "
           "runtime in the cluster; Troupe runs jobs of v1: write it as a "
           "PyTorchJob, MPIJob or another kind of kubeflow.org/v1";
  return {};
}

bool could_be_job(const std::string& version, const std::string& kind) {
  auto is_kind = [&](const char* other) { return kind == other; };
  return std::any_of(std::begin(job_groups), std::end(job_groups),
                     [&](const char* g) { return version.rfind(g, 0) == 0; })
         && std::none_of(std::begin(other_kinds), std::end(other_kinds),
                         is_kind);
}

/// Lists of objects are spelled out by some tools: `kind: List`.
void append_flattened_lists(std::vector<k8s::yaml_document>& to,
                            k8s::yaml_document d) {
  if (text_at(d.value, {"kind"}) == "List"
      && value_at(d.value, {"items"}).is_array()) {
    for (std::size_t i = 0; i < d.value["items"].size(); ++i)
      append_flattened_lists(
          to, k8s::subdocument_of_field(d, "items[" + std::to_string(i) + "]",
                                        std::move(d.value["items"][i])));
    return;
  }
  to.push_back(std::move(d));
}

result<k8s::nothing> validate_and_set_namespace(k8s::yaml_document& d,
                                                const std::string& ns) {
  const char* missing = text_at(d.value, {"apiVersion"}).empty() ? "apiVersion"
                        : text_at(d.value, {"kind"}).empty()     ? "kind"
                        : text_at(d.value, {"metadata", "name"}).empty()
                            ? "metadata.name"
                            : nullptr;
  if (missing)
    return failure{ec::invalid, k8s::location_of_field(d, missing) + ": "
                                    + missing + " is missing or no text"};
  auto own = text_at(d.value, {"metadata", "namespace"});
  if (own.empty())
    d.value["metadata"]["namespace"] = ns.empty() ? "default" : ns;
  else if (!ns.empty() && own != ns)
    return failure{ec::invalid, k8s::location_of_field(d, "metadata.namespace")
                                    + ": metadata.namespace is " + own
                                    + ", but --namespace " + ns
                                    + " was asked for; drop one of them"};
  return k8s::nothing{};
}

job_manifest make_job_manifest(k8s::yaml_document d) {
  job_manifest m;
  m.ns = text_at(d.value, {"metadata", "namespace"});
  m.api_version = text_at(d.value, {"apiVersion"});
  m.kind = text_at(d.value, {"kind"});
  m.name = text_at(d.value, {"metadata", "name"});
  m.document = std::move(d);
  return m;
}

} // namespace

result<workload> extract_workload(std::vector<k8s::yaml_document> documents,
                                  const std::string& ns,
                                  const std::vector<std::string>& kinds) {
  std::vector<k8s::yaml_document> flat;
  for (auto& d : documents)
    append_flattened_lists(flat, std::move(d));
  workload w;
  for (auto& d : flat) {
    if (auto done = validate_and_set_namespace(d, ns); !done)
      return done.error();
    auto version = text_at(d.value, {"apiVersion"});
    auto kind = text_at(d.value, {"kind"});
    if (auto foreign = unsupported_job_kind_message(version, kind);
        !foreign.empty())
      return failure{ec::invalid, d.where + ": " + foreign};
    if (!could_be_job(version, kind)) {
      w.supporting.push_back(std::move(d));
      continue;
    }
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      return failure{ec::invalid, d.where + ": " + kind
                                      + " is not supported yet; this troupe "
                                        "runs "
                                      + k8s::join(kinds, ", ")};
    w.jobs.push_back(make_job_manifest(std::move(d)));
  }
  if (w.jobs.empty())
    return failure{ec::invalid,
                   "there is no job in what was given; name a file with one of "
                       + k8s::join(kinds, ", ")};
  return w;
}

std::optional<served_kind> find_served_kind(const json& resource_list,
                                            const std::string& kind) {
  for (const auto& r : array_at(resource_list, {"resources"})) {
    auto name = text_at(r, {"name"});
    // Subresources ("pods/log") repeat the kind.
    if (text_at(r, {"kind"}) == kind && name.find('/') == std::string::npos)
      return served_kind{name, value_at(r, {"namespaced"}) != false};
  }
  return std::nullopt;
}

std::string discovery_path(const std::string& api_version) {
  return (api_version.find('/') == std::string::npos ? "/api/" : "/apis/")
         + api_version;
}

} // namespace troupe::cli
