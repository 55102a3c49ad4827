#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

#include <algorithm>

namespace troupe::frameworks {

using namespace core;

namespace {

/// "job-worker-3.ns.svc:2222", quoted. Thousands are made for one pod, so the
/// parts that repeat are put together once.
class address_writer {
public:
  address_writer(const job& j, const replica_spec& type,
                 const cluster_options& cluster)
      : before_("\"" + child_name_prefix(j, type)) {
    after_ = "." + j.ns + ".svc";
    if (!cluster.cluster_domain.empty())
      after_ += "." + cluster.cluster_domain;
    after_ +=
        ":"
        + std::to_string(type.port(j.kind->pods.port_name, j.kind->pods.port))
        + "\"";
  }

  void append_quoted_address(std::string& out, std::int32_t index) const {
    out += before_;
    out += std::to_string(index);
    out += after_;
  }

  std::string addresses_json(std::int32_t replicas) const {
    std::string out = "[";
    out.reserve(static_cast<std::size_t>(std::max(replicas, 0))
                    * (before_.size() + after_.size() + 8)
                + 2);
    for (std::int32_t i = 0; i < replicas; ++i) {
      if (i > 0)
        out += ',';
      append_quoted_address(out, i);
    }
    return out += ']';
  }

private:
  static std::string child_name_prefix(const job& j, const replica_spec& type) {
    auto first = child_name(j, {type.label, 0});
    first.pop_back();
    return first;
  }

  std::string before_;
  std::string after_;
};

std::string task_member_json(const slot& at) {
  return "\"task\":{\"type\":\"" + at.type
         + "\",\"index\":" + std::to_string(at.index) + "}";
}

bool is_chief_type(const job& j, const replica_spec& type) {
  const auto* rule = j.kind->find_rule_by_label(type.label);
  return rule && rule->chief == chief_rule::if_present;
}

std::string dense_tf_config(const job& j, const slot& at,
                            const cluster_options& cluster) {
  std::vector<const replica_spec*> types;
  for (const auto& r : j.replicas)
    if (r.replicas > 0 || !is_chief_type(j, r)) // An empty one would lead.
      types.push_back(&r);
  std::sort(types.begin(), types.end(),
            [](auto* a, auto* b) { return a->label < b->label; });
  std::string out = "{\"cluster\":{";
  for (const auto* type : types) {
    if (type != types.front())
      out += ',';
    out += "\"" + type->label + "\":";
    out += address_writer(j, *type, cluster).addresses_json(type->replicas);
  }
  return out + "}," + task_member_json(at) + ",\"environment\":\"cloud\"}";
}

std::string quoted_replica_address(const job& j, const slot& at,
                                   const cluster_options& cluster) {
  std::string out;
  if (const auto* type = j.find_replica_spec(at.type))
    address_writer(j, *type, cluster).append_quoted_address(out, at.index);
  return out;
}

std::string type_addresses_json_or_null(const job& j, const std::string& label,
                                        const cluster_options& cluster) {
  const auto* type = j.find_replica_spec(label);
  return type ? address_writer(j, *type, cluster).addresses_json(type->replicas)
              : "null";
}

/// For a job with dynamic workers, which are added and removed: a worker gets
/// the addresses of the parameter servers and itself, a parameter server its
/// own only, any other replica those of the parameter servers and of its type.
std::string sparse_tf_config(const job& j, const slot& at,
                             const cluster_options& cluster) {
  std::string worker = "{}";
  std::string own;
  if (at.type == "worker")
    worker = "{\"" + std::to_string(at.index)
             + "\":" + quoted_replica_address(j, at, cluster) + "}";
  else if (at.type != "ps")
    own = ",\"" + at.type
          + "\":" + type_addresses_json_or_null(j, at.type, cluster);
  auto ps = at.type == "ps" ? "[" + quoted_replica_address(j, at, cluster) + "]"
                            : type_addresses_json_or_null(j, "ps", cluster);
  return "{\"cluster\":{\"worker\":" + worker + ",\"ps\":" + ps + own + "},"
         + task_member_json(at) + "}";
}

/// Whether the job has one replica only, which needs no TF_CONFIG.
bool has_one_replica_of_known_types(const job& j) {
  std::int64_t sum = 0;
  for (const auto& r : j.replicas)
    if (j.kind->find_rule_by_label(r.label))
      sum += r.replicas;
  return sum == 1;
}

std::vector<env_var> tensorflow_environment(const job& j, const slot& at,
                                            const cluster_options& cluster) {
  if (has_one_replica_of_known_types(j))
    return {};
  return {{"TF_CONFIG", j.dynamic_workers ? sparse_tf_config(j, at, cluster)
                                          : dense_tf_config(j, at, cluster)}};
}

/// In TF_CONFIG. Dynamic workers know the parameter servers only.
std::size_t tf_config_names_bytes(const job& j) {
  constexpr std::size_t beside_each = sizeof "\"..svc:12345\",";
  std::size_t sum = 0;
  for (const auto& type : j.replicas)
    if (!j.dynamic_workers || type.label == "ps")
      sum += name_list_bytes(j, type, beside_each + j.ns.size());
  return sum;
}

replica_rule tensorflow_worker() {
  auto r = make_follower_rule("Worker", "worker");
  r.chief = chief_rule::if_no_other;
  r.succeeds = success::first;
  r.role = master_role::index_zero_without_chief;
  r.may_fail_if_dynamic = true;
  return r;
}

} // namespace

framework tensorflow() {
  framework f;
  f.names = names_of_v1_kind("TFJob", "tensorflow", "tfReplicaSpecs");
  f.replicas = {make_chief_rule("Chief", "chief"),
                make_follower_rule("Evaluator", "evaluator"),
                make_chief_rule("Master", "master"),
                make_follower_rule("PS", "ps"), tensorflow_worker()};
  f.accepted.case_insensitive_types = true;
  f.accepted.allows_unknown_types = true;
  f.accepted.allows_one_chief_only = true;
  f.pods.container = "tensorflow";
  f.pods.port_name = "tfjob-port";
  f.pods.port = 2222;
  f.messages.adds_own_event_on_permanent_failure = true;
  f.messages.with_chief = {
      "{kind} {ns}/{name} is running.",
      "{kind} {ns}/{name} successfully completed.",
      "{kind} {ns}/{name} has failed because {count} {type} replica(s) "
      "failed."};
  f.messages.without_chief = f.messages.with_chief;
  f.hooks.environment_scope = env_scope::main_container;
  f.hooks.environment = tensorflow_environment;
  f.hooks.listed_names_bytes = tf_config_names_bytes;
  return f;
}

} // namespace troupe::frameworks
