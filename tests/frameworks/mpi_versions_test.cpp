#include "frameworks/core/base/json.hpp"
#include "frameworks/mpi_versions.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using core::json;
using frameworks::warn_of_v1_fields;
using frameworks::warn_of_v2beta1_fields;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(mpi_versions_test)

BOOST_AUTO_TEST_CASE(a_field_of_the_other_version_is_warned_of) {
  const strings none;
  BOOST_TEST(warn_of_v2beta1_fields(nullptr) == none);
  BOOST_TEST(warn_of_v2beta1_fields({{"mainContainer", "a"},
                                     {"slotsPerWorker", 2},
                                     {"mpiReplicaSpecs", json::object()}})
             == none);
  BOOST_TEST(warn_of_v2beta1_fields({{"mpiImplementation", "Intel"},
                                     {"sshAuthMountPath", "/root/.ssh"}})
             == strings{"spec.mpiImplementation has no effect in an MPIJob of "
                        "v1"});
  // What a write through v2beta1 fills in.
  BOOST_TEST(warn_of_v2beta1_fields({{"launcherCreationPolicy", "AtStartup"},
                                     {"mpiImplementation", "OpenMPI"},
                                     {"runLauncherAsWorker", false},
                                     {"sshAuthMountPath", "/root/.ssh"}})
             == none);
  BOOST_TEST(warn_of_v1_fields(
                 {{"slotsPerWorker", 2}, {"mpiImplementation", "OpenMPI"}})
             == none);
  BOOST_TEST(
      warn_of_v1_fields({{"cleanPodPolicy", "All"}, {"mainContainer", "a"}})
      == (strings{"spec.cleanPodPolicy has no effect in an MPIJob of v2beta1",
                  "spec.mainContainer has no effect in an MPIJob of "
                  "v2beta1"}));
}

BOOST_AUTO_TEST_SUITE_END()
