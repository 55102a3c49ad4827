#include "frameworks/mpi_ssh/ssh_validation.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"

#include <algorithm>
#include <initializer_list>

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

constexpr std::size_t longest_label = 63;
/// Of what an API server stores in one.
constexpr std::size_t max_config_map_bytes = 1'024 * 1'024;
constexpr const char* dns_label_rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or "
    "'-', start with an alphabetic character, and end with an alphanumeric "
    "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_letter_or_digit(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

bool has_label_characters(const std::string& text) {
  return !text.empty() && is_letter(text.front())
         && is_letter_or_digit(text.back())
         && std::all_of(text.begin(), text.end(), [](char c) {
              return is_letter_or_digit(c) || c == '-';
            });
}

std::string unsupported_value(const std::string& value, const char* supported) {
  return "Unsupported value: " + to_quoted(value)
         + ": supported values: " + supported;
}

/// Collects errors, each by a check of one field.
struct check {
  std::vector<field_error> errors;

  void add(std::string field, std::string text) {
    errors.push_back({std::move(field), std::move(text)});
  }

  void name(const std::string& job, std::int64_t workers) {
    auto last = job + "-worker-"
                + std::to_string(std::max<std::int64_t>(workers, 1) - 1);
    std::string rules;
    if (last.size() > longest_label)
      rules = "must be no more than 63 characters";
    if (!has_label_characters(last))
      rules += (rules.empty() ? "" : ", ") + std::string{dns_label_rule};
    if (!rules.empty())
      add("metadata.name",
          "Invalid value: " + to_quoted(job)
              + ": will not able to create pod and service with invalid DNS "
                "label "
              + to_quoted(last) + ": " + rules);
  }

  void not_negative(const std::string& field, const json& value) {
    auto n = int64_at(value, {});
    if (n && *n < 0)
      add(field, "Invalid value: " + std::to_string(*n)
                     + ": must be greater than or equal to 0");
  }

  void one_of(const std::string& field, const json& value,
              std::initializer_list<const char*> values,
              const char* supported) {
    if (!value.is_string())
      return;
    const auto& text = value.get_ref<const std::string&>();
    if (std::none_of(values.begin(), values.end(),
                     [&](const char* v) { return text == v; }))
      add(field, unsupported_value(text, supported));
  }

  void restart_policy(const std::string& field, const json& replica) {
    auto text = text_at(replica, {"restartPolicy"});
    if (!text.empty() && text != "Never" && text != "OnFailure")
      add(field + ".restartPolicy",
          unsupported_value(text, R"("Never", "OnFailure")"));
  }

  void containers(const std::string& field, const json& replica) {
    if (array_at(replica, {"template", "spec", "containers"}).empty())
      add(field + ".template.spec.containers",
          "Required value: must define at least one container");
  }

  void replica_count(const std::string& field, std::int64_t count,
                     std::int64_t least, std::int64_t most, const char* rule) {
    if (count < least || count > most)
      add(field + ".replicas",
          "Invalid value: " + std::to_string(count) + ": " + rule);
  }
};

std::int64_t replicas_or(const json& replica, std::int64_t otherwise) {
  return int64_at(replica, {"replicas"}).value_or(otherwise);
}

void check_launcher(check& c, const json& launcher) {
  const std::string field = "spec.mpiReplicaSpecs[Launcher]";
  if (!launcher.is_object())
    return c.add(field, "Required value: must have Launcher replica spec");
  c.restart_policy(field, launcher);
  c.containers(field, launcher);
  c.replica_count(field, replicas_or(launcher, 1), 1, 1, "must be 1");
}

void check_workers(check& c, const json& workers) {
  const std::string field = "spec.mpiReplicaSpecs[Worker]";
  if (!workers.is_object())
    return;
  c.restart_policy(field, workers);
  c.containers(field, workers);
  auto count = replicas_or(workers, 0);
  if (count <= max_replicas) // More are an error of limits.
    c.replica_count(field, count, 1, max_replicas,
                    "must be greater than or equal to 1");
}

void check_run_policy(check& c, const json& policy) {
  const std::string field = "spec.runPolicy.";
  c.one_of(field + "cleanPodPolicy", value_at(policy, {"cleanPodPolicy"}),
           {"All", "None", "Running"}, R"("All", "None", "Running")");
  for (const char* limit :
       {"ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"})
    c.not_negative(field + limit, value_at(policy, {limit}));
  c.one_of(field + "managedBy", value_at(policy, {"managedBy"}),
           {"kueue.x-k8s.io/multikueue", "kubeflow.org/mpi-operator"},
           R"("kueue.x-k8s.io/multikueue", "kubeflow.org/mpi-operator")");
  c.not_negative(field + "schedulingPolicy.minAvailable",
                 value_at(policy, {"schedulingPolicy", "minAvailable"}));
}

} // namespace

std::vector<field_error> find_job_errors(const std::string& name,
                                         const json& spec) {
  check c;
  const auto& types = value_at(spec, {"mpiReplicaSpecs"});
  c.name(name, replicas_or(value_at(types, {"Worker"}), 0));
  if (!types.is_object()) {
    c.add("spec.mpiReplicaSpecs", "Required value: must have replica specs");
  } else {
    check_launcher(c, value_at(types, {"Launcher"}));
    check_workers(c, value_at(types, {"Worker"}));
  }
  c.not_negative("spec.slotsPerWorker", value_at(spec, {"slotsPerWorker"}));
  check_run_policy(c, value_at(spec, {"runPolicy"}));
  c.one_of("spec.mpiImplementation", value_at(spec, {"mpiImplementation"}),
           {"Intel", "MPICH", "OpenMPI"}, R"("Intel", "MPICH", "OpenMPI")");
  return std::move(c.errors);
}

std::vector<field_error> find_config_map_size_errors(const job& j) {
  const auto* workers = j.find_replica_spec(worker_label);
  if (!workers)
    return {};
  // Each worker has a line in both files.
  constexpr std::size_t beside_names =
      sizeof "echo . slots=9223372036854775807\n" + sizeof ".svc";
  auto bytes = 2
               * name_list_bytes(j, *workers,
                                 j.name.size() + j.ns.size() + beside_names);
  if (bytes <= max_config_map_bytes)
    return {};
  return {{"spec.mpiReplicaSpecs[Worker].replicas",
           "Invalid value: " + std::to_string(workers->replicas)
               + ": the host file and the discovery script would take "
               + std::to_string(bytes) + " bytes, and an API server stores "
               + std::to_string(max_config_map_bytes)
               + " in a ConfigMap; ask for fewer workers, or shorten the names "
                 "of the job and its namespace"}};
}

} // namespace troupe::frameworks::mpi_ssh
