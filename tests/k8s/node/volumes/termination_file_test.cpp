#include "k8s/node/volumes/termination_file.hpp"
#include "tests/fixtures/scratch_directory.hpp"
#include "tests/k8s/node/namespaces/sample_sandbox.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(termination_file_test)

namespace {

namespace fs = std::filesystem;

struct file_fixture {
  troupe::fixtures::scratch_directory directory;
  std::string path = directory.path() + "/pod/main";

  file_fixture() { BOOST_REQUIRE(!make_termination_file(path)); }

  void write(const std::string& text) { std::ofstream{path} << text; }

  std::string read() {
    auto text = read_termination_file(path);
    return text ? *text : "error: " + text.error().message;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(the_end_of_the_file_is_read, file_fixture) {
  BOOST_TEST(read() == "");
  write("out of data");
  BOOST_TEST(read() == "out of data");
  write(std::string(10'000, 'a') + "end");
  BOOST_TEST(read() == std::string(4093, 'a') + "end");
  fs::remove(path);
  BOOST_TEST(read() == "");
}

// It is the container's: nothing in its place is followed or waited for.
BOOST_FIXTURE_TEST_CASE(what_is_no_file_is_not_read, file_fixture) {
  const auto secret = directory.path() + "/secret";
  std::ofstream{secret} << "of the node";
  fs::remove(path);
  fs::create_symlink(secret, path);
  BOOST_TEST(read() == "error: it is a symbolic link");
  fs::remove(path);
  BOOST_REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  BOOST_TEST(read() == "error: it is no regular file");
  fs::remove(path);
  fs::create_directories(path + "/below");
  BOOST_TEST(read() == "error: it is no regular file");
  fs::remove_all(path);
  fs::create_symlink("/dev/zero", path);
  BOOST_TEST(read() == "error: it is a symbolic link");
  write(""); // Into /dev/zero.
  BOOST_REQUIRE(!make_termination_file(path));
  fs::resize_file(path, 1ull << 40); // It takes no room.
  BOOST_TEST(read() == std::string(4096, '\0'));
}

BOOST_FIXTURE_TEST_CASE(each_life_begins_with_an_empty_file, file_fixture) {
  const auto other = directory.path() + "/other";
  std::ofstream{other} << "stays";
  using putter = void (*)(const std::string&, const std::string&);
  const putter all[] = {[](const std::string& at, const std::string& /*to*/) {
                          std::ofstream{at} << "of the life before";
                        },
                        [](const std::string& at, const std::string& to) {
                          fs::remove(at);
                          fs::create_symlink(to, at);
                        },
                        [](const std::string& at, const std::string& /*to*/) {
                          fs::remove(at);
                          ::mkfifo(at.c_str(), 0600);
                        },
                        [](const std::string& at, const std::string& to) {
                          fs::remove(at);
                          fs::create_directories(at + "/a");
                          fs::create_symlink(to, at + "/link");
                        }};
  for (auto put : all) {
    put(path, other);
    BOOST_REQUIRE(!make_termination_file(path));
    BOOST_TEST((fs::symlink_status(path).type() == fs::file_type::regular));
    BOOST_TEST(fs::file_size(path) == 0u);
    BOOST_TEST(fs::file_size(other) == 5u);
  }
}

BOOST_AUTO_TEST_CASE(where_a_container_finds_its_file) {
  using kind = isolation_kind;
  struct {
    std::string path;
    kind isolation;
    const char* target;
  } rows[] = {
      {"/dev/termination-log", kind::preload, "/dev/termination-log"},
      {"/dev/termination-log", kind::namespaces, "/dev/termination-log"},
      {"/dev/termination-log", kind::none, ""},
      {"", kind::namespaces, ""},
      {"//tmp/./a/../why/", kind::preload, "/tmp/why"},
      {"why", kind::preload, "/why"},
      {"../../why", kind::namespaces, "/why"},
      {"/", kind::namespaces, ""},
      {"/a:b", kind::preload, ""},
      {"/a:b", kind::namespaces, "/a:b"},
      {std::string("/a\0bind", 7), kind::namespaces, ""},
      {"/" + std::string(5000, 'a'), kind::namespaces, ""},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.path) {
      auto s = sandbox();
      s.isolation = row.isolation;
      json c{{"name", "c"}, {"terminationMessagePath", row.path}};
      BOOST_TEST(termination_file_target(c, s) == row.target);
    }
}

BOOST_AUTO_TEST_SUITE_END()
