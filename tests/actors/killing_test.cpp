#include "tests/fixtures/stage.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

// Every kind of actor is killed in mid-work; the job must come out as if
// nothing had happened.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

namespace {

/// The `which`-th living actor of this name, or null. Actors under the test
/// coordinator register only when they ask to, so they are found by the jobs
/// that are theirs to run.
bool kill_one(stage& on, const std::string& name) {
  auto& jobs =
      dynamic_cast<caf::scheduler::test_coordinator&>(on.system().scheduler())
          .jobs;
  for (auto* job : jobs) {
    auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
    if (actor && actor->name() == name) {
      caf::anon_send_exit(actor->address(), caf::exit_reason::unknown);
      return true;
    }
  }
  return false;
}

json job_object() {
  auto replica = [](int n) {
    return json{
        {"replicas", n},
        {"template",
         {{"spec",
           {{"containers", {{{"name", "tensorflow"}, {"image", "i"}}}}}}}}};
  };
  return {{"apiVersion", "kubeflow.org/v1"},
          {"kind", "TFJob"},
          {"metadata", {{"name", "job"}, {"namespace", "ns"}}},
          {"spec",
           {{"tfReplicaSpecs", {{"Worker", replica(3)}, {"PS", replica(2)}}}}}};
}

} // namespace

BOOST_DATA_TEST_CASE(a_dead_actor_is_replayed_into_life,
                     boost::unit_test::data::make({"watcher", "directory",
                                                   "job-supervisor",
                                                   "replica-group", "gateway",
                                                   "event-recorder"}),
                     name) {
  // Killed before its first, second, ... turn at work.
  for (int turn = 1; turn <= 12; ++turn) {
    auto api = std::make_shared<fake_api>();
    stage on{api};
    on.begin();
    on.settle();
    api->create("tfjobs", job_object());
    int seen = 0;
    bool killed = false;
    for (int i = 0; i < 100000; ++i) {
      if (!killed && on.runnable() > 0) {
        auto& jobs = dynamic_cast<caf::scheduler::test_coordinator&>(
                         on.system().scheduler())
                         .jobs;
        auto* next = dynamic_cast<caf::scheduled_actor*>(jobs.front());
        if (next && std::string{name} == next->name() && ++seen == turn)
          killed = kill_one(on, name);
      }
      if (on.runnable() > 0)
        on.run_one(0);
      else if (!api->pending().empty())
        api->answer(0);
      else if (!api->lagging().empty())
        api->deliver_all();
      else
        break;
    }
    on.advance(2min);
    BOOST_TEST(api->all("pods").size() == 5u, name << ", turn " << turn);
    BOOST_TEST(api->all("services").size() == 5u, name << ", turn " << turn);
    BOOST_TEST(api->calls["create pods"] >= 5);
    BOOST_TEST(*on.ready);
    // It works on, too.
    api->change("pods", "ns/job-worker-0", [](json& p) {
      p["status"] = {{"phase", "Succeeded"},
                     {"containerStatuses",
                      {{{"name", "tensorflow"},
                        {"state", {{"terminated", {{"exitCode", 0}}}}}}}}};
    });
    on.settle();
    const auto& job = *api->find("tfjobs", "ns/job");
    BOOST_TEST_INFO(job.dump() << api->find("pods", "ns/job-worker-0")->dump());
    BOOST_TEST(job["status"]["conditions"].back()["type"] == "Succeeded",
               name << ", turn " << turn);
    if (!killed)
      break; // It has no more turns.
  }
}
