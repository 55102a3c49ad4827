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

namespace {

/// All is there and runs; the status is saved.
ssh_job_fixture running_job() {
  ssh_job_fixture s;
  s.see_objects_for_pods();
  s.observe({ready_worker(0), ready_worker(1)});
  s.see_launcher();
  s.pass_and_save();
  return s;
}

k8s::batch_job_state complete() {
  k8s::batch_job_state state;
  state.complete = true;
  return state;
}

const std::string launcher_uid = "uid-of-pi-launcher";

} // namespace

BOOST_AUTO_TEST_CASE(the_summary_tells_of_the_pod_that_the_launchers_job_made) {
  using k8s::pod_phase;
  auto s = running_job();
  BOOST_TEST(s.last.summary
             == "2 of 3 replicas run; pi-launcher has no pod yet");
  s.see_launcher_pod(pod_phase::pending);
  s.pass();
  BOOST_TEST(s.last.summary
             == "2 of 3 replicas run; pi-launcher-x7k2p is not scheduled yet");
  s.see_launcher_pod(pod_phase::running, 2);
  s.pass();
  BOOST_TEST(s.last.summary == "3 of 3 replicas run");
}

BOOST_AUTO_TEST_CASE(a_launcher_that_is_made_anew_is_not_counted) {
  for (bool leaves : {false, true}) {
    ssh_job_fixture s;
    s.see_objects_for_pods();
    k8s::batch_job_state suspended;
    suspended.suspended = true;
    auto o = launcher_job(s.j, suspended);
    if (leaves)
      o.meta.deleted = base_time;
    s.see(child_kind::launcher_job, o);
    s.pass();
    BOOST_TEST(s.status.replicas.count("Launcher") == (leaves ? 0u : 1u));
  }
}

BOOST_AUTO_TEST_CASE(a_job_that_became_invalid_goes_on_and_says_so) {
  auto s = running_job();
  BOOST_TEST(!s.last.standing_warning.has_value());
  auto spec = ssh_spec();
  spec["slotsPerWorker"] = -1;
  s.j = make_ssh_job(spec);
  s.pass();
  BOOST_TEST(s.decisions() == strings{});
  BOOST_TEST(s.events() == strings{});
  BOOST_REQUIRE(s.last.standing_warning.has_value());
  BOOST_TEST(s.last.standing_warning->reason == "ValidationError");
  BOOST_TEST(s.last.standing_warning->message
             == "Found validation errors: spec.slotsPerWorker: Invalid value: "
                "-1: must be greater than or equal to 0");
}

BOOST_AUTO_TEST_CASE(a_launcher_that_was_deleted_while_it_ran_is_made_again) {
  auto s = running_job();
  s.seen.record_deleted(child_kind::launcher_job, launcher_uid);
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"create launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(
    a_launcher_that_vanished_between_watches_is_not_made_again) {
  for (bool saved : {true, false}) {
    auto s = running_job();
    if (!saved)
      s.saved = {};
    s.seen.forget_unlisted(child_kind::launcher_job, 9, 9);
    s.pass();
    BOOST_TEST(s.decisions() == strings{"read launcher job pi-launcher"});
    auto found = s; // It had only lost its label.
    found.see_launcher({}, 10);
    found.pass();
    BOOST_TEST(found.decisions_on_pods() == strings{});
    s.seen.note_looked_up_in_vain(child_kind::launcher_job);
    s.pass();
    const auto* failed = s.status.find_condition("Failed");
    BOOST_REQUIRE(failed);
    BOOST_TEST(failed->reason == "MPIJobLauncherLost");
    BOOST_TEST(s.decisions() == strings{});
  }
}

BOOST_AUTO_TEST_CASE(a_suspended_launcher_that_vanished_is_made_again) {
  auto s = running_job();
  k8s::batch_job_state suspended;
  suspended.suspended = true;
  s.see_launcher(suspended, 2);
  s.seen.forget_unlisted(child_kind::launcher_job, 9, 9);
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"create launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(a_look_up_of_before_says_nothing_of_one_that_vanished) {
  auto s = running_job();
  s.seen.note_looked_up_in_vain(child_kind::launcher_job);
  s.seen.forget_unlisted(child_kind::launcher_job, 9, 9);
  s.pass();
  BOOST_TEST(s.decisions() == strings{"read launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(the_end_of_a_launcher_counts_even_if_it_is_gone_at_once) {
  for (bool deletion_seen : {true, false}) {
    auto s = running_job();
    s.see_launcher(complete(), 2);
    if (deletion_seen)
      s.seen.record_deleted(child_kind::launcher_job, launcher_uid);
    else
      s.seen.forget_unlisted(child_kind::launcher_job, 9, 9);
    s.pass();
    BOOST_TEST(s.conditions() == "Created Succeeded Running=False");
    BOOST_TEST(s.decisions() == strings{});
  }
}

BOOST_AUTO_TEST_SUITE_END()
