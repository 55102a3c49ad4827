// The auxiliary objects at the end are compared with what the framework's
// function asks for.
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "k8s/codec/codec.hpp"
#include "tests/simulation/replica_types/replica_type_invariants.hpp"

namespace troupe::simulation {

namespace {

/// Whether all that is asked for is there.
bool has(const json& there, const json& asked) {
  if (!asked.is_object())
    return there == asked;
  for (const auto& [key, value] : asked.items())
    if (!has(at(there, key.c_str()), value))
      return false;
  return true;
}

} // namespace

void replica_type_invariants::check_auxiliary_objects_at_end(const json& job) {
  if (rules_.row().names.type.kind == "PyTorchJob")
    check_autoscaler_at_end(rules_.read(job), job);
  const auto& row = rules_.row();
  auto object =
      k8s::decode_object(job.dump(), k8s::object_detail::spec_and_status);
  auto j = object ? core::decode_job(row, **object)
                  : k8s::result<core::job>(object.error());
  if (!j) {
    report_violation("cannot be read: " + j.error().message);
    return;
  }
  core::observed_children seen;
  for (const auto& [key, pod] : api().all("pods"))
    if (auto o = k8s::decode_object(pod.dump(), k8s::object_detail::pod))
      seen.record_seen(core::child_kind::pod, **o,
                       core::claims_on_kind((*o)->meta, *j->kind), *j, 1);
  std::set<std::string> wanted;
  if (api().find("configmaps", "ns/job-progress"))
    wanted.insert("configmaps/job-progress"); // Where pods report.
  if (row.hooks.auxiliary_objects)
    for (const auto& b : row.hooks.auxiliary_objects(*j, seen, {})) {
      const auto& kind = core::resource_of(b.kind).plural;
      wanted.insert(kind + "/" + b.name);
      const auto* there = api().find(kind, "ns/" + b.name);
      if (!there)
        report_violation(kind + "/" + b.name + " is missing");
      else if (!has(*there, json::parse(b.body)))
        report_violation(kind + "/" + b.name
                         + " is not as the job needs it: " + there->dump());
    }
  for (auto what : row.hooks.auxiliary_kinds)
    for (const auto& [key, o] : api().all(core::resource_of(what).plural))
      if (ours(o)
          && wanted.count(core::resource_of(what).plural + "/" + name_of(o))
                 == 0)
        report_violation(key + " is left, which is not wanted");
}

/// A PyTorchJob has one if its elastic policy has metrics.
void replica_type_invariants::check_autoscaler_at_end(const manifest& m,
                                                      const json& job) {
  const auto* there = api().find("horizontalpodautoscalers", job_key());
  const auto& policy = at(m.spec, "elasticPolicy");
  if (!at(policy, "metrics").is_array()) {
    if (there && ours(*there))
      report_violation("the autoscaler is left, which is not wanted");
    return;
  }
  const auto& spec = there ? at(*there, "spec") : at(job, "none");
  if (at(spec, "minReplicas") != at(policy, "minReplicas")
      || at(spec, "maxReplicas") != at(policy, "maxReplicas")
      || at(spec, "metrics") != at(policy, "metrics")
      || text(at(spec, "scaleTargetRef", "kind"))
             != rules_.row().names.type.kind
      || text(at(spec, "scaleTargetRef", "name")) != "job")
    report_violation("the autoscaler is not as the job asks for it: "
                     + (there ? there->dump() : "none"));
}

} // namespace troupe::simulation
