#include "frameworks/rules.hpp"

#include "frameworks/core/base/json.hpp"
#include "k8s/text.hpp"

namespace troupe::frameworks {

using namespace core;

kind_names names_of_v1_kind(const char* kind, const char* short_name,
                            const char* spec_field) {
  kind_names n;
  n.singular = k8s::lower_case(kind);
  n.type = {"kubeflow.org", "v1", n.singular + "s", kind};
  n.short_name = short_name;
  n.spec_field = spec_field;
  n.controller = n.singular + "-controller";
  return n;
}

replica_rule make_follower_rule(const char* type, const char* label) {
  replica_rule r;
  r.type = type;
  r.label = label;
  return r;
}

replica_rule make_chief_rule(const char* type, const char* label) {
  auto r = make_follower_rule(type, label);
  r.chief = chief_rule::if_present;
  r.role = master_role::all;
  return r;
}

message_templates messages_with_name() {
  message_templates p;
  p.running = "{kind} {name} is running.";
  p.succeeded = "{kind} {name} is successfully completed.";
  p.failed = "{kind} {name} is failed because {count} {type} replica(s) "
             "failed.";
  p.restarting = "{kind} {name} is restarting because {count} {type} "
                 "replica(s) failed.";
  return p;
}

message_templates messages_with_namespace() {
  auto p = messages_with_name();
  p.running = "{kind} {ns}/{name} is running.";
  p.succeeded = "{kind} {ns}/{name} successfully completed.";
  return p;
}

std::int32_t port_of_type_or_default(const job& j, const char* label) {
  const auto* type = j.find_replica_spec(label);
  return type ? type->port(j.kind->pods.port_name, j.kind->pods.port)
              : j.kind->pods.port;
}

json spec_setting(const job& j, const char* field) {
  return value_at(parse_json_or_null(j.settings), {field});
}

} // namespace troupe::frameworks
