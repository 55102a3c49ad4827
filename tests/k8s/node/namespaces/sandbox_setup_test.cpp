#include "k8s/node/namespaces/sandbox_setup.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

using namespace troupe::k8s::node;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(sandbox_setup_test)

BOOST_AUTO_TEST_CASE(only_files_that_say_something_are_worth_keeping) {
  struct row {
    const char* directory;
    const char* file;
    bool counts;
  };
  const row rows[] = {
      {"", "", false},
      {"", "model.pt", true},
      {"deep/er", "model.pt", true},
      {"mount-point/in/it", "", false},
      {"__pycache__", "train.cpython-311.pyc", false},
      {"package/__pycache__", "train.cpython-311.pyc", false},
      {"package/__pycache__/deep", "train.cpython-311.pyc", false},
  };
  for (const auto& r : rows) {
    troupe::fixtures::scratch_directory scratch;
    node_directory directory{scratch.path()};
    BOOST_TEST(!has_overlay_files(directory));
    auto layers =
        fs::path(directory.working_dir_overlays("ns", "pod", "uid")) / "c";
    fs::create_directories(layers / "work" / "work");
    std::ofstream(layers / "mounted");
    auto upper = layers / "upper" / r.directory;
    fs::create_directories(upper);
    if (*r.file)
      std::ofstream(upper / r.file);
    BOOST_TEST(has_overlay_files(directory) == r.counts,
               r.directory << "/" << r.file);
  }
}

BOOST_AUTO_TEST_SUITE_END()
