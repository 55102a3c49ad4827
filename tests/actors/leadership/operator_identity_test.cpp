#include "actors/leadership/operator_identity.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace troupe::actors;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(operator_identity_test)

namespace {

/// The identity of a process that ended at once, without a destructor.
std::string identity_of_killed_process(const std::string& directory,
                                       bool claims_lease = false) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  pid_t child = ::fork();
  if (child == 0) {
    operator_identity identity{directory};
    if (claims_lease)
      identity.mark_proof_as_claimed();
    const auto& text = identity.text();
    auto written = ::write(ends[1], text.data(), text.size());
    ::_exit(written > 0 ? 0 : 1);
  }
  ::close(ends[1]);
  char text[512];
  auto length = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  BOOST_REQUIRE(length > 0);
  return {text, static_cast<std::size_t>(length)};
}

std::string suffix_of(const std::string& identity) {
  return identity.substr(identity.rfind('_') + 1);
}

struct identity_fixture {
  troupe::fixtures::scratch_directory scratch;
  std::string directory = scratch.path();

  std::string proof_of(const std::string& identity) const {
    return directory + "/troupe-" + suffix_of(identity);
  }
  void make_older(const std::string& file, std::chrono::minutes by) const {
    fs::last_write_time(file, fs::last_write_time(file) - by);
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(each_identity_is_different, identity_fixture) {
  operator_identity a{directory};
  operator_identity b{directory};
  BOOST_TEST(a.text() != b.text());
  auto before = a.text();
  a.take_new_identity();
  BOOST_TEST(a.text() != before);
}

BOOST_FIXTURE_TEST_CASE(a_process_has_ended_when_its_lock_is_free,
                        identity_fixture) {
  operator_identity ours{directory};
  BOOST_TEST(!take_proof_of_operator_end(ours.text(), directory));
  auto killed = identity_of_killed_process(directory);
  BOOST_TEST(take_proof_of_operator_end(killed, directory));
  // Whoever was told may take its Lease, and removes the file.
  BOOST_TEST(!take_proof_of_operator_end(killed, directory));
  BOOST_TEST(!take_proof_of_operator_end(ours.text(), directory));
}

// As seen by a virtual machine that was resumed from the same snapshot: the
// same boot, namespace and PIDs.
BOOST_FIXTURE_TEST_CASE(a_machine_without_the_lock_cannot_tell,
                        identity_fixture) {
  auto elsewhere = identity_of_killed_process(directory);
  troupe::fixtures::scratch_directory other_machine;
  BOOST_TEST(!take_proof_of_operator_end(elsewhere, other_machine.path()));
  // Nor one whose copy of that process has taken another name.
  std::string before;
  {
    operator_identity copy{directory};
    before = copy.text();
    copy.take_new_identity();
    BOOST_TEST(!take_proof_of_operator_end(before, directory));
    BOOST_TEST(!take_proof_of_operator_end(copy.text(), directory));
  }
  BOOST_TEST(!take_proof_of_operator_end(before, directory));
}

BOOST_FIXTURE_TEST_CASE(what_is_no_lock_of_ours_proves_nothing,
                        identity_fixture) {
  auto killed = identity_of_killed_process(directory);
  auto lock = proof_of(killed);
  fs::rename(lock, directory + "/elsewhere");
  fs::create_symlink(directory + "/elsewhere", lock);
  BOOST_TEST(!take_proof_of_operator_end(killed, directory));
  fs::remove(lock);
  fs::create_directory(lock);
  BOOST_TEST(!take_proof_of_operator_end(killed, directory));
  for (std::string text :
       {"", "pod-1", "a_b_c", "a_1.x.y_../elsewhere",
        "a_1.x.y_0123456789abcdeg", "a_1.x.y_0123456789abcde"})
    BOOST_TEST(!take_proof_of_operator_end(text, directory), text);
}

BOOST_FIXTURE_TEST_CASE(a_process_that_ends_well_leaves_no_file,
                        identity_fixture) {
  { operator_identity ours{directory}; }
  BOOST_TEST(fs::is_empty(directory));
  // Without a place for it there is no proof.
  operator_identity without{directory + "/missing"};
  BOOST_TEST(!without.text().empty());
  BOOST_TEST(
      !take_proof_of_operator_end(without.text(), directory + "/missing"));
}

BOOST_FIXTURE_TEST_CASE(what_a_killed_standby_left_goes_with_the_next_start,
                        identity_fixture) {
  operator_identity lives{directory};
  make_older(proof_of(lives.text()), std::chrono::minutes{24 * 60});
  auto killed = identity_of_killed_process(directory);
  BOOST_TEST(fs::exists(proof_of(killed)));
  // What others call so, or have put there.
  for (const char* name : {"troupe-run", "troupe-0123456789abcde",
                           "troupe-0123456789abcdef.new", "other"})
    std::ofstream{directory + "/" + name};
  fs::create_directory(directory + "/troupe-0123456789abcdef");
  fs::create_symlink(directory + "/other",
                     directory + "/troupe-0123456789abcdee");
  auto others = [&] {
    return std::distance(fs::directory_iterator{directory}, {});
  };
  auto before = others();
  operator_identity next{directory};
  BOOST_TEST(!fs::exists(proof_of(killed)));
  BOOST_TEST(others() == before); // The next has one, too.
  BOOST_TEST(fs::exists(proof_of(lives.text())));
  BOOST_TEST(!take_proof_of_operator_end(lives.text(), directory));
}

BOOST_FIXTURE_TEST_CASE(what_a_killed_leader_left_is_kept_for_an_hour,
                        identity_fixture) {
  using std::chrono::minutes;
  auto killed = identity_of_killed_process(directory, true);
  // It may have led for days: what counts is when it was seen to have ended.
  make_older(proof_of(killed), minutes{24 * 60});
  auto asked_for = identity_of_killed_process(directory, true);
  auto start_another = [&] { operator_identity other{directory}; };
  make_older(proof_of(killed), minutes{59});
  start_another();
  BOOST_TEST(take_proof_of_operator_end(asked_for, directory));
  BOOST_TEST(fs::exists(proof_of(killed)));
  make_older(proof_of(killed), minutes{2});
  start_another();
  BOOST_TEST(!fs::exists(proof_of(killed)));
  BOOST_TEST(fs::is_empty(directory));
}

BOOST_AUTO_TEST_SUITE_END()
