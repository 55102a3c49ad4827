// MPIJob v2beta1, as mpi-operator runs it: workers with sshd, and a launcher,
// the pod of a batch/v1 Job, that starts ranks on them.

#include "frameworks/mpi_ssh/ssh_plan.hpp"
#include "frameworks/mpi_ssh/ssh_pods.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"
#include "frameworks/mpi_ssh/ssh_validation.hpp"
#include "frameworks/mpi_versions.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

/// Of pods no creation or deletion is told.
constexpr child_event_texts ssh_event_texts{
    "", "", "MPIJobFailed", "worker pod created failed: {error}", "", "",
    "", ""};

replica_rule ssh_launcher() {
  auto r = make_chief_rule("Launcher", mpi_ssh::launcher_label);
  r.role = master_role::none;
  r.required = true;
  r.indexed = false;
  r.created_last = true;
  r.default_restart_policy = restart_policy::on_failure;
  r.create_failed_reason = "MPIJobFailed";
  r.create_failed_message_prefix = "launcher pod created failed: ";
  return r;
}

replica_rule ssh_worker() {
  auto r = make_follower_rule("Worker", mpi_ssh::worker_label);
  r.default_replicas = 0;
  r.warns_of_template_restart_policy = false;
  return r;
}

label_keys ssh_label_keys() {
  label_keys keys;
  keys.replica_type = label::job_role;
  keys.replica_index = "";
  return keys;
}

} // namespace

framework mpi_over_ssh() {
  framework f;
  f.names = names_of_v1_kind("MPIJob", "mpi", "mpiReplicaSpecs");
  f.names.type.version = "v2beta1";
  f.names.controller = mpi_ssh::operator_label_value;
  f.names.labels = ssh_label_keys();
  f.names.born_as = "v2beta1";
  f.names.other_operator_lease = "mpi-operator";
  f.names.type_made_by_job = mpi_ssh::launcher_label;
  f.names.managed_by = "kubeflow.org/mpi-operator";
  f.replicas = {ssh_launcher(), ssh_worker()};
  f.accepted.allows_any_container_name = true;
  f.accepted.find_spec_warnings = warn_of_v1_fields;
  f.accepted.find_own_limit_errors = mpi_ssh::find_config_map_size_errors;
  f.pods.services = false;
  f.pods.counts_ready_pods = true;
  f.pods.ready_condition = "Ready";
  f.pods.overwrites_scheduler = true;
  f.pods.keeps_template_finalizers = false;
  f.ending.replaces_pods_on_failure = true;
  f.messages.event_source = "mpi-job-controller";
  f.messages.metrics_source = "mpi-job-controller";
  f.messages.child_events = &ssh_event_texts;
  f.messages.emits_exit_events = false;
  f.messages.emits_problem_events = false; // `explain` says it.
  f.messages.taken_name = "Resource \"{name}\" of Kind \"{kind}\" already "
                          "exists and is not managed by MPIJob";
  f.hooks.launcher_waits_for_ready_pods = mpi_ssh::launcher_waits_for_workers;
  f.hooks.auxiliary_kinds = {child_kind::job_service, child_kind::config_map,
                             child_kind::secret, child_kind::launcher_job};
  f.own.reconcile_job = mpi_ssh::reconcile_job;
  f.own.make_pod = mpi_ssh::make_worker_pod;
  f.own.find_job_errors = mpi_ssh::find_job_errors;
  return f;
}

} // namespace troupe::frameworks
