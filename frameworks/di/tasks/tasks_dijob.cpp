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
  f.names.type = {"diengine.opendilab.org", "v2alpha1", "dijobs", "DIJob"};
  f.names.singular = "dijob";
  f.names.short_name = "di-tasks";
  f.names.replicas_field = "tasks";
  f.names.controller = "di-operator";
  f.names.labels = di::tasks::task_label_keys();
  f.names.watch_selector = di::not_converted_selector;
  f.accepted.describe_invalid_spec = di::tasks::describe_task_conflict;
  f.pods.keeps_trouble = false;
  f.pods.container = di::main_container;
  f.pods.port_name = di::main_port;
  f.pods.services = false;
  f.pods.keeps_pod_details = true;
  f.pods.counts_ready_pods = true;
  f.pods.delete_grace_seconds = 0;
  f.ending.replaces_disrupted_pods = false;
  f.messages.emits_exit_events = false;
  f.messages.event_source = "di-operator";
  f.messages.metrics_source = "dijob";
  f.messages.child_events = &di_tasks_event_texts;
  f.hooks.listed_names_bytes = di::tasks::listed_names_bytes;
  f.own.status = di::tasks::status_format();
  f.own.reconcile_job = di::tasks::reconcile_job;
  f.own.read_spec = di::tasks::read_spec;
  f.own.make_pod = di::tasks::make_pod;
  f.own.find_job_errors = di::tasks::find_task_errors;
  f.own.begin_request = di::make_task_request_execution;
  f.admission.validating = {"di-validating-webhook-configuration",
                            "vdijob-v2alpha1.kb.io",
                            "/validate-diengine-opendilab-org-v2alpha1-dijob"};
  return f;
}

} // namespace troupe::frameworks
