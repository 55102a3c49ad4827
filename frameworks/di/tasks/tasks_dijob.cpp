#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/base/dijob_versions.hpp"
#include "frameworks/di/tasks/tasks_addresses.hpp"
#include "frameworks/di/tasks/tasks_plan.hpp"
#include "frameworks/di/tasks/tasks_pods.hpp"
#include "frameworks/di/tasks/tasks_spec.hpp"
#include "frameworks/di/tasks/tasks_status.hpp"
#include "frameworks/registry.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

constexpr child_event_texts di_tasks_event_texts{
    "SuccessfulCreate", "{noun} {name} was successfully created",
    "FailedCreate",     "failed to create {noun}: {name} error: {error}",
    "SuccessfulDelete", "{noun} {name} was successfully deleted",
    "FailedDelete",     "failed to delete {noun}: {name} error: {error}"};

} // namespace

framework dijob_tasks() {
  framework f;
  f.type = {"diengine.opendilab.org", "v2alpha1", "dijobs", "DIJob"};
  f.singular = "dijob";
  f.name = "di-tasks";
  f.replicas_field = "tasks";
  f.controller = "di-operator";
  f.container = di::main_container;
  f.port_name = di::main_port;
  f.labels = di::tasks::labels();
  f.services = false;
  f.keeps_pod_details = true;
  f.counts_ready_pods = true;
  f.watch_selector = di::not_converted_selector;
  f.replaces_disrupted_pods = false;
  f.delete_grace_seconds = 0;
  f.emits_exit_events = false;
  f.event_source = "di-operator";
  f.metrics_source = "dijob";
  f.child_events = &di_tasks_event_texts;
  f.status = di::tasks::status_format();
  f.reconcile_job = di::tasks::reconcile_job;
  f.read_spec = di::tasks::read_spec;
  f.make_pod = di::tasks::make_pod;
  f.listed_names_bytes = di::tasks::listed_names_bytes;
  f.find_job_errors = di::tasks::find_task_errors;
  f.begin_request = di::make_task_request_execution;
  f.describe_invalid_spec = di::tasks::describe_task_conflict;
  f.validating = {"di-validating-webhook-configuration",
                  "vdijob-v2alpha1.kb.io",
                  "/validate-diengine-opendilab-org-v2alpha1-dijob"};
  return f;
}

} // namespace troupe::frameworks
