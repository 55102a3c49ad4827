#include "actors/cli/manifest/workload.hpp"

#include "actors/cli/manifest/job_versions.hpp"
#include "actors/cli/manifest/missing_controllers.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/registry.hpp"
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

/// Groups of which a kind that is called a job is one.
constexpr const char* job_groups[] = {"kubeflow.org/",
                                      "diengine.opendilab.org/"};
/// What API servers leave of a generateName before they put a suffix to it.
constexpr std::size_t longest_generated_stem = 58;
/// Of those that are in the place of a job.
constexpr std::size_t most_others_named = 5;
/// So many letters of a kind may be wrong.
constexpr std::size_t most_wrong_letters = 2;

/// Why a job of somebody else's is not run, "" for all others.
std::string unsupported_job_kind_message(const std::string& version,
                                         const std::string& kind) {
  if (kind == "TrainJob" && version.rfind("trainer.kubeflow.org/", 0) == 0)
    return "TrainJob is of Kubeflow Trainer v2, which takes the pods from a "
           "runtime in the cluster; Troupe runs jobs of v1: write it as a "
           "PyTorchJob, MPIJob or another kind of kubeflow.org/v1";
  return {};
}

bool is_in_job_group(const std::string& version) {
  return std::any_of(std::begin(job_groups), std::end(job_groups),
                     [&](const char* g) { return version.rfind(g, 0) == 0; });
}

/// "" if none is written like it: "TFjob", "PyTochJob".
std::string kind_meant_by(const std::string& kind,
                          const std::vector<std::string>& kinds) {
  auto is_same = [&](const std::string& other) {
    return k8s::equal_ignoring_case(other, kind)
           || k8s::equal_ignoring_case(other + "s", kind);
  };
  auto found = std::find_if(kinds.begin(), kinds.end(), is_same);
  return found != kinds.end()
             ? *found
             : k8s::nearest_word(kind, kinds, most_wrong_letters);
}

bool is_called_job(const std::string& kind) {
  auto name = k8s::lower_case(kind);
  return name.size() >= 3 && name.compare(name.size() - 3, 3, "job") == 0;
}

