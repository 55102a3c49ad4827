#include "tests/exploration/worlds.hpp"

#include "frameworks/registry.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::exploration {

namespace {

using nlohmann::json;

json replicas(const char* container, int count) {
  return {{"replicas", count},
          {"restartPolicy", "ExitCode"},
          {"template",
           {{"spec",
             {{"containers",
               json::array({{{"name", container}, {"image", "i"}}})}}}}}};
}

/// A TFJob of parameter servers and workers.
std::string two_types(int of_each, const json& policy) {
  json spec{{"tfReplicaSpecs",
             {{"PS", replicas("tensorflow", of_each)},
              {"Worker", replicas("tensorflow", of_each)}}}};
  spec["runPolicy"] = policy;
  return spec.dump();
}

std::string workers(int count, const json& policy) {
  json spec{{"jaxReplicaSpecs", {{"Worker", replicas("jax", count)}}}};
  spec["runPolicy"] = policy;
  return spec.dump();
}

/// May happen: what is named, once.
bounds once(std::initializer_list<int bounds::*> what) {
  bounds b;
  for (auto one : what)
    b.*one = 1;
  return b;
}

json scoped(const char* scope) {
  return {{"failurePolicy", {{"restartScope", scope}, {"maxRestarts", 1}}}};
}

json with_lost_nodes(const json& policy) {
  auto more = policy;
  more["failurePolicy"]["lostNodePeriod"] =
      std::to_string(lost_node_period.count()) + "s";
  return more;
}

/// A launcher, and workers.
std::string launched(int count, const json& policy) {
  json spec{
      {"mpiReplicaSpecs",
       {{"Launcher", replicas("mpi", 1)}, {"Worker", replicas("mpi", count)}}}};
  spec["runPolicy"] = policy;
  return spec.dump();
}

/// One exit code fails the job, another restarts it.
json with_rule() {
  auto policy = scoped("Job");
  policy["failurePolicy"]["rules"] = json::array(
      {{{"action", "FailJob"},
        {"onExitCodes",
         {{"operator", "In"}, {"values", json::array({fatal_exit_code})}}}}});
  return policy;
}

using b = bounds;

/// Worlds that close in seconds.
void add_small_rows(std::vector<world_row>& to) {
  const json limit{{"backoffLimit", 1}};
  const auto tf2 = two_types(1, limit);
  const auto jax2 = workers(2, scoped("Job"));
  const auto add = [&](const char* name, const char* kind,
                       const std::string& spec,
                       std::initializer_list<int bounds::*> what) {
    to.push_back({name, kind, spec, once(what), true});
  };
  add("tf-2x2", "TFJob", two_types(2, limit), {});
  add("tf-1x2-failure", "TFJob", tf2, {&b::failures});
  add("tf-1x2-removal", "TFJob", tf2, {&b::removals});
  add("tf-1x2-success", "TFJob", tf2, {&b::successes});
  add("tf-1x2-lost-answer", "TFJob", tf2, {&b::lost_answers});
  add("tf-1x2-list", "TFJob", tf2, {&b::lists});
  add("jax-3", "JAXJob", workers(3, scoped("Job")), {});
  add("jax-2-failure", "JAXJob", jax2, {&b::failures});
  add("jax-2-removal", "JAXJob", jax2, {&b::removals});
  add("jax-2-death", "JAXJob", jax2, {&b::deaths});
  add("jax-2-lost-answer", "JAXJob", jax2, {&b::lost_answers});
  add("jax-2-list", "JAXJob", jax2, {&b::lists});
  add("jax-2-repetition", "JAXJob", jax2, {&b::repetitions});
  add("jax-1-suspension", "JAXJob", workers(1, scoped("Job")),
      {&b::suspensions});
  add("types-1x2-failure", "TFJob", two_types(1, scoped("ReplicaType")),
      {&b::failures});
  add("rule-2-fatal", "JAXJob", workers(2, with_rule()), {&b::fatal_failures});
  add("mpi-2", "MPIJob", launched(2, scoped("Job")), {});
  add("mpi-1-failure", "MPIJob", launched(1, scoped("Job")), {&b::failures});
  add("mpi-1-success", "MPIJob", launched(1, scoped("Job")), {&b::successes});
  add("mpi-1-death", "MPIJob", launched(1, scoped("Job")), {&b::deaths});
  add("lost-node-jax-1", "JAXJob", workers(1, with_lost_nodes(scoped("Job"))),
      {&b::lost_nodes});
  add("lost-node-tf-1x2", "TFJob", two_types(1, with_lost_nodes(limit)),
      {&b::lost_nodes});
  const auto with_services = [&](const char* name, const char* kind,
                                 const std::string& spec,
                                 std::initializer_list<int bounds::*> what) {
    to.push_back({name, kind, spec, once(what), true, false, true});
  };
  with_services("services-jax-1-failure", "JAXJob", workers(1, scoped("Job")),
                {&b::failures});
  with_services("services-jax-1-removal", "JAXJob", workers(1, scoped("Job")),
                {&b::removals});
  with_services("services-tf-1x2", "TFJob", tf2, {});
  to.push_back({"pruned-1-failure", "JAXJob", workers(1, scoped("Job")),
                once({&b::failures}), true, true});
}

/// Those of `make explore`.
void add_large_rows(std::vector<world_row>& to) {
  const json limit{{"backoffLimit", 1}};
  const auto tf2 = two_types(1, limit);
  const auto jax2 = workers(2, scoped("Job"));
  const auto jax3 = workers(3, scoped("Job"));
  const auto add =
      [&](const char* name, const char* kind, const std::string& spec,
          std::initializer_list<int bounds::*> what, bool prunes = false) {
        to.push_back({name, kind, spec, once(what), false, prunes});
      };
  add("tf-1x2-calls", "TFJob", tf2,
      {&b::lost_answers, &b::lists, &b::repetitions});
  add("jax-2-suspension", "JAXJob", jax2, {&b::suspensions});
  add("jax-2-failure-late-end", "JAXJob", jax2, {&b::failures, &b::late_ends});
  add("jax-2-failure-list", "JAXJob", jax2, {&b::failures, &b::lists});
  add("jax-2-failure-lost-answer", "JAXJob", jax2,
      {&b::failures, &b::lost_answers});
  add("jax-2-failure-repetition", "JAXJob", jax2,
      {&b::failures, &b::repetitions});
  add("jax-2-failure-success", "JAXJob", jax2, {&b::failures, &b::successes});
  add("jax-2-failure-removal", "JAXJob", jax2, {&b::failures, &b::removals});
  add("jax-2-failure-death", "JAXJob", jax2, {&b::failures, &b::deaths});
  add("jax-2-failure-suspension", "JAXJob", jax2,
      {&b::failures, &b::suspensions});
  add("jax-2-suspension-death", "JAXJob", jax2, {&b::suspensions, &b::deaths});
  add("jax-3-failure", "JAXJob", jax3, {&b::failures});
  add("jax-3-death", "JAXJob", jax3, {&b::deaths});
  add("tf-2x2-restart", "TFJob", two_types(2, scoped("Job")), {&b::failures});
  add("types-1x2-failure-removal", "TFJob", two_types(1, scoped("ReplicaType")),
      {&b::failures, &b::removals});
  add("types-1x2-failure-death", "TFJob", two_types(1, scoped("ReplicaType")),
      {&b::failures, &b::deaths});
  add("types-2x2-failure", "TFJob", two_types(2, scoped("ReplicaType")),
      {&b::failures});
  add("rule-2-failure-fatal", "JAXJob", workers(2, with_rule()),
      {&b::failures, &b::fatal_failures});
  add("rule-2-fatal-death", "JAXJob", workers(2, with_rule()),
      {&b::fatal_failures, &b::deaths});
  add("pruned-2-failure", "JAXJob", jax2, {&b::failures}, true);
  add("pruned-2-failure-death", "JAXJob", jax2, {&b::failures, &b::deaths},
      true);
  add("mpi-types-1-failure", "MPIJob", launched(1, scoped("ReplicaType")),
      {&b::failures});
  add("mpi-2-failure", "MPIJob", launched(2, scoped("Job")), {&b::failures});
  add("mpi-1-failure-death", "MPIJob", launched(1, scoped("Job")),
      {&b::failures, &b::deaths});
  add("lost-node-jax-2", "JAXJob", workers(2, with_lost_nodes(scoped("Job"))),
      {&b::lost_nodes});
  add("lost-node-jax-1-death", "JAXJob",
      workers(1, with_lost_nodes(scoped("Job"))), {&b::lost_nodes, &b::deaths});
  add("lost-node-jax-1-failure", "JAXJob",
      workers(1, with_lost_nodes(scoped("Job"))),
      {&b::lost_nodes, &b::failures});
  add("lost-node-jax-1-suspension", "JAXJob",
      workers(1, with_lost_nodes(scoped("Job"))),
      {&b::lost_nodes, &b::suspensions});
  add("lost-node-mpi-1", "MPIJob", launched(1, with_lost_nodes(scoped("Job"))),
      {&b::lost_nodes});
  to.push_back({"services-tf-1x2-failure", "TFJob", tf2, once({&b::failures}),
                false, false, true});
  to.push_back({"services-jax-1-failure-death", "JAXJob",
                workers(1, scoped("Job")), once({&b::failures, &b::deaths}),
                false, false, true});
  to.push_back({"services-jax-1-suspension", "JAXJob",
                workers(1, scoped("Job")), once({&b::suspensions}), false,
                false, true});
  add("jax-1-failure-suspension-death", "JAXJob", workers(1, scoped("Job")),
      {&b::failures, &b::suspensions, &b::deaths});
}

/// Jobs in a queue.
void add_queue_rows(std::vector<world_row>& to) {
  auto policy = scoped("Job");
  policy["cleanPodPolicy"] = "Running";
  const auto one = workers(1, policy);
  const auto two = workers(2, policy);
  const auto add = [&](const char* name, const std::string& spec,
                       std::initializer_list<int bounds::*> what, bool in_ci) {
    to.push_back({name, "JAXJob", spec, once(what), in_ci, false, false, true});
  };
  add("queue-1", one, {}, true);
  add("queue-1-success", one, {&b::successes}, true);
  add("queue-1-check", one, {&b::checks}, true);
  add("queue-1-refusal", one, {&b::refusals}, true);
  // Watches tell at once.
  add("queue-1-failure", one, {&b::failures, &b::prompt}, true);
  add("queue-1-death", one, {&b::deaths, &b::prompt}, true);
  add("queue-1-lost-answer", one, {&b::lost_answers, &b::prompt}, false);
  // The job is disturbed where nothing is under way; then all goes on in any
  // order.
  add("queue-1-preemption", one, {&b::preemptions, &b::calm}, true);
  add("queue-1-time-out", one, {&b::time_outs, &b::calm}, false);
  add("queue-1-deactivation", one, {&b::deactivations, &b::calm}, true);
  add("queue-1-workload-removal", one,
      {&b::workload_removals, &b::calm, &b::prompt}, false);
  add("queue-1-suspension", one, {&b::suspensions, &b::calm, &b::prompt}, true);
  add("queue-2", two, {}, false);
  add("queue-2-preemption", two, {&b::preemptions, &b::calm}, false);
  for (const auto& [name, what] :
       {std::pair{"success", &b::successes}, std::pair{"failure", &b::failures},
        std::pair{"death", &b::deaths}, std::pair{"refusal", &b::refusals},
        std::pair{"lost-answer", &b::lost_answers}})
    for (const auto& [cause, eviction] :
         {std::pair{"preemption", &b::preemptions},
          std::pair{"deactivation", &b::deactivations},
          std::pair{"workload-removal", &b::workload_removals}})
      to.push_back({"queue-1-" + std::string{cause} + "-" + name, "JAXJob", one,
                    once({what, eviction, &b::calm}), false, false, false,
                    true});
}

std::vector<world_row> make_rows() {
  std::vector<world_row> rows;
  add_small_rows(rows);
  add_large_rows(rows);
  add_queue_rows(rows);
  return rows;
}

} // namespace

std::unique_ptr<setting> world_row::make() const {
  const auto* row = frameworks::find(kind);
  auto s = std::make_unique<setting>(name, *row, spec, may_happen,
                                     with_services, queued);
  s->prunes = prunes;
  return s;
}

const std::vector<world_row>& all_worlds() {
  static const auto rows = make_rows();
  return rows;
}

const world_row* find_world(const std::string& name) {
  const auto& all = all_worlds();
  auto i = std::find_if(all.begin(), all.end(),
                        [&](const auto& row) { return row.name == name; });
  return i == all.end() ? nullptr : &*i;
}

} // namespace troupe::exploration
