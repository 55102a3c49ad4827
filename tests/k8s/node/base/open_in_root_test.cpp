#include "k8s/node/base/open_in_root.h"
#include "k8s/node/base/unique_descriptor.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>

using troupe::k8s::node::unique_descriptor;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(open_in_root_test)

BOOST_AUTO_TEST_CASE(no_link_leads_out) {
  troupe::fixtures::scratch_directory scratch;
  const auto& directory = scratch.path();
  fs::path root = directory + "/root";
  fs::create_directories(root / "a" / "b");
  fs::create_directories(directory + "/outside");
  std::ofstream(root / "a" / "file");
  fs::create_symlink(directory + "/outside", root / "absolute");
  fs::create_symlink("../../outside", root / "a" / "above");
  fs::create_symlink("a", root / "inside");
  unique_descriptor top{::open(root.c_str(), O_PATH | O_CLOEXEC)};
  struct row {
    const char* part;
    bool in_root;
    bool without_links;
  };
  const row rows[] = {
      {"a", true, true},         {"a/b", true, true},
      {"a//b/", true, true},     {"a/file", true, true},
      {"inside/b", true, false}, {"absolute", false, false},
      {"a/above", false, false}, {"../outside", false, false},
      {"missing", false, false}, {"a/file/x", false, false},
  };
  for (const auto& r : rows) {
    unique_descriptor one{open_in_root(top.get(), r.part)};
    unique_descriptor other{open_without_links(top.get(), r.part)};
    // An old kernel has the second way only.
    BOOST_TEST((one.get() >= 0 ? r.in_root : !r.without_links), r.part);
    BOOST_TEST((other.get() >= 0) == r.without_links, r.part);
  }
}

BOOST_AUTO_TEST_CASE(what_has_moved_behind_a_link_is_not_opened) {
  troupe::fixtures::scratch_directory scratch;
  fs::path top = fs::canonical(scratch.path());
  fs::create_directories(top / "volume" / "part" / "deep");
  fs::create_directories(top / "secret" / "deep");
  const auto volume = (top / "volume").string();
  auto opens = [&](const char* part) {
    return unique_descriptor{open_exactly(volume.c_str(), part)}.get() >= 0;
  };
  BOOST_TEST(opens(""));
  BOOST_TEST(opens("part"));
  BOOST_TEST(opens("part/deep"));
  BOOST_TEST(!opens("missing"));
  BOOST_TEST(unique_descriptor{open_exactly("/", "")}.get() >= 0);
  BOOST_TEST(unique_descriptor{open_exactly("/", "tmp")}.get() >= 0);
  // Another part of the volume, where it was not looked at.
  fs::rename(top / "volume" / "part", top / "volume" / "other");
  fs::create_symlink("other", top / "volume" / "part");
  BOOST_TEST(!opens("part"));
  BOOST_TEST(!opens("part/deep"));
  BOOST_TEST(opens("other/deep"));
  fs::rename(top / "volume", top / "old");
  fs::create_symlink("secret", top / "volume");
  BOOST_TEST(!opens(""));
  BOOST_TEST(errno == ELOOP);
  BOOST_TEST(!opens("deep"));
}

BOOST_AUTO_TEST_SUITE_END()