/// Why an object is a job that cannot be run as it is written, "" if it is
/// none. Others have kinds of their own in the groups of jobs: notebooks,
/// experiments, templates.
std::string wrong_job_message(const json& object,
                              const std::vector<std::string>& kinds) {
  const auto& version = text_at(object, {"apiVersion"});
  const auto& kind = text_at(object, {"kind"});
  auto meant = kind_meant_by(kind, kinds);
  if (kind == meant)
    return unserved_version_message(object);
  bool is_certain = k8s::equal_ignoring_case(kind, meant);
  if (!is_certain && !is_in_job_group(version))
    return {};
  if (meant.empty() && !is_called_job(kind))
    return {};
  return kind + " is not supported yet; "
         + (meant.empty() ? "" : "did you mean " + meant + "? ")
         + "this troupe runs " + k8s::join(kinds, ", ");
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

/// As API servers do it: a long stem gives way to the suffix.
void set_generated_name_if_unnamed(json& object,
                                   const suffix_source& random_suffix) {
  const auto& stem = text_at(object, {"metadata", "generateName"});
  if (stem.empty() || !text_at(object, {"metadata", "name"}).empty())
    return;
  auto name = stem.substr(0, longest_generated_stem)
              + core::letter_suffix_of_index(random_suffix());
  object["metadata"]["name"] = std::move(name);
}

result<k8s::nothing> validate_and_set_namespace(k8s::yaml_document& d,
                                                const std::string& ns) {
  const char* missing = text_at(d.value, {"apiVersion"}).empty() ? "apiVersion"
                        : text_at(d.value, {"kind"}).empty()     ? "kind"
                        : text_at(d.value, {"metadata", "name"}).empty()
                            ? "metadata.name"
                            : nullptr;
  if (missing)
    return failure{ec::invalid, k8s::nearest_known_location_of_field(d, missing)
                                    + ": " + missing
                                    + " is missing or no text"};
  auto own = text_at(d.value, {"metadata", "namespace"});
  if (own.empty())
    d.value["metadata"]["namespace"] = ns.empty() ? "default" : ns;
  else if (!ns.empty() && own != ns)
    return failure{ec::invalid,
                   k8s::nearest_known_location_of_field(d, "metadata.namespace")
                       + ": metadata.namespace is " + own + ", but --namespace "
                       + ns + " was asked for; drop one of them"};
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

/// "ConfigMap words".
std::string title_of(const json& object) {
  return text_at(object, {"kind"}) + " "
         + text_at(object, {"metadata", "name"});
}

/// Not what makes pods itself, and nothing that other controllers look at.
bool is_of_use_to_jobs(const json& object) {
  const auto& version = text_at(object, {"apiVersion"});
  return is_api_of_kubernetes(version)
         && missing_controller_message(version, text_at(object, {"kind"}))
                .empty();
}

/// Whether it is a Job of Kubernetes itself.
bool is_batch_job(const json& object) {
  return text_at(object, {"apiVersion"}) == "batch/v1"
         && text_at(object, {"kind"}) == "Job";
}

/// Says what was found in the place of a job, if it is more than what jobs
/// need.
std::string no_job_message(const workload& w,
                           const std::vector<std::string>& kinds) {
  if (!w.left_out.empty())
    return w.left_out.front().document.where + ": " + w.left_out.front().why;
  const auto end_of_message =
      "name a file with one of " + k8s::join(kinds, ", ");
  for (const auto& d : w.supporting)
    if (is_batch_job(d.value))
      return "there is no training job in what was given, with whose end this "
             "command ends; "
             + title_of(d.value) + " (" + d.where
             + ") runs with `troupe up` and kubectl; " + end_of_message;
  std::vector<std::string> others;
  for (const auto& d : w.supporting)
    if (!is_of_use_to_jobs(d.value))
      others.push_back(title_of(d.value) + " (" + d.where + ")");
  if (others.size() > most_others_named) {
    others.resize(most_others_named);
    others.emplace_back("others");
  }
  return "there is no job in what was given"
         + (others.empty() ? ""
                           : ": Troupe does not run " + k8s::join(others, ", "))
         + "; " + end_of_message;
}

} // namespace

result<workload> extract_workload(std::vector<k8s::yaml_document> documents,
                                  const std::string& ns,
                                  const std::vector<std::string>& kinds,
                                  const suffix_source& random_suffix) {
  std::vector<k8s::yaml_document> flat;
  for (auto& d : documents)
    append_flattened_lists(flat, std::move(d));
  workload w;
  for (auto& d : flat) {
    set_generated_name_if_unnamed(d.value, random_suffix);
    if (auto done = validate_and_set_namespace(d, ns); !done)
      return done.error();
    const auto& version = text_at(d.value, {"apiVersion"});
    const auto& kind = text_at(d.value, {"kind"});
    if (auto foreign = unsupported_job_kind_message(version, kind);
        !foreign.empty())
      w.left_out.push_back({std::move(d), std::move(foreign)});
    else if (auto wrong = wrong_job_message(d.value, kinds); !wrong.empty())
      return failure{ec::invalid, d.where + ": " + wrong};
    else if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
      w.jobs.push_back(make_job_manifest(std::move(d)));
    else
      w.supporting.push_back(std::move(d));
  }
  if (w.jobs.empty())
    return failure{ec::invalid, no_job_message(w, kinds)};
  return w;
}

std::size_t count_replicas_with_defaults(const job_manifest& job) {
  const auto* kind = frameworks::find(job.api_version, job.kind);
  if (!kind)
    return 0;
  auto read = core::read_job(*kind, job.ns, job.name,
                             value_at(job.document.value, {"spec"}));
  return static_cast<std::size_t>(read.total_replicas());
}

void leave_out_what_cannot_run_here(workload& load) {
  std::vector<k8s::yaml_document> rest;
  for (auto& d : load.supporting) {
    auto why = missing_controller_message(text_at(d.value, {"apiVersion"}),
                                          text_at(d.value, {"kind"}));
    if (why.empty())
      rest.push_back(std::move(d));
    else
      load.left_out.push_back({std::move(d), std::move(why)});
  }
  load.supporting = std::move(rest);
}

std::string describe_left_out_object(const left_out_object& object) {
  return object.document.where + ": " + title_of(object.document.value)
         + " is left out: " + object.why;
}

bool has_generated_name(const json& object) {
  const auto& stem = text_at(object, {"metadata", "generateName"});
  std::string_view name = text_at(object, {"metadata", "name"});
  return !stem.empty()
         && k8s::remove_prefix(name, stem.substr(0, longest_generated_stem))
         && core::index_from_letter_suffix(name) >= 0;
}

std::vector<std::string> describe_generated_names(const workload& load) {
  std::vector<std::string> lines;
  auto add = [&](const json& object) {
    if (has_generated_name(object))
      lines.push_back(title_of(object) + " is named by generateName "
                      + text_at(object, {"metadata", "generateName"}));
  };
  for (const auto& job : load.jobs)
    add(job.document.value);
  for (const auto& d : load.supporting)
    add(d.value);
  return lines;
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

std::string nearest_served_kind(const json& resource_list,
                                const std::string& kind) {
  std::vector<std::string> kinds;
  for (const auto& r : array_at(resource_list, {"resources"}))
    kinds.push_back(text_at(r, {"kind"}));
  return k8s::nearest_word(kind, kinds, most_wrong_letters);
}

std::string discovery_path(const std::string& api_version) {
  return (api_version.find('/') == std::string::npos ? "/api/" : "/apis/")
         + api_version;
}

} // namespace troupe::cli
