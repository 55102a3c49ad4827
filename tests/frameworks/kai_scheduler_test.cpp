#include "tests/fixtures/builders.hpp"
#include "tests/frameworks/kind_checks.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

// What KAI-Scheduler reads of pods to group them: docs/volcano.md.
BOOST_AUTO_TEST_SUITE(kai_scheduler_test)

namespace {

/// The kinds of which it knows how many pods are a gang, and in which field it
/// counts them.
struct known_kind {
  const char* kind;
  const char* field;
  const char* first; ///< A type of which pods are placed first; "": none.
} known_kinds[] = {
    {"TFJob", "tfReplicaSpecs", ""},
    {"PyTorchJob", "pytorchReplicaSpecs", "Master"},
    {"XGBoostJob", "xgbReplicaSpecs", "Master"},
    {"JAXJob", "jaxReplicaSpecs", ""},
    {"MPIJob", "mpiReplicaSpecs", "Launcher"},
};

job_builder job_of(const known_kind& k) {
  auto b = make_job_of(k.kind);
  if (*k.first != '\0')
    b.type(k.first, 1);
  b.workers(2);
  auto& pod = b.pod_template("Worker");
  pod["spec"]["schedulerName"] = "kai-scheduler";
  pod["metadata"]["labels"]["kai.scheduler/queue"] = "team-a";
  pod["metadata"]["annotations"]["kai.scheduler/segment-size"] = "1";
  return b;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_only_owner_of_a_pod_is_its_job) {
  for (const auto& k : known_kinds)
    BOOST_TEST_CONTEXT(k.kind) {
      auto b = job_of(k);
      core::job j = b;
      auto owners = pod_of(b, "worker", 1)["metadata"]["ownerReferences"];
      BOOST_REQUIRE_EQUAL(owners.size(), 1u);
      BOOST_TEST(owners[0]["apiVersion"] == "kubeflow.org/v1");
      BOOST_TEST(owners[0]["kind"] == k.kind);
      BOOST_TEST(owners[0]["name"] == j.name);
      BOOST_TEST(owners[0]["uid"] == j.uid);
      BOOST_TEST(b.spec().contains(k.field));
    }
}

BOOST_AUTO_TEST_CASE(what_a_template_says_for_it_is_kept) {
  for (const auto& k : known_kinds)
    BOOST_TEST_CONTEXT(k.kind) {
      auto pod = pod_of(job_of(k), "worker", 1);
      const auto& meta = pod["metadata"];
      BOOST_TEST(pod["spec"]["schedulerName"] == "kai-scheduler");
      BOOST_TEST(meta["labels"]["kai.scheduler/queue"] == "team-a");
      BOOST_TEST(meta["annotations"]["kai.scheduler/segment-size"] == "1");
    }
}

BOOST_AUTO_TEST_CASE(pods_say_of_which_type_and_number_they_are) {
  for (const auto& k : known_kinds)
    BOOST_TEST_CONTEXT(k.kind) {
      auto b = job_of(k);
      auto labels = pod_of(b, "worker", 1)["metadata"]["labels"];
      BOOST_TEST(labels["training.kubeflow.org/job-name"] == b.name());
      BOOST_TEST(labels["training.kubeflow.org/replica-type"] == "worker");
      BOOST_TEST(labels["training.kubeflow.org/replica-index"] == "1");
    }
}

/// It places such pods before the others, and looks for a launcher that waits
/// for its workers by this label.
BOOST_AUTO_TEST_CASE(the_first_pods_have_their_role) {
  for (const auto& k : known_kinds) {
    if (*k.first == '\0')
      continue;
    BOOST_TEST_CONTEXT(k.kind) {
      auto type = std::string{k.first} == "Launcher" ? "launcher" : "master";
      auto labels = pod_of(job_of(k), type, 0)["metadata"]["labels"];
      BOOST_TEST(labels.value("training.kubeflow.org/job-role", "none")
                 == "master");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
