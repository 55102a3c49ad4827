#include "k8s/apiserver/access/bootstrap_roles.hpp"

#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

// A role in each paragraph: its name, then `label KEY`, `aggregate KEY` and
// `bind GROUP,...`, then rules: groups, resources, verbs. "-" is the core
// group, and `url` a rule of paths. READ and WRITE are the verbs of those who
// look and those who change.
constexpr const char* role_table = R"(cluster-admin
bind system:masters
* * *
url * *

admin
aggregate admin

edit
label admin
aggregate edit

view
label edit
aggregate view

system:aggregate-to-admin
label admin
authorization.k8s.io localsubjectaccessreviews create
rbac.authorization.k8s.io roles,rolebindings READ,WRITE

system:aggregate-to-edit
label edit
- pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy READ
- serviceaccounts impersonate
- pods,pods/attach,pods/exec,pods/portforward,pods/proxy WRITE
- pods/eviction,serviceaccounts/token create
- configmaps,events,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy WRITE
apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale WRITE
autoscaling horizontalpodautoscalers WRITE
batch cronjobs,jobs WRITE
networking.k8s.io ingresses,networkpolicies WRITE
policy poddisruptionbudgets WRITE
coordination.k8s.io leases READ,WRITE

system:aggregate-to-view
label view
- configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status READ
- bindings,events,limitranges,namespaces,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status READ
discovery.k8s.io endpointslices READ
apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status READ
autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status READ
batch cronjobs,cronjobs/status,jobs,jobs/status READ
networking.k8s.io ingresses,ingresses/status,networkpolicies READ
policy poddisruptionbudgets,poddisruptionbudgets/status READ
metrics.k8s.io nodes,pods READ

system:discovery
bind system:authenticated
url /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/ get

system:basic-user
bind system:authenticated
authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews create
authentication.k8s.io selfsubjectreviews create

system:public-info-viewer
bind system:authenticated,system:unauthenticated
url /healthz,/livez,/readyz,/version,/version/ get

system:auth-delegator
authentication.k8s.io tokenreviews create
authorization.k8s.io subjectaccessreviews create

system:node
bind system:nodes
authentication.k8s.io tokenreviews create
authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews create
- services READ
- nodes create,get,list,watch,delete,patch,update
- nodes/status patch,update
- events create,patch,update
- pods READ,create,delete
- pods/status patch,update
- pods/binding create
- configmaps,secrets READ
- serviceaccounts get
- serviceaccounts/token create
)";

constexpr const char* rbac_version = "rbac.authorization.k8s.io/v1";
constexpr const char* label_prefix = "rbac.authorization.k8s.io/aggregate-to-";
constexpr const char* autoupdate =
    "rbac.authorization.kubernetes.io/autoupdate";

json make_bootstrap_object(const char* kind, const std::string& name) {
  return {{"apiVersion", rbac_version},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"labels", {{"kubernetes.io/bootstrapping", "rbac-defaults"}}},
            {"annotations", {{autoupdate, "true"}}}}}};
}

json parse_verbs(const std::string& text) {
  auto all = replace_all(text, "READ", "get,list,watch");
  all =
      replace_all(all, "WRITE", "create,delete,deletecollection,patch,update");
  return split_without_empty_parts(all, ',');
}

json parse_rule(const std::vector<std::string>& words) {
  if (words[0] == "url")
    return {{"nonResourceURLs", split_without_empty_parts(words[1], ',')},
            {"verbs", parse_verbs(words[2])}};
  auto group = words[0] == "-" ? std::string{} : words[0];
  return {{"apiGroups", {group}},
          {"resources", split_without_empty_parts(words[1], ',')},
          {"verbs", parse_verbs(words[2])}};
}

json make_cluster_role_binding(const std::string& role,
                               const std::string& groups) {
  auto out = make_bootstrap_object("ClusterRoleBinding", role);
  out["roleRef"] = {{"apiGroup", "rbac.authorization.k8s.io"},
                    {"kind", "ClusterRole"},
                    {"name", role}};
  for (const auto& group : split_without_empty_parts(groups, ','))
    out["subjects"].push_back({{"apiGroup", "rbac.authorization.k8s.io"},
                               {"kind", "Group"},
                               {"name", group}});
  return out;
}

/// Adds the objects of one paragraph.
void parse_role_and_bindings(const std::vector<std::string>& lines,
                             std::vector<json>& out) {
  auto role = make_bootstrap_object("ClusterRole", lines.front());
  role["rules"] = json::array();
  std::vector<json> bindings;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    auto words = split_without_empty_parts(lines[i], ' ');
    if (words[0] == "bind")
      bindings.push_back(make_cluster_role_binding(lines.front(), words[1]));
    else if (words[0] == "label")
      role["metadata"]["labels"][label_prefix + words[1]] = "true";
    else if (words[0] == "aggregate")
      role["aggregationRule"]["clusterRoleSelectors"].push_back(
          {{"matchLabels", {{label_prefix + words[1], "true"}}}});
    else
      role["rules"].push_back(parse_rule(words));
  }
  out.push_back(std::move(role));
  out.insert(out.end(), bindings.begin(), bindings.end());
}

std::vector<json> parse_bootstrap_roles() {
  std::vector<json> out;
  std::vector<std::string> lines;
  std::string_view rest{role_table};
  while (!rest.empty()) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (!line.empty())
      lines.emplace_back(line);
    if (line.empty() || rest.empty()) {
      parse_role_and_bindings(lines, out);
      lines.clear();
    }
  }
  return out;
}

} // namespace

const std::vector<json>& bootstrap_roles() {
  static const auto all = parse_bootstrap_roles();
  return all;
}

json add_missing_rules_and_subjects(json stored, const json& wanted) {
  if (text_at(stored, {"metadata", "annotations", autoupdate}) == "false"
      || wanted.contains("aggregationRule"))
    return stored;
  for (const char* list : {"rules", "subjects"})
    for (const auto& one : array_at(wanted, {list})) {
      auto& own = ensure_array(stored, list);
      if (std::find(own.begin(), own.end(), one) == own.end())
        own.push_back(one);
    }
  return stored;
}

} // namespace troupe::k8s::apiserver
