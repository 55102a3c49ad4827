#include "k8s/node/namespaces/sandbox_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
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
    std::string path = "/tmp/troupe-layers-XXXXXX";
    BOOST_REQUIRE(mkdtemp(path.data()));
    node_directory directory{path};
    BOOST_TEST(!has_work_files(directory));
    auto layers = fs::path(directory.work_layers("ns", "pod", "uid")) / "c";
    fs::create_directories(layers / "work" / "work");
    std::ofstream(layers / "mounted");
    auto upper = layers / "upper" / r.directory;
    fs::create_directories(upper);
    if (*r.file)
      std::ofstream(upper / r.file);
    BOOST_TEST(has_work_files(directory) == r.counts,
               r.directory << "/" << r.file);
    fs::remove_all(path);
  }
}

BOOST_AUTO_TEST_SUITE_END()
