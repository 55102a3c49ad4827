#include "frameworks/core/memory/events.hpp"
#include "frameworks/core/model/decision.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::core;

BOOST_AUTO_TEST_SUITE(events_test)

BOOST_AUTO_TEST_CASE(calls_are_told_in_the_originals_words) {
  auto tf = *troupe::frameworks::find("TFJob");
  auto other = tf;
  other.messages.delete_event_noun = "Pod";
  job tfjob;
  tfjob.kind = &tf;
  job mpijob;
  mpijob.kind = troupe::frameworks::find("MPIJob");
  create_child worker_pod{child_kind::pod, {"worker", 0}, ""};
  create_child worker_service{child_kind::service, {"worker", 0}, ""};
  create_child launcher{child_kind::pod, {"launcher", 0}, ""};
  create_auxiliary role{
      auxiliary_object{child_kind::role, "j-launcher", "{}", ""}, ""};
  troupe::k8s::failure no{troupe::k8s::ec::forbidden, "no"};
  struct row {
    job_event t;
    bool warning;
    const char* reason;
    const char* message;
  } rows[] = {
      {child_created_event(worker_pod, tfjob, "j-w-0"), false,
       "SuccessfulCreatePod", "Created pod: j-w-0"},
      {child_created_event(worker_service, tfjob, "j-w-0"), false,
       "SuccessfulCreateService", "Created service: j-w-0"},
      {child_create_failed_event(worker_pod, tfjob, no), true,
       "FailedCreatePod", "Error creating: no"},
      {child_create_failed_event(worker_service, tfjob, no), true,
       "FailedCreateService", "Error creating: no"},
      {child_create_failed_event(launcher, mpijob, no), true, "MPIJobFailed",
       "launcher pod created failed: no"},
      {child_create_failed_event(worker_pod, mpijob, no), true,
       "FailedCreatePod", "Error creating: no"},
      {child_created_event(launcher, mpijob, "j-launcher"), false,
       "MPIJobRunning", "launcher pod created success: j-launcher"},
      {child_created_event(worker_pod, mpijob, "j-worker-0"), false,
       "SuccessfulCreatePod", "Created worker pod: j-worker-0"},
      {child_created_event(role).value(), false, "LauncherRole is exist",
       "LauncherRole: j-launcher"},
      {child_deleted_events(tf, child_kind::pod_group, "j").at(0), false,
       "JobTerminated", "Job has been terminated. Deleting PodGroup"},
      {child_deleted_events(tf, child_kind::pod_group, "j").at(1), false,
       "SuccessfulDeletePodGroup", "Deleted PodGroup: j"},
      {child_deleted_events(tf, child_kind::pod, "p").at(0), false,
       "SuccessfulDeletePod", "Deleted pod: p"},
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

BOOST_AUTO_TEST_CASE(a_refusal_is_told_unless_somebody_else_was_faster) {
  using troupe::k8s::ec;
  delete_child removal{child_kind::service, {}, "s", "u", ""};
  update_auxiliary correction;
  correction.kind = child_kind::role;
  adopt_child adoption{child_kind::service, {}, "s", "u", ""};
  release_child release{child_kind::pod, {}, "p", "u", ""};
  struct row {
    decision d;
    ec code;
    int before;
    const char* event;
  } rows[] = {
      {removal, ec::forbidden, 0, "FailedDeleteService: Error deleting: no"},
      {removal, ec::server_error, 3, "FailedDeleteService: Error deleting: no"},
      {removal, ec::cancelled, 0, ""},
      {correction, ec::forbidden, 0, "FailedUpdateRole: Error updating: no"},
      {correction, ec::invalid, 5, "FailedUpdateRole: Error updating: no"},
      {adoption, ec::forbidden, 0,
       "FailedAdoptService: Error adopting s, which stays in use without an "
       "owner: no"},
      {adoption, ec::forbidden, 1, ""},
      {adoption, ec::conflict, 0, ""},
      {adoption, ec::not_found, 0, ""},
      {release, ec::forbidden, 0, "FailedReleasePod: Error releasing p: no"},
      {release, ec::forbidden, 2, ""},
      {delete_job{}, ec::forbidden, 0, ""},
  };
  for (const auto& r : rows) {
    auto result = failed_order_event_except_creation(
        *frameworks::find("TFJob"), r.d, {r.code, "no"}, r.before);
    BOOST_TEST((result ? result->reason + ": " + result->message : "")
               == r.event);
    BOOST_TEST((!result || result->warning));
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_is_taken_is_told_with_its_owner) {
  using troupe::k8s::ec;
  job mpijob;
  mpijob.kind = troupe::frameworks::find("MPIJob");
  create_auxiliary files{
      auxiliary_object{child_kind::config_map, "j-config", "", ""}, ""};
  auto result = [&](ec code, ownership_conflict taken) {
    auto t = child_create_failed_event(files, mpijob, {code, "no"}, taken);
    return t.reason + ": " + t.message;
  };
  BOOST_TEST(result(ec::exists, {"it has no owner"})
             == "ErrResourceExists: Resource \"j-config\" of MPIJobKind "
                "\"ConfigMap\" already exists and is not managed by MPIJob; it "
                "has no owner");
  BOOST_TEST(result(ec::exists, {})
             == "FailedCreateConfigMap: Error creating: no");
  BOOST_TEST(result(ec::forbidden, {})
             == "FailedCreateConfigMap: Error creating: no");
}

BOOST_AUTO_TEST_CASE(an_event_says_who_frees_a_name) {
  const next_move kubelet{mover::cluster, "the kubelet"};
  const troupe::k8s::failure no{troupe::k8s::ec::exists, "no"};
  job j;
  j.kind = troupe::frameworks::find("TFJob");
  create_child worker{child_kind::pod, {"worker", 0}, ""};
  auto event = child_create_failed_event(worker, j, no, kubelet);
  BOOST_TEST(event.message == "Error creating: no (whose move: the kubelet)");
  create_auxiliary files{
      auxiliary_object{child_kind::config_map, "j-config", "", ""}, ""};
  const troupe::k8s::failure late{troupe::k8s::ec::timeout, "no"};
  const ownership_conflict leaving{"it is being deleted", kubelet};
  BOOST_TEST(child_create_failed_event(files, j, late, leaving).message
             == "Error creating: no (whose move: the kubelet)");
}

BOOST_AUTO_TEST_CASE(decisions_read_as_sentences) {
  BOOST_TEST(
      describe_decision(create_child{child_kind::pod, {"worker", 1}, "why"})
      == "create pod worker-1: why");
  BOOST_TEST(describe_decision(
                 delete_child{child_kind::service, {"ps", 0}, "n", "u", "why"})
             == "delete service n: why");
  BOOST_TEST(describe_decision(delete_job{"u", "why"})
             == "delete the job: why");
}

BOOST_AUTO_TEST_SUITE_END()
