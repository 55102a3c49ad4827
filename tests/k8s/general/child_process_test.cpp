#include "k8s/general/child_process.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(child_process_test)

BOOST_AUTO_TEST_CASE(a_program_that_does_not_start_is_not_always_missing) {
  troupe::fixtures::scratch_directory scratch;
  auto start = [&](const std::string& name) {
    auto path = scratch.path() + "/" + name;
    pid_t pid = -1;
    int error = spawn_child({path, {path}, {}, {}}, pid);
    return error == 0 ? "" : describe_spawn_error(name, error);
  };
  BOOST_TEST(start("none") == "none is not installed");
  std::ofstream{scratch.path() + "/text"} << "no program";
  BOOST_TEST(start("text") == "text cannot be started: Permission denied");
  BOOST_TEST(start("text/program")
             == "text/program cannot be started: Not a directory");
}

BOOST_AUTO_TEST_SUITE_END()
