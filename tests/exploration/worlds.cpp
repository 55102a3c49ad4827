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

std::vector<world_row> make_rows() {
  const json limit{{"backoffLimit", 1}};
  const json scope{
      {"failurePolicy", {{"restartScope", "Job"}, {"maxRestarts", 1}}}};
  using b = bounds;
  const auto all = {&b::failures, &b::deaths,      &b::successes,
                    &b::removals, &b::suspensions, &b::lost_answers,
                    &b::lists,    &b::repetitions, &b::late_ends};
  const auto tf2 = two_types(1, limit);
  const auto tf4 = two_types(2, limit);
  const auto jax2 = workers(2, scope);
  const auto jax3 = workers(3, scope);
  return {
      {"tf-2x2", "TFJob", tf4, once({}), true},
      {"tf-1x2-failure", "TFJob", tf2, once({&b::failures}), true},
      {"tf-1x2-removal", "TFJob", tf2, once({&b::removals}), true},
      {"tf-1x2-success", "TFJob", tf2, once({&b::successes}), true},
      {"tf-1x2-lost-answer", "TFJob", tf2, once({&b::lost_answers}), true},
      {"tf-1x2-list", "TFJob", tf2, once({&b::lists}), true},
      {"jax-3", "JAXJob", jax3, once({}), true},
      {"jax-2-failure", "JAXJob", jax2, once({&b::failures}), true},
      {"jax-2-removal", "JAXJob", jax2, once({&b::removals}), true},
      {"jax-2-death", "JAXJob", jax2, once({&b::deaths}), true},
      {"jax-2-lost-answer", "JAXJob", jax2, once({&b::lost_answers}), true},
      {"jax-2-list", "JAXJob", jax2, once({&b::lists}), true},
      {"jax-2-repetition", "JAXJob", jax2, once({&b::repetitions}), true},
      {"tf-1x2-calls", "TFJob", tf2,
       once({&b::lost_answers, &b::lists, &b::repetitions}), false},
      {"jax-2-suspension", "JAXJob", jax2, once({&b::suspensions}), false},
      {"jax-2-failure-late-end", "JAXJob", jax2,
       once({&b::failures, &b::late_ends}), false},
      {"jax-2-failure-list", "JAXJob", jax2, once({&b::failures, &b::lists}),
       false},
      {"jax-2-failure-lost-answer", "JAXJob", jax2,
       once({&b::failures, &b::lost_answers}), false},
      {"jax-2-failure-repetition", "JAXJob", jax2,
       once({&b::failures, &b::repetitions}), false},
      {"jax-2-failure-success", "JAXJob", jax2,
       once({&b::failures, &b::successes}), false},
      {"jax-2-failure-death", "JAXJob", jax2, once({&b::failures, &b::deaths}),
       false},
      {"jax-2-failure-removal", "JAXJob", jax2,
       once({&b::failures, &b::removals}), false},
      {"jax-2-failure-suspension", "JAXJob", jax2,
       once({&b::failures, &b::suspensions}), false},
      {"jax-3-failure", "JAXJob", jax3, once({&b::failures}), false},
      {"tf-1x2-all", "TFJob", tf2, once(all), false},
      {"jax-2-all", "JAXJob", jax2, once(all), false},
  };
}

} // namespace

std::unique_ptr<setting> world_row::make() const {
  const auto* row = frameworks::find(kind);
  return std::make_unique<setting>(name, *row, spec, may_happen);
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
