#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/child_claims.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(child_claims_test)

namespace {

k8s::object_meta owned_by(const char* kind, const char* name,
                          const char* api_version = "kubeflow.org/v1") {
  k8s::object_meta meta;
  meta.ns = "ns";
  meta.owners.push_back({api_version, kind, name, "uid", true});
  return meta;
}

/// Labelled as a worker of the TFJob "j".
k8s::object_meta labelled(k8s::object_meta meta = {}) {
  meta.labels =
      core::selector_labels(make_job("j").workers(2).get(), {"worker", 1});
  return meta;
}

k8s::object_meta relabelled(k8s::object_meta meta, const char* controller) {
  meta.labels[core::label::operator_name] = controller;
  return meta;
}

k8s::object_meta without_controller(k8s::object_meta meta) {
  meta.owners.front().controller = false;
  return meta;
}

std::string api_version_of(const core::framework* kind) {
  return kind ? kind->names.type.api_version() : "";
}

std::string name_of(const core::framework* kind) {
  return kind ? kind->names.type.kind : "";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_controller_goes_before_labels) {
  struct row {
    const char* what;
    k8s::object_meta meta;
    const char* kind;     ///< Of the job that it says to be a child of.
    const char* labelled; ///< The kind that its labels name.
    bool agree;           ///< The labels name the former kind.
    const char* job;
    const char* slot;
  } rows[] = {
      {"nothing", {}, "", "", false, "", ""},
      {"labels", labelled(), "TFJob", "TFJob", true, "j", "worker-1"},
      {"labels, another owner",
       labelled(without_controller(owned_by("Pod", "p", "v1"))), "TFJob",
       "TFJob", true, "j", "worker-1"},
      {"labels of nobody here", relabelled(labelled(), "other-controller"), "",
       "", false, "", ""},
      {"controller", owned_by("MPIJob", "m"), "MPIJob", "", false, "m", ""},
      {"both", labelled(owned_by("TFJob", "j")), "TFJob", "TFJob", true, "j",
       "worker-1"},
      {"of two jobs", labelled(owned_by("TFJob", "x")), "TFJob", "TFJob", true,
       "x", "worker-1"},
      {"of two kinds", labelled(owned_by("MPIJob", "m")), "MPIJob", "TFJob",
       false, "m", "worker-1"},
      // A ReplicaSet's pod with a job's labels: the ReplicaSet's.
      {"a foreign controller", labelled(owned_by("ReplicaSet", "r", "apps/v1")),
       "", "TFJob", false, "", ""},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      auto claims = core::claims_of(r.meta, frameworks::all());
      BOOST_TEST(claims.controller == r.meta.controller());
      BOOST_TEST(name_of(claims.kind) == r.kind);
      BOOST_TEST(name_of(claims.labelled) == r.labelled);
      BOOST_TEST(claims.labels_name_kind == r.agree);
      if (claims.kind)
        BOOST_TEST(claims.job() == r.job);
      BOOST_TEST((claims.replica_index < 0 ? "" : to_string(claims.at()))
                 == r.slot);
    }
}

BOOST_AUTO_TEST_CASE(labels_name_a_slot) {
  core::job j = make_job("j").workers(2);
  struct row {
    const char* index;
    int expected;
  } rows[] = {{"1", 1}, {"0", 0}, {"07", -1}, {"-1", -1}, {"x", -1}, {"", -1}};
  for (const auto& r : rows) {
    auto meta = pod("worker", 0).index(r.index).object(j).meta;
    BOOST_TEST(core::claims_on_kind(meta, *j.kind).replica_index == r.expected);
    BOOST_TEST(core::labels_match_slot(meta, j, {"worker", 1})
               == (r.expected == 1));
  }
  // A launcher has no index, and there is one only.
  core::job mpi = make_job_of("MPIJob", "m").type("Launcher", 1);
  auto launcher = pod("launcher", 0).object(mpi).meta;
  BOOST_TEST(core::claims_on_kind(launcher, *mpi.kind).replica_index == 0);
  k8s::object_meta unlabelled;
  BOOST_TEST(core::claims_on_kind(unlabelled, *mpi.kind).replica_index == -1);
  // Types without a name could be made of kinds that have any types.
  const auto mx = make_job_of("MXJob").type("", 2).get();
  auto nameless = pod("", 1).object(mx).meta;
  BOOST_TEST(
      (core::claims_on_kind(nameless, *mx.kind).at() == core::slot{"", 1}));
}

// Labels of two kinds at once: each kind of job reads its own.
BOOST_AUTO_TEST_CASE(a_kind_reads_its_own_labels) {
  const auto* di = frameworks::find("DIJob");
  auto meta = labelled();
  meta.labels[di->names.labels.controller] = di->names.controller;
  if (*di->names.labels.group != '\0')
    meta.labels[di->names.labels.group] = di->names.labels.group_value;
  meta.labels[di->names.labels.job_name] = "d";
  auto claims = core::claims_on_kind(meta, *di);
  BOOST_TEST((claims.labels_name_kind && claims.labelled == di));
  BOOST_TEST(claims.job() == "d");
  meta.labels[di->names.labels.controller] = "else";
  claims = core::claims_on_kind(meta, *di);
  BOOST_TEST((!claims.labels_name_kind && !claims.labelled));
}

BOOST_AUTO_TEST_CASE(what_carries_no_labels_is_a_child_by_its_owner_only) {
  struct row {
    child_kind kind;
    k8s::object_meta meta;
    bool expected;
  } rows[] = {
      {child_kind::pod, {}, true},
      {child_kind::config_map, {}, false},
      {child_kind::config_map, labelled(), false},
      {child_kind::config_map, owned_by("MPIJob", "j"), true},
      {child_kind::config_map, owned_by("Deployment", "j", "apps/v1"), false},
      {child_kind::config_map, owned_by("MPIJob", "j", "kubeflow.org/v2beta1"),
       true},
      {child_kind::config_map, owned_by("MPIJob", "j", "example.com/v1"),
       false},
  };
  for (const auto& r : rows)
    BOOST_TEST(core::could_be_child_of_any(
                   r.kind, core::claims_of(r.meta, frameworks::all()))
               == r.expected);
}

// One object, whichever version of its kind the reference names.
BOOST_AUTO_TEST_CASE(an_owner_is_its_kind_in_any_version) {
  const auto& kinds = frameworks::all();
  struct row {
    const char* kind;
    const char* api_version;
    const char* expected; ///< The apiVersion that we have, or "".
  } rows[] = {
      {"TFJob", "kubeflow.org/v1", "kubeflow.org/v1"},
      {"TFJob", "kubeflow.org/v2", "kubeflow.org/v1"},
      {"TFJob", "kubeflow.org", ""},
      {"TFJob", "batch.kubeflow.org/v1", ""},
      {"DIJob", "diengine.opendilab.org/v1alpha1",
       "diengine.opendilab.org/v1alpha1"},
      {"DIJob", "diengine.opendilab.org/v2alpha1",
       "diengine.opendilab.org/v2alpha1"},
      {"DIJob", "diengine.opendilab.org/v3", "diengine.opendilab.org/v1alpha1"},
      {"Deployment", "kubeflow.org/v1", ""},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.kind << " " << r.api_version) {
      auto child = owned_by(r.kind, "j", r.api_version);
      const auto* kind = core::kind_of_owner(*child.controller(), kinds);
      BOOST_TEST(api_version_of(kind) == r.expected);
      // All that ask for the owner say the same.
      auto claims = core::claims_of(child, kinds);
      BOOST_TEST(claims.kind == kind);
      BOOST_TEST(core::could_be_child_of_any(child_kind::config_map, claims)
                 == (kind != nullptr));
      if (kind)
        BOOST_TEST(core::is_owned_by(child, *kind, child.ns, "j", "uid"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
