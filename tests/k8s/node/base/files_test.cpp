#include "k8s/node/base/files.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(files_test)

BOOST_AUTO_TEST_CASE(a_file_is_no_directory) {
  const troupe::fixtures::scratch_directory scratch;
  const auto& top = scratch.path();
  std::ofstream{top + "/file"} << "text";
  std::filesystem::create_directory_symlink(top, top + "/link");
  struct row {
    const char* path;
    bool made;
  } rows[] = {
      {"/new/below/it", true}, {"/new", true},         {"/link/a", true},
      {"/file", false},        {"/file/below", false},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.path) {
      auto bad = make_directory_and_parents(top + r.path);
      BOOST_TEST(!bad == r.made);
      BOOST_TEST(std::filesystem::is_directory(top + r.path) == r.made);
      if (bad)
        BOOST_TEST(bad->message
                   == "cannot make the directory " + top
                          + "/file: Not a directory");
    }
}

BOOST_AUTO_TEST_SUITE_END()
