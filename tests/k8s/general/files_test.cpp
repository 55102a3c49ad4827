#include "k8s/general/files.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(files_test)

BOOST_AUTO_TEST_CASE(a_file_is_read_whole_up_to_its_limit) {
  troupe::fixtures::scratch_directory scratch;
  auto path = scratch.path() + "/f";
  std::string text(200'000, 'x');
  std::ofstream{path} << text;
  BOOST_TEST((*read_file(path) == text));
  BOOST_TEST((*read_file(path, text.size()) == text));
  auto longer = read_file(path, text.size() - 1);
  BOOST_REQUIRE(!longer);
  BOOST_TEST(longer.error().message == path + ": is longer than 199999 bytes");
  std::ofstream{path};
  BOOST_TEST(read_file(path, 0)->empty());
}

BOOST_AUTO_TEST_CASE(a_file_without_end_is_refused) {
  auto read = read_file("/dev/zero");
  BOOST_REQUIRE(!read);
  BOOST_TEST((read.error().code == ec::too_large));
  BOOST_TEST(read.error().message == "/dev/zero: is longer than 64 MiB");
}

BOOST_AUTO_TEST_CASE(a_pipe_is_read_until_its_end) {
  troupe::fixtures::scratch_directory scratch;
  auto path = scratch.path() + "/pipe";
  BOOST_REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string text(300'000, 'y');
  std::thread writer{[&] { std::ofstream{path} << text; }};
  auto read = read_file(path);
  writer.join();
  BOOST_REQUIRE(read);
  BOOST_TEST((*read == text));
}

BOOST_AUTO_TEST_CASE(files_of_the_kernel_have_no_size_and_are_read) {
  BOOST_TEST(!read_file("/proc/self/status")->empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_says_why) {
  const std::pair<const char*, const char*> rows[] = {
      {"/nonexistent",
       "/nonexistent: cannot be read: No such file or directory"},
      {"/tmp", "/tmp: cannot be read: Is a directory"},
  };
  for (const auto& [path, why] : rows) {
    auto read = read_file(path);
    BOOST_REQUIRE(!read);
    BOOST_TEST((read.error().code == ec::invalid));
    BOOST_TEST(read.error().message == why);
  }
}

BOOST_AUTO_TEST_SUITE_END()
