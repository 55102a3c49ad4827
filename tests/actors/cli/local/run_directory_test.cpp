#include "actors/cli/local/run_directory.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/file.h>
#include <unistd.h>

using namespace troupe::cli;
namespace fs = std::filesystem;
using names = std::set<std::string>;

BOOST_AUTO_TEST_SUITE(run_directory_test)

namespace {

/// A run's directory, in one of its own.
struct run_directory_fixture {
  run_directory_fixture() {
    for (auto path : {".lock", "kubeconfig", "volumes/uid/secret/password",
                      "scratch/uid/c/file", "logs/pod/c.0.log",
                      "work/pod/c/upper/__pycache__/x.pyc"})
      write(path);
  }

  void write(const std::string& path) const {
    fs::create_directories(fs::path(run + "/" + path).parent_path());
    std::ofstream(run + "/" + path) << path;
  }

  names entries() const {
    names out;
    if (fs::exists(run))
      for (const auto& e : fs::directory_iterator{run})
        out.insert(e.path().filename().string());
    return out;
  }

  troupe::fixtures::scratch_directory scratch;
  const std::string& base = scratch.path();
  std::string run = base + "/troupe-abcdef";
};

const names all{".lock", "kubeconfig", "volumes", "scratch", "logs", "work"};

} // namespace

BOOST_FIXTURE_TEST_CASE(what_a_dead_process_left_is_removed,
                        run_directory_fixture) {
  remove_abandoned_run_directories(base);
  BOOST_TEST(entries() == names{}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(what_its_pods_wrote_stays, run_directory_fixture) {
  write("work/pod/c/upper/deep/model.pt");
  for (int i = 0; i < 2; ++i) {
    remove_abandoned_run_directories(base);
    BOOST_TEST(entries() == (names{".lock", "logs", "work"}),
               boost::test_tools::per_element());
  }
  BOOST_TEST(fs::exists(run + "/work/pod/c/upper/deep/model.pt"));
}

BOOST_FIXTURE_TEST_CASE(volumes_of_claims_stay, run_directory_fixture) {
  write("claims/default/data/model.pt");
  remove_abandoned_run_directories(base);
  BOOST_TEST(entries() == (names{".lock", "logs", "work", "claims"}),
             boost::test_tools::per_element());
  fs::remove(run + "/claims/default/data/model.pt");
  remove_abandoned_run_directories(base);
  BOOST_TEST(entries() == names{}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_run_that_lives_or_is_kept_is_left_alone,
                        run_directory_fixture) {
  int lock = ::open((run + "/.lock").c_str(), O_RDWR | O_CLOEXEC);
  BOOST_REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
  remove_abandoned_run_directories(base);
  BOOST_TEST(entries() == all, boost::test_tools::per_element());
  ::close(lock);
  fs::remove(run + "/.lock");
  remove_abandoned_run_directories(base);
  BOOST_TEST(entries().size() == all.size() - 1);
}

BOOST_AUTO_TEST_SUITE_END()
