#include "k8s/apiserver/resources/builtin_resources.hpp"

#include "k8s/apiserver/resources/event_conversion.hpp"
#include "k8s/apiserver/resources/job_strategy.hpp"
#include "k8s/apiserver/resources/pod_strategy.hpp"
#include "k8s/apiserver/resources/service_strategy.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/text.hpp"

#include <sstream>

namespace troupe::k8s::apiserver {

namespace {

// One line each: group version plural kind short scope status returns-object
// scale creates category. "-" is none; scope is n (namespaced) or c (cluster);
// returns-object: a DELETE answers with it; creates: a PUT makes what is not
// there.
constexpr const char* table = R"(
-                            v1      pods                            Pod                            po       n s o - - all
-                            v1      services                        Service                        svc      n s o - - all
-                            v1      events                          Event                          ev       n - - - p -
-                            v1      namespaces                      Namespace                      ns       c s o - - -
-                            v1      nodes                           Node                           no       c s - - - -
-                            v1      configmaps                      ConfigMap                      cm       n - - - - -
-                            v1      secrets                         Secret                         -        n - - - - -
-                            v1      serviceaccounts                 ServiceAccount                 sa       n - o - - -
-                            v1      endpoints                       Endpoints                      ep       n - - - p -
-                            v1      persistentvolumeclaims          PersistentVolumeClaim          pvc      n s o - - -
-                            v1      persistentvolumes               PersistentVolume               pv       c s o - - -
-                            v1      replicationcontrollers          ReplicationController          rc       n s - x - all
-                            v1      limitranges                     LimitRange                     limits   n - - - p -
-                            v1      resourcequotas                  ResourceQuota                  quota    n s o - - -
-                            v1      podtemplates                    PodTemplate                    -        n - o - - -
apps                         v1      deployments                     Deployment                     deploy   n s - x - all
apps                         v1      replicasets                     ReplicaSet                     rs       n s - x - all
apps                         v1      statefulsets                    StatefulSet                    sts      n s - x - all
apps                         v1      daemonsets                      DaemonSet                      ds       n s - - - all
apps                         v1      controllerrevisions             ControllerRevision             -        n - - - - -
batch                        v1      jobs                            Job                            -        n s - - - all
batch                        v1      cronjobs                        CronJob                        cj       n s - - - all
events.k8s.io                v1      events                          Event                          ev       n - - - p -
coordination.k8s.io          v1      leases                          Lease                          -        n - - - p -
rbac.authorization.k8s.io    v1      roles                           Role                           -        n - - - - -
rbac.authorization.k8s.io    v1      rolebindings                    RoleBinding                    -        n - - - - -
rbac.authorization.k8s.io    v1      clusterroles                    ClusterRole                    -        c - - - - -
rbac.authorization.k8s.io    v1      clusterrolebindings             ClusterRoleBinding             -        c - - - - -
scheduling.k8s.io            v1      priorityclasses                 PriorityClass                  pc       c - - - - -
storage.k8s.io               v1      storageclasses                  StorageClass                   sc       c - - - - -
autoscaling                  v2      horizontalpodautoscalers        HorizontalPodAutoscaler        hpa      n s - - - all
policy                       v1      poddisruptionbudgets            PodDisruptionBudget            pdb      n s - - - -
networking.k8s.io            v1      networkpolicies                 NetworkPolicy                  netpol   n - - - - -
networking.k8s.io            v1      ingresses                       Ingress                        ing      n s - - - -
discovery.k8s.io             v1      endpointslices                  EndpointSlice                  -        n - - - p -
admissionregistration.k8s.io v1      validatingwebhookconfigurations ValidatingWebhookConfiguration -        c - - - - -
admissionregistration.k8s.io v1      mutatingwebhookconfigurations   MutatingWebhookConfiguration   -        c - - - - -
authentication.k8s.io        v1      selfsubjectreviews              SelfSubjectReview              -        c - - - - -
authentication.k8s.io        v1      tokenreviews                    TokenReview                    -        c - - - - -
authorization.k8s.io         v1      selfsubjectaccessreviews        SelfSubjectAccessReview        -        c - - - - -
authorization.k8s.io         v1      selfsubjectrulesreviews         SelfSubjectRulesReview         -        c - - - - -
authorization.k8s.io         v1      subjectaccessreviews            SubjectAccessReview            -        c - - - - -
authorization.k8s.io         v1      localsubjectaccessreviews       LocalSubjectAccessReview       -        n - - - - -
metrics.k8s.io               v1beta1 nodes                           NodeMetrics                    -        c - - - - -
metrics.k8s.io               v1beta1 pods                            PodMetrics                     -        n - - - - -
apiextensions.k8s.io         v1      customresourcedefinitions       CustomResourceDefinition       crd,crds c s - - - api-extensions
)";

void set_scale_subresource(served_resource& s) {
  s.has_scale = true;
  s.scale_paths = {{"specReplicasPath", ".spec.replicas"},
                   {"statusReplicasPath", ".status.replicas"},
                   {"labelSelectorPath", ".spec.selector"}};
}

served_resource parse_resource_row(std::istringstream& line) {
  served_resource s;
  std::string brief, scope, status, object, scale, creates, category;
  line >> s.name.group >> s.name.version >> s.name.plural >> s.name.kind
      >> brief >> scope >> status >> object >> scale >> creates >> category;
  if (s.name.group == "-")
    s.name.group.clear();
  if (brief != "-")
    s.short_names = split_without_empty_parts(brief, ',');
  s.singular = lower_case(s.name.kind);
  s.list_kind = s.name.kind + "List";
  s.bucket = plural_dot_group_bucket(s.name.group, s.name.plural);
  s.namespaced = scope == "n";
  s.is_review = is_one_of(s.name.group,
                          {"authentication.k8s.io", "authorization.k8s.io"});
  s.is_metrics_resource = s.name.group == "metrics.k8s.io";
  s.has_status = status == "s";
  s.return_deleted_object = object == "o";
  if (scale == "x")
    set_scale_subresource(s);
  s.allow_create_on_update = creates == "p";
  if (category != "-")
    s.categories = {category};
  s.has_collection_deletion = s.bucket != "namespaces";
  s.selectable_fields = {"metadata.name", "metadata.namespace"};
  return s;
}

printer_column name_column(int priority = 0) {
  return {"Name", "string", ".metadata.name", priority, "name", {}};
}

printer_column age_column() {
  return {"Age", "date", ".metadata.creationTimestamp", 0, {}, {}};
}

printer_column text_column(const char* name, const char* path) {
  return {name, "string", path, 0, {}, {}};
}

/// With -o wide only.
printer_column wide_column(const char* name, const char* path) {
  return {name, "string", path, 1, {}, {}};
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

write_strategy namespace_strategy() {
  write_strategy out;
  out.prepare_for_create = prepare_new_namespace;
  out.prepare_for_update = prepare_namespace_update;
  return out;
}

write_strategy secret_strategy() {
  write_strategy out;
  out.normalize = merge_string_data;
  out.set_defaults = [](json& secret) {
    set_default(secret, "type", "Opaque");
  };
  return out;
}

/// What a resource has beyond its line in the table above.
struct resource_details {
  const char* plural;
  std::vector<std::string> selectable_fields = {};
  std::vector<printer_column> columns = {}; ///< None: its name and age.
  std::string (*name_error)(const std::string& name) = dns1123_subdomain_error;
  write_strategy strategy = {};
};

/// By name in the plural, which no two groups share but those of events.
std::vector<resource_details> list_resource_details() {
  return {
      {"pods",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
        "spec.serviceAccountName", "spec.hostNetwork", "status.phase",
        "status.podIP", "status.nominatedNodeName"},
       {name_column(), text_column("Ready", "!ready"),
        text_column("Status", "!status"), text_column("Restarts", "!restarts"),
        age_column(), wide_column("IP", ".status.podIP"),
        wide_column("Node", ".spec.nodeName"),
        wide_column("Nominated Node", ".status.nominatedNodeName"),
        wide_column("Readiness Gates", ".spec.readinessGates")},
       dns1123_subdomain_error,
       pod_strategy()},
      {"services",
       {"spec.clusterIP", "spec.type"},
       {name_column(), text_column("Type", ".spec.type"),
        text_column("Cluster-IP", ".spec.clusterIP"),
        text_column("External-IP", ".spec.externalName"),
        text_column("Port(s)", "!ports"), age_column(),
        wide_column("Selector", "!selector")},
       namespace_name_error,
       service_strategy()},
      {"namespaces",
       {"status.phase"},
       {name_column(), text_column("Status", ".status.phase"), age_column()},
       namespace_name_error,
       namespace_strategy()},
      {"events",
       {"involvedObject.kind", "involvedObject.namespace",
        "involvedObject.name", "involvedObject.uid",
        "involvedObject.apiVersion", "involvedObject.resourceVersion",
        "involvedObject.fieldPath", "reason", "reportingComponent", "source",
        "type"},
       {text_column("Last Seen", "!event_last_seen"),
        text_column("Type", ".type"), text_column("Reason", ".reason"),
        text_column("Object", "!event_object"),
        wide_column("Subobject", "!event_subobject"),
        wide_column("Source", "!event_source"),
        text_column("Message", "!event_message"),
        wide_column("First Seen", "!event_first_seen"),
        wide_column("Count", "!event_count"), name_column(1)},
       path_segment_error},
      {"customresourcedefinitions",
       {},
       {name_column(),
        text_column("Created At", ".metadata.creationTimestamp")}},
      {"nodes",
       {"spec.unschedulable"},
       {name_column(), text_column("Status", "!node_status"),
        text_column("Roles", "!node_roles"), age_column(),
        text_column("Version", ".status.nodeInfo.kubeletVersion")}},
      {"secrets",
       {"type"},
       {name_column(), text_column("Type", ".type"),
        text_column("Data", "!data"), age_column()},
       dns1123_subdomain_error,
       secret_strategy()},
      {"configmaps",
       {},
       {name_column(), text_column("Data", "!data"), age_column()}},
      {"leases",
       {},
       {name_column(), text_column("Holder", ".spec.holderIdentity"),
        age_column()}},
      {"replicasets", {"status.replicas"}},
      {"replicationcontrollers", {"status.replicas"}},
      {"jobs",
       {"status.successful"},
       {name_column(), text_column("Status", "!job_status"),
        text_column("Completions", "!job_completions"),
        text_column("Duration", "!job_duration"), age_column(),
        wide_column("Containers", "!job_containers"),
        wide_column("Images", "!job_images"),
        wide_column("Selector", "!job_selector")},
       dns1123_subdomain_error,
       job_strategy()},
      {"roles", {}, {}, path_segment_error},
      {"rolebindings", {}, {}, path_segment_error},
      {"clusterroles", {}, {}, path_segment_error},
      {"clusterrolebindings", {}, {}, path_segment_error},
  };
}

void apply_resource_details(served_resource& s, const resource_details& d) {
  s.selectable_fields.insert(s.selectable_fields.end(),
                             d.selectable_fields.begin(),
                             d.selectable_fields.end());
  if (!d.columns.empty())
    s.columns = d.columns;
  s.name_error = d.name_error;
  s.strategy = d.strategy;
}

/// events.k8s.io is another way to read and write events of the core group.
void store_as_core_event(served_resource& s) {
  for (auto field : {"kind", "namespace", "name", "uid", "apiVersion",
                     "resourceVersion", "fieldPath"})
    s.selectable_fields.push_back(std::string("regarding.") + field);
  s.selectable_fields.push_back("reportingController");
  s.bucket = "events";
  s.from_storage = event_to_events_v1;
  s.to_storage = event_to_core_v1;
}

} // namespace

std::vector<served_resource> builtin_resources() {
  const auto details = list_resource_details();
  std::vector<served_resource> out;
  for (const auto& line : split_without_empty_parts(table, '\n')) {
    std::istringstream words{line};
    auto s = parse_resource_row(words);
    s.columns = {name_column(), age_column()};
    for (const auto& d : details)
      if (!s.is_metrics_resource && s.name.plural == d.plural)
        apply_resource_details(s, d);
    if (s.name.group == "events.k8s.io")
      store_as_core_event(s);
    s.orphans_dependents_by_default = s.name.plural == "jobs";
    out.push_back(std::move(s));
  }
  return out;
}

} // namespace troupe::k8s::apiserver
