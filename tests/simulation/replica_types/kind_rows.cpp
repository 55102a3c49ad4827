#include "tests/simulation/replica_types/kind_rows.hpp"

#include "tests/simulation/random.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

using labels = std::vector<std::string>;

/// A type with 0 replicas is not there.
bool present(const manifest& m, const char* type) {
  return m.replicas(type) > 0;
}

bool has_succeeded(const replica* r) {
  return r && r->phase == "Succeeded";
}

// -- the types whose success is the job's -------------------------------------

labels chief_or_worker(const manifest& m) {
  if (present(m, "chief"))
    return {"chief"};
  return {present(m, "master") ? "master" : "worker"};
}

labels master_or_worker(const manifest& m) {
  return {present(m, "master") ? "master" : "worker"};
}

labels master(const manifest&) {
  return {"master"};
}

labels worker(const manifest&) {
  return {"worker"};
}

labels launcher(const manifest&) {
  return {"launcher"};
}

/// A single worker needs no scheduler; what tunes it may end the job as well.
labels scheduler_or_single_worker(const manifest& m) {
  if (m.replicas("worker") == 1 && m.replicas("scheduler") == 0
      && m.replicas("server") == 0)
    return {"worker", "tunertracker", "tunerserver", "tuner"};
  return {"scheduler"};
}

// -- what else makes a job succeed --------------------------------------------

bool first_worker_is_enough(const manifest& m, const replica_list& all) {
  if (present(m, "chief") || present(m, "master") || m.replicas("worker") == 0
      || text(at(m.spec, "successPolicy")) == "AllWorkers")
    return false;
  const auto* r = find(all, "worker", 0);
  return r && r->phase == "Succeeded" && r->exit_code == 0;
}

/// Of an elastic job without a master.
bool any_worker_is_enough(const manifest& m, const replica_list& all) {
  if (present(m, "master") || !at(m.spec, "elasticPolicy").is_object())
    return false;
  for (int i = 0; i < m.replicas("worker"); ++i)
    if (has_succeeded(find(all, "worker", i)))
      return true;
  return false;
}

// -- fields that only one kind has --------------------------------------------

void tensorflow_random_fields(json& spec, std::mt19937_64& random) {
  if (chance(random, 20))
    spec["enableDynamicWorker"] = true;
  if (chance(random, 20))
    spec["successPolicy"] = "AllWorkers";
}

void pytorch_random_fields(json& spec, std::mt19937_64& random) {
  if (chance(random, 20))
    spec["nprocPerNode"] = std::to_string(1 + up_to(random, 3));
  if (!chance(random, 30) || !spec["pytorchReplicaSpecs"].contains("Worker"))
    return;
  auto& elastic = spec["elasticPolicy"];
  elastic = {{"minReplicas", 1}, {"maxReplicas", 2 + up_to(random, 3)}};
  if (chance(random, 50))
    elastic["metrics"] = cpu_metrics();
}

void paddle_random_fields(json& spec, std::mt19937_64& random) {
  if (chance(random, 20))
    spec["elasticPolicy"] = {{"minReplicas", 1}, {"maxReplicas", 3}};
}

void mxnet_random_fields(json& spec, std::mt19937_64&) {
  spec["jobMode"] = "MXTrain";
}

void mpi_random_fields(json& spec, std::mt19937_64& random) {
  if (chance(random, 40))
    spec["slotsPerWorker"] = 1 + up_to(random, 3);
}

const kind_row rows[] = {
    {"TFJob",
     "Never",
     {{"Chief", 40, 0, 1},
      {"Evaluator", 15, 0, 1},
      {"Master", 15, 0, 1},
      {"PS", 55, 0, 2},
      {"Worker", 92, 0, 3}},
     chief_or_worker,
     first_worker_is_enough,
     tensorflow_random_fields},
    {"PyTorchJob",
     "OnFailure",
     {{"Master", 60, 1, 1}, {"Worker", 85, 1, 3}},
     master_or_worker,
     any_worker_is_enough,
     pytorch_random_fields},
    {"XGBoostJob",
     "Never",
     {{"Master", 100, 1, 1}, {"Worker", 85, 0, 3}},
     master},
    {"PaddleJob",
     "OnFailure",
     {{"Master", 50, 0, 2}, {"Worker", 85, 0, 3}},
     master_or_worker,
     nullptr,
     paddle_random_fields},
    {"JAXJob", "Never", {{"Worker", 100, 0, 3}}, worker},
    {"MXJob",
     "Never",
     {{"Scheduler", 75, 0, 1},
      {"Server", 70, 0, 2},
      {"Worker", 92, 0, 3},
      {"TunerTracker", 8, 0, 1},
      {"TunerServer", 8, 0, 1},
      {"Tuner", 8, 0, 1}},
     scheduler_or_single_worker,
     nullptr,
     mxnet_random_fields},
    {"MPIJob",
     "Never",
     {{"Launcher", 100, 1, 1}, {"Worker", 88, 0, 3}},
     launcher,
     nullptr,
     mpi_random_fields,
     false},
};

} // namespace

json cpu_metrics() {
  return json::array(
      {{{"type", "Resource"},
        {"resource",
         {{"name", "cpu"},
          {"target",
           {{"type", "Utilization"}, {"averageUtilization", 80}}}}}}});
}

const kind_row* find_kind_row(const std::string& kind) {
  for (const auto& w : rows)
    if (kind == w.kind)
      return &w;
  return nullptr;
}

} // namespace troupe::simulation
