#include "actors/cli/manifest/job_versions.hpp"

#include <boost/test/unit_test.hpp>

using nlohmann::json;
using troupe::cli::unserved_version_message;

BOOST_AUTO_TEST_SUITE(job_versions)

BOOST_AUTO_TEST_CASE(each_old_version_gets_the_change_that_it_needs) {
  struct row {
    const char* version;
    const char* kind;
    json spec;
    std::vector<const char*> parts;
  } rows[] = {
      {"kubeflow.org/v1alpha1",
       "TFJob",
       {{"replicaSpecs", json::array()}, {"terminationPolicy", {{"a", 1}}}},
       {"TFJob of kubeflow.org/v1alpha1 is not what this troupe runs; write "
        "apiVersion: kubeflow.org/v1; turn the list spec.replicaSpecs into the "
        "map spec.tfReplicaSpecs",
        "leave out spec.terminationPolicy"}},
      {"kubeflow.org/v1beta2",
       "TFJob",
       {{"cleanPodPolicy", "All"}, {"backoffLimit", 3}},
       {"; move spec.backoffLimit, spec.cleanPodPolicy into spec.runPolicy"}},
      {"kubeflow.org/v1beta1",
       "PyTorchJob",
       {{"pytorchReplicaSpecs", json::object()}},
       {"PyTorchJob of kubeflow.org/v1beta1 is not what this troupe runs; "
        "write apiVersion: kubeflow.org/v1"}},
      {"kubeflow.org/v1alpha1",
       "PyTorchJob",
       {{"replicaSpecs", json::array()}},
       {"spec.pytorchReplicaSpecs, whose keys are Master and Worker"}},
      {"kubeflow.org/v1alpha1",
       "MPIJob",
       {{"gpus", 16}, {"template", json::object()}},
       {"spec.mpiReplicaSpecs", "write spec.gpus as limits"}},
      {"kubeflow.org/v1alpha2",
       "MPIJob",
       {{"cleanPodPolicy", "Running"}},
       {"move spec.cleanPodPolicy into spec.runPolicy"}},
      {"xgboostjob.kubeflow.org/v1alpha1",
       "XGBoostJob",
       nullptr,
       {"write apiVersion: kubeflow.org/v1"}},
      {"diengine.opendilab.org/v1beta1",
       "DIJob",
       nullptr,
       {"write apiVersion: diengine.opendilab.org/v1alpha1 or "
        "diengine.opendilab.org/v2alpha1"}},
  };
  for (const auto& r : rows) {
    auto said = unserved_version_message(
        {{"apiVersion", r.version}, {"kind", r.kind}, {"spec", r.spec}});
    for (const auto* part : r.parts)
      BOOST_TEST(said.find(part) != said.npos, part << " is not in " << said);
  }
}

BOOST_AUTO_TEST_CASE(what_is_served_or_is_no_job_needs_no_change) {
  const char* const rows[][2] = {
      {"kubeflow.org/v1", "TFJob"},
      {"kubeflow.org/v1", "MPIJob"},
      {"diengine.opendilab.org/v1alpha1", "DIJob"},
      {"diengine.opendilab.org/v2alpha1", "DIJob"},
      {"kubeflow.org/v1beta1", "Experiment"},
      {"", ""},
  };
  for (const auto& [version, kind] : rows)
    BOOST_TEST(
        unserved_version_message({{"apiVersion", version}, {"kind", kind}})
        == "");
  BOOST_TEST(unserved_version_message(nullptr) == "");
}

BOOST_AUTO_TEST_SUITE_END()
