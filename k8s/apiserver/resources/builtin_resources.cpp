#include "k8s/apiserver/resources/builtin_resources.hpp"

#include "k8s/apiserver/resources/event_conversion.hpp"
#include "k8s/apiserver/resources/pod_strategy.hpp"
#include "k8s/apiserver/resources/service_strategy.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/text.hpp"

#include <sstream>

namespace troupe::k8s::apiserver {

namespace {

// One line each: group version plural kind short scope status returns-object.
// "-" is none; scope is n (namespaced) or c (cluster).
constexpr const char* table = R"(
-                            v1 pods                      Pod                      po     n s o
-                            v1 services                  Service                  svc    n s o
-                            v1 events                    Event                    ev     n - -
-                            v1 namespaces                Namespace                ns     c s o
-                            v1 nodes                     Node                     no     c s -
-                            v1 configmaps                ConfigMap                cm     n - -
-                            v1 secrets                   Secret                   -      n - -
-                            v1 serviceaccounts           ServiceAccount           sa     n - o
-                            v1 endpoints                 Endpoints                ep     n - -
-                            v1 persistentvolumeclaims    PersistentVolumeClaim    pvc    n s o
-                            v1 persistentvolumes         PersistentVolume         pv     c s o
-                            v1 replicationcontrollers    ReplicationController    rc     n s -
-                            v1 limitranges               LimitRange               limits n - -
-                            v1 resourcequotas            ResourceQuota            quota  n s o
-                            v1 podtemplates              PodTemplate              -      n - o
apps                         v1 deployments               Deployment               deploy n s -
apps                         v1 replicasets               ReplicaSet               rs     n s -
apps                         v1 statefulsets              StatefulSet              sts    n s -
apps                         v1 daemonsets                DaemonSet                ds     n s -
apps                         v1 controllerrevisions       ControllerRevision       -      n - -
batch                        v1 jobs                      Job                      -      n s -
batch                        v1 cronjobs                  CronJob                  cj     n s -
events.k8s.io                v1 events                    Event                    ev     n - -
coordination.k8s.io          v1 leases                    Lease                    -      n - -
rbac.authorization.k8s.io    v1 roles                     Role                     -      n - -
rbac.authorization.k8s.io    v1 rolebindings              RoleBinding              -      n - -
rbac.authorization.k8s.io    v1 clusterroles              ClusterRole              -      c - -
rbac.authorization.k8s.io    v1 clusterrolebindings       ClusterRoleBinding       -      c - -
scheduling.k8s.io            v1 priorityclasses           PriorityClass            pc     c - -
storage.k8s.io               v1 storageclasses            StorageClass             sc     c - -
autoscaling                  v2 horizontalpodautoscalers  HorizontalPodAutoscaler  hpa    n s -
policy                       v1 poddisruptionbudgets      PodDisruptionBudget      pdb    n s -
networking.k8s.io            v1 networkpolicies           NetworkPolicy            netpol n - -
networking.k8s.io            v1 ingresses                 Ingress                  ing    n s -
discovery.k8s.io             v1 endpointslices            EndpointSlice            -      n - -
admissionregistration.k8s.io v1 validatingwebhookconfigurations ValidatingWebhookConfiguration - c - -
admissionregistration.k8s.io v1 mutatingwebhookconfigurations   MutatingWebhookConfiguration   - c - -
authentication.k8s.io        v1 selfsubjectreviews        SelfSubjectReview      -      c - -
authentication.k8s.io        v1 tokenreviews              TokenReview            -      c - -
authorization.k8s.io         v1 selfsubjectaccessreviews  SelfSubjectAccessReview -     c - -
authorization.k8s.io         v1 selfsubjectrulesreviews   SelfSubjectRulesReview -      c - -
authorization.k8s.io         v1 subjectaccessreviews      SubjectAccessReview    -      c - -
authorization.k8s.io         v1 localsubjectaccessreviews LocalSubjectAccessReview -    n - -
metrics.k8s.io          v1beta1 nodes                     NodeMetrics            -      c - -
metrics.k8s.io          v1beta1 pods                      PodMetrics             -      n - -
apiextensions.k8s.io         v1 customresourcedefinitions CustomResourceDefinition crd,crds c s -
)";

served_resource parse_resource_row(std::istringstream& line) {
  served_resource s;
  std::string brief, scope, status, object;
  line >> s.name.group >> s.name.version >> s.name.plural >> s.name.kind
      >> brief >> scope >> status >> object;
  if (s.name.group == "-")
    s.name.group.clear();
  if (brief != "-")
    s.short_names = split(brief, ',');
  s.singular = lower_case(s.name.kind);
  s.list_kind = s.name.kind + "List";
  s.bucket = plural_dot_group_bucket(s.name.group, s.name.plural);
  s.namespaced = scope == "n";
  s.is_review = is_one_of(s.name.group,
                          {"authentication.k8s.io", "authorization.k8s.io"});
  s.is_metrics_resource = s.name.group == "metrics.k8s.io";
  s.has_status = status == "s";
  s.return_deleted_object = object == "o";
  s.selectable_fields = {"metadata.name", "metadata.namespace"};
  return s;
}

printer_column name_column() {
  return {"Name", "string", ".metadata.name", 0, "name", {}};
}

printer_column age_column() {
  return {"Age", "date", ".metadata.creationTimestamp", 0, {}, {}};
}

std::vector<printer_column> pod_printer_columns() {
  return {{"Name", "string", ".metadata.name", 0, "name", {}},
          {"Ready", "string", "!ready", 0, {}, {}},
          {"Status", "string", "!status", 0, {}, {}},
          {"Restarts", "string", "!restarts", 0, {}, {}},
          {"Age", "date", ".metadata.creationTimestamp", 0, {}, {}},
          {"IP", "string", ".status.podIP", 1, {}, {}},
          {"Node", "string", ".spec.nodeName", 1, {}, {}},
          {"Nominated Node", "string", ".status.nominatedNodeName", 1, {}, {}},
          {"Readiness Gates", "string", ".spec.readinessGates", 1, {}, {}}};
}

void add_selectable_fields(served_resource& s,
                           std::initializer_list<const char*> more) {
  s.selectable_fields.insert(s.selectable_fields.end(), more.begin(),
                             more.end());
}

void prepare_new_namespace(json& ns) {
  ns["status"] = {{"phase", "Active"}};
  ensure_object(ns, "spec")["finalizers"] = json::array({"kubernetes"});
  const auto& name = text_at(ns, {"metadata", "name"});
  ensure_object(ns["metadata"], "labels")["kubernetes.io/metadata.name"] = name;
}

/// The label of its name is always there; finalizers of the spec change through
/// the subresource only.
void prepare_namespace_update(json& ns, const json& old,
                              const std::string& subresource) {
  if (subresource.empty())
    ns["spec"] = old["spec"];
  const auto& name = text_at(ns, {"metadata", "name"});
  ensure_object(ns["metadata"], "labels")["kubernetes.io/metadata.name"] = name;
}

/// What a client writes in plain text is kept as the rest is, and only that.
void merge_string_data(json& secret) {
  auto plain = secret.find("stringData");
  if (plain == secret.end())
    return;
  if (!plain->empty())
    for (const auto& [key, value] : plain->items())
      ensure_object(secret, "data")[key] =
          to_base64(value.get_ref<const std::string&>());
  secret.erase("stringData");
}

void configure_event_resource(served_resource& s) {
  s.name_error = path_segment_error;
  add_selectable_fields(s, {"involvedObject.kind", "involvedObject.namespace",
                            "involvedObject.name", "involvedObject.uid",
                            "involvedObject.apiVersion",
                            "involvedObject.resourceVersion",
                            "involvedObject.fieldPath", "reason",
                            "reportingComponent", "source", "type"});
  s.columns = {{"Last Seen", "string", "!event_last_seen", 0, {}, {}},
               {"Type", "string", ".type", 0, {}, {}},
               {"Reason", "string", ".reason", 0, {}, {}},
               {"Object", "string", "!event_object", 0, {}, {}},
               {"Subobject", "string", "!event_subobject", 1, {}, {}},
               {"Source", "string", "!event_source", 1, {}, {}},
               {"Message", "string", "!event_message", 0, {}, {}},
               {"First Seen", "string", "!event_first_seen", 1, {}, {}},
               {"Count", "string", "!event_count", 1, {}, {}},
               {"Name", "string", ".metadata.name", 1, "name", {}}};
  if (s.name.group.empty())
    return;
  for (auto field : {"kind", "namespace", "name", "uid", "apiVersion",
                     "resourceVersion", "fieldPath"})
    s.selectable_fields.push_back(std::string("regarding.") + field);
  add_selectable_fields(s, {"reportingController"});
  s.bucket = "events";
  s.from_storage = event_to_events_v1;
  s.to_storage = event_to_core_v1;
}

void set_scale_subresource(served_resource& s) {
  s.has_scale = true;
  s.scale_paths = {{"specReplicasPath", ".spec.replicas"},
                   {"statusReplicasPath", ".status.replicas"},
                   {"labelSelectorPath", ".spec.selector"}};
}

void configure_builtin_resource(served_resource& s) {
  const auto& b = s.bucket;
  s.columns = {name_column(), age_column()};
  if (is_one_of(b, {"deployments.apps", "replicasets.apps", "statefulsets.apps",
                    "replicationcontrollers"}))
    set_scale_subresource(s);
  if (is_one_of(b, {"replicasets.apps", "replicationcontrollers"}))
    add_selectable_fields(s, {"status.replicas"});
  // Events of both groups.
  s.allow_create_on_update =
      s.name.plural == "events"
      || is_one_of(b, {"leases.coordination.k8s.io", "endpoints", "limitranges",
                       "endpointslices.discovery.k8s.io"});
  if (is_one_of(b, {"replicationcontrollers", "deployments.apps",
                    "replicasets.apps", "statefulsets.apps", "daemonsets.apps",
                    "jobs.batch", "cronjobs.batch",
                    "horizontalpodautoscalers.autoscaling"}))
    s.categories = {"all"};
  if (b == "jobs.batch")
    add_selectable_fields(s, {"status.successful"});
  if (b == "pods") {
    s.strategy = pod_strategy();
    s.columns = pod_printer_columns();
    s.categories = {"all"};
    add_selectable_fields(s, {"spec.nodeName", "spec.restartPolicy",
                              "spec.schedulerName", "spec.serviceAccountName",
                              "spec.hostNetwork", "status.phase",
                              "status.podIP", "status.nominatedNodeName"});
  } else if (b == "services") {
    s.name_error = dns1035_label_error;
    s.strategy = service_strategy();
    s.categories = {"all"};
    add_selectable_fields(s, {"spec.clusterIP", "spec.type"});
    s.columns = {name_column(),
                 {"Type", "string", ".spec.type", 0, {}, {}},
                 {"Cluster-IP", "string", ".spec.clusterIP", 0, {}, {}},
                 {"External-IP", "string", ".spec.externalName", 0, {}, {}},
                 {"Port(s)", "string", "!ports", 0, {}, {}},
                 age_column(),
                 {"Selector", "string", "!selector", 1, {}, {}}};
  } else if (b == "namespaces") {
    s.strategy.prepare_for_create = prepare_new_namespace;
    s.strategy.prepare_for_update = prepare_namespace_update;
    s.name_error = namespace_name_error;
    s.has_collection_deletion = false;
    add_selectable_fields(s, {"status.phase"});
    s.columns = {name_column(),
                 {"Status", "string", ".status.phase", 0, {}, {}},
                 age_column()};
  } else if (s.name.plural == "events") {
    configure_event_resource(s);
  } else if (b == "customresourcedefinitions.apiextensions.k8s.io") {
    s.categories = {"api-extensions"};
    s.columns = {
        name_column(),
        {"Created At", "string", ".metadata.creationTimestamp", 0, {}, {}}};
  } else if (b == "nodes") {
    add_selectable_fields(s, {"spec.unschedulable"});
    s.columns = {
        name_column(),
        {"Status", "string", "!node_status", 0, {}, {}},
        {"Roles", "string", "!node_roles", 0, {}, {}},
        age_column(),
        {"Version", "string", ".status.nodeInfo.kubeletVersion", 0, {}, {}}};
  } else if (b == "secrets") {
    s.strategy.normalize = merge_string_data;
    s.strategy.set_defaults = [](json& secret) {
      set_default(secret, "type", "Opaque");
    };
    add_selectable_fields(s, {"type"});
    s.columns = {name_column(),
                 {"Type", "string", ".type", 0, {}, {}},
                 {"Data", "string", "!data", 0, {}, {}},
                 age_column()};
  } else if (b == "configmaps") {
    s.columns = {
        name_column(), {"Data", "string", "!data", 0, {}, {}}, age_column()};
  } else if (b == "serviceaccounts") {
    s.columns = {name_column(),
                 {"Secrets", "string", "!secrets", 0, {}, {}},
                 age_column()};
  } else if (b == "leases.coordination.k8s.io") {
    s.columns = {name_column(),
                 {"Holder", "string", ".spec.holderIdentity", 0, {}, {}},
                 age_column()};
  } else if (s.name.group == "rbac.authorization.k8s.io") {
    s.name_error = path_segment_error;
  }
}

} // namespace

std::vector<served_resource> builtin_resources() {
  std::vector<served_resource> out;
  for (const auto& line : split(table, '\n')) {
    std::istringstream words{line};
    out.push_back(parse_resource_row(words));
    configure_builtin_resource(out.back());
  }
  return out;
}

} // namespace troupe::k8s::apiserver
