#pragma once

#include "frameworks/core/job.hpp"
#include "frameworks/core/observed.hpp"
#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <string>
#include <vector>

namespace troupe::core {

/// What a pass may know of the world outside the job: plain values from the
/// operator's settings.
struct surroundings {
  std::string cluster_domain; ///< CUSTOM_CLUSTER_DOMAIN, usually "".
};

struct env_var {
  std::string name;
  std::string value;
};

/// When a type that leads has succeeded.
enum class success : std::uint8_t {
  all,   ///< Every replica has.
  first, ///< Index 0 has, with exit code 0, is enough; unless the job's
         ///< success policy is AllWorkers.
};

/// Which pods of a type carry the label job-role: master.
enum class master_role : std::uint8_t {
  none,
  all,
  first_if_unled, ///< Index 0, when no leading type is present.
};

/// One replica type of a framework.
struct replica_rule {
  const char* type = "";  ///< "Worker".
  const char* label = ""; ///< "worker".
  int default_replicas = 1;
  bool leads = false;     ///< If present, its success is the job's.
  bool stands_in = false; ///< Leads when no leading type is present.
  success succeeds = success::all;
  master_role role = master_role::none;
  bool elastic = false; ///< In a dynamic job its failures are its own affair.
};

/// What a kind says in its conditions. Placeholders: {kind} {ns} {name}
/// {count} {type}.
struct phrases {
  const char* running = "";
  const char* succeeded = "";
  const char* failed = "";
};

/// A job kind: one row of the registry. Plain data and pure functions. A kind
/// that differs gets a column here, never an `if` in the core.
struct framework {
  k8s::resource type;          ///< kubeflow.org/v1 tfjobs TFJob.
  const char* singular = "";   ///< "tfjob".
  const char* name = "";       ///< "tensorflow": the metrics' label.
  const char* spec_field = ""; ///< "tfReplicaSpecs".
  const char* controller = ""; ///< "tfjob-controller".
  const char* container = "";  ///< Default container's name.
  const char* port_name = "";
  std::int32_t port = 0;
  restart_policy default_restart = restart_policy::never;
  std::vector<replica_rule> replicas; ///< In order of evaluation.

  bool any_case = false;           ///< Type names are taken in any case.
  bool open_types = false;         ///< Unknown types get pods, but no say.
  bool one_leader = false;         ///< At most one leading type may be present.
  bool services = true;            ///< Each replica has a headless service.
  bool selector_in_status = false; ///< For the scale subresource.
  /// What the event on removing an expired job is called after.
  const char* removal_noun = "Job";
  phrases led;   ///< When a leading type is present.
  phrases unled; ///< When none is.

  /// The environment of the default container of one replica.
  std::vector<env_var> (*environment)(const job& j, const slot& at,
                                      const surroundings& world) = nullptr;

  /// By label ("worker"), or nullptr.
  const replica_rule* find(const std::string& label) const;
  /// By type as an owner may spell it ("Worker"), or nullptr.
  const replica_rule* find_type(const std::string& spelled) const;
};

/// Whether a leading type is present in the job.
bool has_leader(const job& j);

/// Whether this type's success is the job's. Types that are not the
/// framework's own never lead.
bool leads(const job& j, const replica_rule& rule);

/// The phrases that fit the job.
const phrases& phrases_of(const job& j);

/// Fills the placeholders of a phrase.
std::string fill(const char* phrase, const job& j, std::int32_t count = 0,
                 const std::string& type = {});

} // namespace troupe::core
