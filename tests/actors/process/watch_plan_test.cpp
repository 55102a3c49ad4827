#include "actors/process/watch_plan.hpp"
#include "frameworks/registry.hpp"
#include "tests/fixtures/default_options.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::actors;
using boost::test_tools::per_element;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(watch_plan_test)

namespace {

/// By kind, or by apiVersion and kind: "diengine.opendilab.org/v2alpha1 DIJob".
const core::framework* find_kind(const std::string& name) {
  auto space = name.find(' ');
  return space == std::string::npos
             ? frameworks::find(name)
             : frameworks::find(name.substr(0, space), name.substr(space + 1));
}

std::string text_of(k8s::object_detail detail) {
  switch (detail) {
  case k8s::object_detail::pod:
    return "";
  case k8s::object_detail::pod_with_ports:
    return ", with ports";
  case k8s::object_detail::metadata:
    return ", metadata";
  case k8s::object_detail::spec_and_status:
    return ", spec and status";
  case k8s::object_detail::full:
    return ", full";
  case k8s::object_detail::secret_names:
    return ", without values";
  case k8s::object_detail::batch_job:
    return ", state";
  case k8s::object_detail::node:
    return ", readiness and taints";
  }
  return "";
}

/// "ns/pods [selector] of A B, what is kept, not needed"
std::string text_of(const watcher_config& w) {
  auto out = (w.about.ns.empty() ? "" : w.about.ns + "/") + w.resource.plural;
  if (!w.label_selector.empty())
    out += " [" + w.label_selector + "]";
  if (!w.field_selector.empty())
    out += " where " + w.field_selector;
  std::string kinds;
  for (const auto* kind : w.about.labelled)
    kinds += " " + kind->names.type.kind;
  out += kinds.empty() ? "" : " of" + kinds;
  if (w.about.job_kind)
    BOOST_TEST((w.about.job_kind->names.type.plural == w.resource.plural));
  else
    out += text_of(w.children_detail);
  return out + (w.needed_to_be_ready ? "" : ", not needed");
}

struct row {
  const char* claim;
  strings kinds;
  actor_options options;
  bool serves_webhooks;
  strings plan;
};

actor_options with_watchers(int child_watchers) {
  auto o = fixtures::default_options();
  o.child_watchers = child_watchers;
  return o;
}

actor_options in_namespaces(strings namespaces) {
  auto o = fixtures::default_options();
  o.namespaces = std::move(namespaces);
  return o;
}

actor_options with_gangs(core::gang scheduling) {
  auto o = fixtures::default_options();
  o.cluster.scheduling = scheduling;
  return o;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_watched_follows_from_kinds_and_options) {
  const std::string label = "training.kubeflow.org/operator-name";
  const std::string di_labels =
      "controller-name,group-name=diengine.opendilab.org";
  const std::string di = "diengine.opendilab.org/v1alpha1 DIJob";
  const std::string di_tasks = "diengine.opendilab.org/v2alpha1 DIJob";
  const auto unchanged = fixtures::default_options();
  // clang-format off
  const row rows[] = {
      {"nothing without kinds", {}, unchanged, false, {}},
      {"one kind", {"TFJob"}, unchanged, true,
       {"pods [" + label + "]", "services [" + label + "], metadata",
        "tfjobs"}},
      {"kinds with the same labels share a watch", {"TFJob", "JAXJob"}, unchanged,
       true,
       {"pods [" + label + "]", "services [" + label + "], metadata", "tfjobs",
        "jaxjobs"}},
      {"each namespace has its own", {"TFJob"}, in_namespaces({"a", "b"}), false,
       {"a/pods [" + label + "]", "a/services [" + label + "], metadata",
        "a/tfjobs",
        "b/pods [" + label + "]", "b/services [" + label + "], metadata",
        "b/tfjobs"}},
      {"kinds are divided among several watchers, in turns",
       {"TFJob", "JAXJob", "XGBoostJob"}, with_watchers(2), false,
       {"pods [" + label + " in (tfjob-controller,xgboostjob-controller)] of TFJob XGBoostJob",
        "pods [" + label + " in (jaxjob-controller)] of JAXJob",
        "services [" + label + " in (tfjob-controller,xgboostjob-controller)] of TFJob XGBoostJob, metadata",
        "services [" + label + " in (jaxjob-controller)] of JAXJob, metadata",
        "tfjobs", "jaxjobs", "xgboostjobs"}},
      {"no watcher is without a kind", {"TFJob"}, with_watchers(4), false,
       {"pods [" + label + "]", "services [" + label + "], metadata",
        "tfjobs"}},
      {"what one kind needs is watched once", {"TFJob", "MPIJob"}, unchanged, false,
       {"pods [" + label + "]", "services [" + label + "], metadata",
        "configmaps, metadata", "serviceaccounts, metadata",
        "roles, metadata", "rolebindings, metadata", "tfjobs", "mpijobs"}},
      {"of Jobs and Secrets only those that may be ours",
       {"kubeflow.org/v2beta1 MPIJob"}, unchanged, false,
       {"pods [" + label + "]", "services [" + label + "], metadata",
        "configmaps, metadata", "services, metadata",
        "secrets where type=kubernetes.io/ssh-auth, metadata",
        "jobs [" + label + "=mpi-operator], state", "mpijobs"}},
      {"the scheduler's objects are whole", {"TFJob"},
       with_gangs(core::gang::volcano), false,
       {"pods [" + label + "]", "services [" + label + "], metadata",
        "podgroups, full", "tfjobs"}},
      {"other labels are watched apart; what is converted is not waited for",
       {"TFJob", di, di_tasks}, unchanged, true,
       {"pods [" + label + "] of TFJob",
        "pods [" + di_labels + "] of DIJob, with ports",
        "pods [diengine/operator] of DIJob, with ports",
        "services [" + label + "] of TFJob, metadata",
        "services [" + di_labels + "] of DIJob, metadata",
        "services [diengine/operator] of DIJob, metadata",
        "tfjobs",
        "dijobs [!diengine.opendilab.org/converted-from], not needed",
        "dijobs [!diengine.opendilab.org/converted-from], not needed"}},
      {"without webhooks nothing is converted", {di}, unchanged, false,
       {"pods [" + di_labels + "], with ports",
        "services [" + di_labels + "], metadata",
        "dijobs [!diengine.opendilab.org/converted-from]"}},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.claim) {
      std::vector<const core::framework*> kinds;
      for (const auto& name : r.kinds) {
        BOOST_REQUIRE(find_kind(name));
        kinds.push_back(find_kind(name));
      }
      strings plan;
      for (const auto& w :
           make_watch_plan(kinds, r.options, r.serves_webhooks)) {
        BOOST_TEST(w.number == plan.size());
        plan.push_back(text_of(w));
      }
      BOOST_TEST(plan == r.plan, per_element());
    }
}

BOOST_AUTO_TEST_SUITE_END()
