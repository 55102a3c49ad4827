#include "frameworks/mpi_ssh/ssh_settings.hpp"

#include "frameworks/core/base/json.hpp"

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

constexpr const char* default_key_path = "/root/.ssh";
constexpr const char* at_startup = "AtStartup";

implementation read_implementation(const std::string& text) {
  if (text == "Intel")
    return implementation::intel;
  return text == "MPICH" ? implementation::mpich : implementation::open_mpi;
}

} // namespace

ssh_settings read_ssh_settings(const job& j) {
  const auto spec = parse_json_or_null(j.settings);
  ssh_settings result;
  result.mpi = read_implementation(text_at(spec, {"mpiImplementation"}));
  result.slots = int64_at(spec, {"slotsPerWorker"}).value_or(1);
  result.key_path = text_at(spec, {"sshAuthMountPath"});
  if (result.key_path.empty())
    result.key_path = default_key_path;
  result.launcher_computes = bool_at(spec, {"runLauncherAsWorker"});
  auto creation = text_at(spec, {"launcherCreationPolicy"});
  result.waits_for_workers = !creation.empty() && creation != at_startup;
  return result;
}

bool launcher_waits_for_workers(const job& j) {
  return read_ssh_settings(j).waits_for_workers;
}

std::string service_name(const job& j) {
  return j.name;
}

std::string config_map_name(const job& j) {
  return j.name + "-config";
}

std::string secret_name(const job& j) {
  return j.name + "-ssh";
}

std::string launcher_job_name(const job& j) {
  return j.name + "-launcher";
}

std::int32_t worker_count(const job& j) {
  const auto* workers = j.find_replica_spec(worker_label);
  return workers ? workers->replicas : 0;
}

std::string host_domain(const cluster_options& cluster) {
  return cluster.cluster_domain.empty() ? "svc"
                                        : "svc." + cluster.cluster_domain;
}

} // namespace troupe::frameworks::mpi_ssh
