#include "k8s/apiserver/access/policy_updates.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr std::string_view bucket_suffix = ".rbac.authorization.k8s.io";

} // namespace

void apply_change_to_policy(rbac_policy& policy, const change& c) {
  const auto& bucket = c.bucket;
  if (bucket.size() <= bucket_suffix.size()
      || bucket.compare(bucket.size() - bucket_suffix.size(), bucket.npos,
                        bucket_suffix)
             != 0)
    return;
  const auto& object = c.after->value();
  const auto& ns = text_at(object, {"metadata", "namespace"});
  const auto& name = text_at(object, {"metadata", "name"});
  bool is_role = bucket.find("bindings.") == bucket.npos;
  bool is_gone = c.type == change::kind::deleted;
  if (is_role && is_gone)
    policy.remove_role(ns, name);
  else if (is_role)
    policy.put_role(ns, name, read_policy_rules(object));
  else if (is_gone)
    policy.remove_binding(ns, name);
  else
    policy.put_binding(read_role_binding(object));
}

} // namespace troupe::k8s::apiserver
