#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(ssh_status_test)

namespace {

const core::creation_key secret{child_kind::secret, "pi-ssh"};
const core::creation_key launcher{child_kind::launcher_job, "pi-launcher"};

} // namespace

BOOST_AUTO_TEST_CASE(the_first_status_is_saved_once_and_counts_the_launcher) {
  ssh_job_fixture s;
  s.pass();
  BOOST_TEST(s.last.status_awaits_creations);
  s.see_objects_for_pods();
  s.pass();
  BOOST_TEST(s.last.status_awaits_creations);
  s.observe({worker(0), worker(1)});
  s.open.expect_creation(launcher, s.now);
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == strings{});
  BOOST_TEST(s.last.status_awaits_creations);
  s.open.forget_creation(launcher);
  s.see_launcher();
  s.pass();
  BOOST_TEST(!s.last.status_awaits_creations);
  BOOST_TEST(s.status.replicas.count("Launcher") == 1u);
}

BOOST_AUTO_TEST_CASE(a_creation_that_fails_does_not_keep_the_first_status) {
  ssh_job_fixture s;
  s.see_objects_for_pods();
  s.observe({worker(0), worker(1)});
  s.open.expect_creation(launcher, s.now);
  s.open.block_creation_after_failure(launcher,
                                      s.now + std::chrono::seconds{1});
  s.pass();
  BOOST_TEST(!s.last.status_awaits_creations);
  BOOST_TEST(s.conditions() == "Created");
}

BOOST_AUTO_TEST_CASE(a_launcher_that_waits_does_not_keep_the_first_status) {
  auto spec = ssh_spec();
  spec["launcherCreationPolicy"] = "WaitForWorkersReady";
  ssh_job_fixture s{spec};
  s.see_objects_for_pods();
  s.observe({worker(0), worker(1)});
  s.pass();
  BOOST_TEST(!s.last.status_awaits_creations);
}

BOOST_AUTO_TEST_CASE(a_later_status_waits_for_no_creation) {
  ssh_job_fixture s;
  s.see_objects_for_pods();
  s.pass_and_save();
  s.open.expect_creation(secret, s.now);
  s.pass();
  BOOST_TEST(!s.last.status_awaits_creations);
}

BOOST_AUTO_TEST_SUITE_END()
