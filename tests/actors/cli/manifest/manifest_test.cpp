#include "actors/cli/manifest/manifest.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <fstream>

using namespace troupe::cli;
using nlohmann::json;

namespace {

std::string complaint(const std::string& text) {
  auto read = parse_manifest(text, "f");
  return read ? "" : read.error().message;
}

} // namespace

BOOST_AUTO_TEST_SUITE(manifest)

BOOST_AUTO_TEST_CASE(documents_are_told_apart_and_empty_ones_left_out) {
  auto read = parse_manifest("---\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n",
                             "jobs.yaml");
  BOOST_REQUIRE(read);
  BOOST_REQUIRE(read->size() == 2u);
  BOOST_TEST((*read)[0].value == json({{"a", 1}}));
  BOOST_TEST((*read)[1].value == json({{"b", 2}}));
  BOOST_TEST((*read)[1].where == "jobs.yaml:7");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_told_with_its_line) {
  const std::pair<const char*, const char*> table[] = {
      {"a: 1\nb: [1\n", "f:3: not YAML"},
      {"a: 1\n\tb: 2\n", "f:2: not YAML"},
      {"a: 1\na: 2\n", "f:2: has the key a twice"},
      {"- a\n", "f:1: must be a Kubernetes object"},
      {"x: 1\n---\njust text\n", "f:3: must be a Kubernetes object"},
      {"[a]: 1\n", "f:1: has a key that is no plain word"},
      {"<<: 5\n", "f:1: merges (<<) what is no mapping"},
      {"a: *nowhere\n", "f:1: not YAML"},
  };
  for (const auto& [text, want] : table)
    BOOST_TEST_CONTEXT(text << complaint(text))
  BOOST_TEST(complaint(text).find(want) == 0u);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_named) {
  auto left = most_manifest_bytes;
  auto read = read_manifest_text("/nonexistent/job.yaml", left);
  BOOST_REQUIRE(!read);
  BOOST_TEST(read.error().message.find(
                 "/nonexistent/job.yaml: cannot be read: No such file")
             == 0u);
}

BOOST_AUTO_TEST_CASE(a_directory_is_no_manifest) {
  auto left = most_manifest_bytes;
  auto read = read_manifest_text("/tmp", left);
  BOOST_REQUIRE(!read);
  BOOST_TEST(read.error().message.find("/tmp: cannot be read") == 0u);
}

BOOST_AUTO_TEST_CASE(manifests_have_a_limit_in_all) {
  troupe::fixtures::scratch_directory scratch;
  auto file = scratch.path() + "/a.yaml";
  std::ofstream{file} << "1234";
  std::size_t left = 10;
  BOOST_TEST(*read_manifest_text(file, left) == "1234");
  BOOST_TEST(*read_manifest_text(file, left) == "1234");
  BOOST_TEST(left == 2u);
  auto read = read_manifest_text(file, left);
  BOOST_REQUIRE(!read);
  BOOST_TEST(read.error().message
             == file
                    + ": is too long: manifests may have 64 MiB in all; name a "
                      "file with a job in it, or fewer");
  BOOST_TEST(left == 2u);
}

BOOST_AUTO_TEST_CASE(a_directory_stands_for_its_manifests) {
  troupe::fixtures::scratch_directory scratch;
  const auto& folder = scratch.path();
  auto files = [&] {
    auto found = manifest_files_at(folder);
    return found ? *found : std::vector<std::string>{found.error().message};
  };
  BOOST_TEST(files().front().find(folder + ": has no file") == 0u);
  for (const char* name : {"/b.yaml", "/a.yml", "/c.json", "/README.md"})
    std::ofstream{folder + name};
  const std::vector<std::string> all{folder + "/a.yml", folder + "/b.yaml",
                                     folder + "/c.json"};
  BOOST_TEST(files() == all, boost::test_tools::per_element());
  for (const char* path : {"-", "/nonexistent/job.yaml"})
    BOOST_TEST(manifest_files_at(path)->front() == path);
  for (const char* name :
       {"/kustomization.yaml", "/kustomization.yml", "/Kustomization"}) {
    auto file = folder + name;
    std::ofstream{file};
    BOOST_TEST(files().front()
               == file + " says how to make manifests, and is none; write -k "
                      + folder + " to run what it makes, or name the files");
    BOOST_TEST(!manifest_files_at(file));
    std::remove(file.c_str());
  }
  BOOST_TEST(manifest_files_at("kustomization.yaml")
                 .error()
                 .message.find("write -k . to run")
             != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
