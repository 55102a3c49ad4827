#include "frameworks/core/spec/validation.hpp"
#include "frameworks/mpi_ssh/ssh_validation.hpp"
#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(ssh_validation_test)

namespace {

std::string errors_of(const json& spec, const std::string& name = "pi") {
  return core::to_string(frameworks::mpi_ssh::find_job_errors(name, spec));
}

json changed(const char* pointer, json value) {
  auto spec = ssh_spec();
  spec[json::json_pointer{pointer}] = std::move(value);
  return spec;
}

json without(const char* pointer, const char* key) {
  auto spec = ssh_spec();
  spec[json::json_pointer{pointer}].erase(key);
  return spec;
}

} // namespace

BOOST_AUTO_TEST_CASE(errors_have_the_words_of_mpi_operator) {
  const std::string launcher = "/mpiReplicaSpecs/Launcher";
  const std::string worker = "/mpiReplicaSpecs/Worker";
  struct {
    json spec;
    const char* errors;
  } rows[] = {
      {ssh_spec(), ""},
      {json::object(),
       "spec.mpiReplicaSpecs: Required value: must have replica specs"},
      {without("/mpiReplicaSpecs", "Launcher"),
       "spec.mpiReplicaSpecs[Launcher]: Required value: must have Launcher "
       "replica spec"},
      {without("/mpiReplicaSpecs", "Worker"), ""},
      {without(worker.c_str(), "replicas"),
       "spec.mpiReplicaSpecs[Worker].replicas: Invalid value: 0: must be "
       "greater than or equal to 1"},
      {changed("/mpiReplicaSpecs/Launcher/replicas", 2),
       "spec.mpiReplicaSpecs[Launcher].replicas: Invalid value: 2: must be 1"},
      {changed("/mpiReplicaSpecs/Worker/restartPolicy", "Always"),
       "spec.mpiReplicaSpecs[Worker].restartPolicy: Unsupported value: "
       "\"Always\": supported values: \"Never\", \"OnFailure\""},
      {changed("/mpiReplicaSpecs/Launcher/template", json::object()),
       "spec.mpiReplicaSpecs[Launcher].template.spec.containers: Required "
       "value: must define at least one container"},
      {changed("/slotsPerWorker", -1),
       "spec.slotsPerWorker: Invalid value: -1: must be greater than or equal "
       "to 0"},
      {changed("/slotsPerWorker", 0), ""},
      {changed("/runPolicy/cleanPodPolicy", ""),
       "spec.runPolicy.cleanPodPolicy: Unsupported value: \"\": supported "
       "values: \"All\", \"None\", \"Running\""},
      {changed("/runPolicy/ttlSecondsAfterFinished", -1),
       "spec.runPolicy.ttlSecondsAfterFinished: Invalid value: -1: must be "
       "greater than or equal to 0"},
      {changed("/runPolicy/schedulingPolicy/minAvailable", -1),
       "spec.runPolicy.schedulingPolicy.minAvailable: Invalid value: -1: must "
       "be greater than or equal to 0"},
      {changed("/runPolicy/managedBy", "example.org/mine"),
       "spec.runPolicy.managedBy: Unsupported value: \"example.org/mine\": "
       "supported values: \"kueue.x-k8s.io/multikueue\", "
       "\"kubeflow.org/mpi-operator\""},
      {changed("/mpiImplementation", "LAM"),
       "spec.mpiImplementation: Unsupported value: \"LAM\": supported values: "
       "\"Intel\", \"MPICH\", \"OpenMPI\""},
  };
  for (const auto& row : rows)
    BOOST_TEST(errors_of(row.spec) == row.errors);
}

BOOST_AUTO_TEST_CASE(several_errors_are_one_list) {
  auto spec = changed("/mpiReplicaSpecs/Launcher/replicas", 0);
  spec["slotsPerWorker"] = -2;
  BOOST_TEST(errors_of(spec)
             == "[spec.mpiReplicaSpecs[Launcher].replicas: Invalid value: 0: "
                "must be 1, spec.slotsPerWorker: Invalid value: -2: must be "
                "greater than or equal to 0]");
}

BOOST_AUTO_TEST_CASE(the_name_must_be_good_for_the_last_worker) {
  BOOST_TEST(errors_of(ssh_spec(10), std::string(54, 'a')) == "");
  BOOST_TEST(errors_of(ssh_spec(11), std::string(54, 'a'))
                 .find("must be no more than 63 characters")
             != std::string::npos);
  BOOST_TEST(errors_of(ssh_spec(), "a.b").find("will not able to create pod")
             != std::string::npos);
  BOOST_TEST(errors_of(ssh_spec(), "1a").find("a DNS-1035 label must")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_host_file_fits_into_a_config_map) {
  BOOST_TEST(make_ssh_job(ssh_spec(1'000)).limit_error == "");
  BOOST_TEST(
      make_ssh_job(ssh_spec(50'000)).limit_error.find("an API server stores")
      != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
