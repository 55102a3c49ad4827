#include "frameworks/core/waiting/waiting_calls.hpp"
#include "tests/frameworks/core/waiting/waiting_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using k8s::ec;

BOOST_AUTO_TEST_SUITE(waiting_calls_test)

namespace {

const core::creation_key worker_0{core::child_kind::pod,
                                  core::slot{"worker", 0}};

/// Three times; tried again in 20 s.
waiting_fixture refused(const k8s::failure& why,
                        const std::optional<core::next_move>& whose_move = {}) {
  waiting_fixture w;
  w.open.expect_creation(worker_0, w.now);
  for (int i = 0; i < 3; ++i)
    w.open.block_creation_after_failure(worker_0, w.now + 20s, why, whose_move);
  return w;
}

} // namespace

BOOST_AUTO_TEST_CASE(calls_that_are_refused) {
  struct refusal {
    ec code;
    const char* message;
    const char* who;
    const char* row;
  };
  const refusal rows[] = {
      {ec::forbidden,
       "pods \"job-worker-0\" is forbidden: exceeded quota: gpus, requested: "
       "pods=1, used: pods=4, limited: pods=4",
       "a person, who raises the quota or deletes other objects",
       "failed-call person"},
      {ec::forbidden,
       "pods \"job-worker-0\" is forbidden: violates PodSecurity "
       "\"restricted:latest\": runAsNonRoot != true",
       "a person, who changes the pod template or the level of the namespace",
       "failed-call person"},
      {ec::forbidden,
       "admission webhook \"images.example.com\" denied the request: no tag",
       "a person, who does what the webhook asks for", "failed-call person"},
      {ec::invalid,
       "admission webhook \"images.example.com\" denied the request: no tag",
       "a person, who does what the webhook asks for", "failed-call person"},
      {ec::server_error,
       "Internal error occurred: failed calling webhook \"x.example.com\"",
       "a person, who repairs that webhook", "failed-call person"},
      {ec::forbidden,
       "pods is forbidden: User \"system:serviceaccount:a:b\" cannot create "
       "resource \"pods\"",
       "a person, who grants the operator this right", "failed-call person"},
      {ec::forbidden,
       "pods \"x\" is forbidden: unable to create new content in namespace a "
       "because it is being terminated",
       "nobody: the namespace is being deleted", "failed-call nobody"},
      {ec::forbidden, "no", "a person, who grants the operator this right",
       "failed-call person"},
      {ec::unauthenticated, "Unauthorized",
       "a person, who grants the operator this right", "failed-call person"},
      {ec::invalid, "Pod \"x\" is invalid: spec.containers[0].image",
       "a person, who corrects the job", "failed-call person"},
      {ec::exists, "pods \"x\" already exists",
       "a person, who deletes the other object of this name",
       "failed-call person"},
      {ec::conflict, "the object has been modified", "the operator",
       "failed-call operator"},
      {ec::not_found, "not found", "the operator", "failed-call operator"},
      {ec::unreachable, "connection refused", "the API server",
       "failed-call cluster"},
      {ec::overloaded, "too many requests", "the API server",
       "failed-call cluster"},
  };
  for (const auto& r : rows) {
    auto w = refused({r.code, r.message});
    BOOST_TEST(w.answer()
               == std::string{"the creation of pod worker-0, which has failed "
                              "3 times: "}
                      + r.message + "; it is tried again in 20s (" + r.who
                      + ")");
    BOOST_TEST(w.row() == r.row);
  }
}

BOOST_AUTO_TEST_CASE(what_has_the_name_and_is_ending_needs_no_person) {
  auto w = refused({ec::exists, "pods \"x\" already exists; the former "
                                "TFJob's pod is being deleted"},
                   core::next_move{core::mover::cluster, "the kubelet"});
  BOOST_TEST(
      w.answer()
      == "the creation of pod worker-0, which has failed 3 times: pods \"x\" "
         "already exists; the former TFJob's pod is being deleted; it is tried "
         "again when that is gone (the kubelet)");
  BOOST_TEST(w.row() == "failed-call cluster");
}

BOOST_AUTO_TEST_CASE(the_call_that_failed_most_often_is_told) {
  auto w = refused({ec::forbidden, "no"});
  const core::creation_key other{core::child_kind::service,
                                 core::slot{"worker", 0}};
  w.open.block_creation_after_failure(other, w.now + 5s, {ec::invalid, "odd"});
  BOOST_TEST(w.reason()->what == "the creation of pod worker-0");
  for (int i = 0; i < 3; ++i)
    w.open.block_creation_after_failure(other, w.now + 5s,
                                        {ec::invalid, "odd"});
  BOOST_TEST(w.reason()->what == "the creation of service worker-0");
  w.now += 6s; // It may be sent any moment.
  BOOST_TEST(w.answer()
             == "the creation of service worker-0, which has failed 4 times: "
                "odd (a person, who corrects the job)");
}

BOOST_AUTO_TEST_CASE(calls_without_an_answer) {
  waiting_fixture w;
  w.open.expect_creation(worker_0, w.now);
  BOOST_TEST(w.answer() == "the creation of pod worker-0 (the API server)");
  BOOST_TEST((w.reason()->since == w.now));
  BOOST_TEST(w.row() == "call cluster");
  waiting_fixture d;
  d.observe({pod("worker", 0).running(), pod("worker", 1).running()});
  d.open.expect_operation(core::child_kind::pod, "pod-worker-1",
                          core::operation::delete_object, d.now);
  BOOST_TEST(d.answer() == "the deletion of pod job-worker-1 (the API server)");
}

BOOST_AUTO_TEST_CASE(writes_of_the_status) {
  struct row {
    core::status_write_state write;
    const char* answer;
  } rows[] = {
      {{false, 2, {ec::forbidden, "tfjobs is forbidden: User cannot update"}},
       "the write of its status, which has failed 2 times: tfjobs is "
       "forbidden: User cannot update (a person, who grants the operator this "
       "right)"},
      {{true, 1, {ec::timeout, "timeout"}},
       "the write of its status, which has failed once: timeout (the API "
       "server)"},
      {{false,
        3,
        {ec::forbidden, "tfjobs is forbidden: User cannot patch"},
        true},
       "the write of its restart into the annotation "
       "training.kubeflow.org/recovery, which has failed 3 times: tfjobs is "
       "forbidden: User cannot patch; nothing is stopped or made anew before "
       "it "
       "is saved (a person, who grants the operator this right)"},
      {{true, 0, {ec::timeout, "earlier"}},
       "its processes to end (the processes in its pods)"},
  };
  for (const auto& r : rows) {
    waiting_fixture w;
    w.observe({pod("worker", 0).running(), pod("worker", 1).running()});
    w.supervisor.status_write = r.write;
    BOOST_TEST(w.answer() == r.answer);
  }
}

BOOST_AUTO_TEST_SUITE_END()
