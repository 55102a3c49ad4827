#include "frameworks/core/decision.hpp"
#include "frameworks/core/events.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::core;

BOOST_AUTO_TEST_SUITE(events)

BOOST_AUTO_TEST_CASE(calls_are_told_in_the_originals_words) {
  auto tf = *troupe::frameworks::find("TFJob");
  auto other = tf;
  other.removal_noun = "Pod";
  job tfjob;
  tfjob.kind = &tf;
  job mpijob;
  mpijob.kind = troupe::frameworks::find("MPIJob");
  slot at{"worker", 0};
  struct row {
    tell t;
    bool warning;
    const char* reason;
    const char* message;
  } rows[] = {
      {created_events(tfjob, child::pod, "j-w-0", at).at(0), false,
       "SuccessfulCreatePod", "Created pod: j-w-0"},
      {created_events(tfjob, child::service, "j-w-0", at).at(0), false,
       "SuccessfulCreateService", "Created service: j-w-0"},
      {create_failed_event(child::pod, "no"), true, "FailedCreatePod",
       "Error creating: no"},
      {create_failed_event(child::service, "no"), true, "FailedCreateService",
       "Error creating: no"},
      {created_events(mpijob, child::pod, "j-launcher", {"launcher", 0}).at(0),
       false, "MPIJobRunning", "launcher pod created success: j-launcher"},
      {created_events(mpijob, child::pod, "j-worker-0", at).at(0), false,
       "SuccessfulCreatePod", "Created worker pod: j-worker-0"},
      {created_events(mpijob, child::role, "j-launcher", at).at(0), false,
       "LauncherRole is exist", "LauncherRole: j-launcher"},
      {deleted_events(child::pod_group, "j").at(0), false, "JobTerminated",
       "Job has been terminated. Deleting PodGroup"},
      {deleted_events(child::pod_group, "j").at(1), false,
       "SuccessfulDeletePodGroup", "Deleted PodGroup: j"},
      {deleted_events(child::pod, "p").at(0), false, "SuccessfulDeletePod",
       "Deleted pod: p"},
      {delete_failed_event(child::service, "no"), true, "FailedDeleteService",
       "Error deleting: no"},
      {job_deleted_event(tf, "j"), false, "SuccessfulDeleteJob",
       "Deleted job: j"},
      {job_deleted_event(other, "j"), false, "SuccessfulDeletePod",
       "Deleted job: j"},
      {job_delete_failed_event(tf, "no"), true, "FailedDeleteJob",
       "Error deleting: no"},
  };
  for (const auto& r : rows) {
    BOOST_TEST(r.t.warning == r.warning);
    BOOST_TEST(r.t.reason == r.reason);
    BOOST_TEST(r.t.message == r.message);
  }
}

BOOST_AUTO_TEST_CASE(decisions_read_as_sentences) {
  BOOST_TEST(describe(create_child{child::pod, {"worker", 1}, "why"})
             == "create pod worker-1: why");
  BOOST_TEST(describe(remove_child{child::service, {"ps", 0}, "n", "u", "why"})
             == "remove service n: why");
  BOOST_TEST(describe(remove_job{"u", "why"}) == "remove the job: why");
}

BOOST_AUTO_TEST_SUITE_END()
