#include "tests/fixtures/stage.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <map>

// Every kind of actor is killed in mid-work; the job must come out as if
// nothing had happened.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(killing_test)

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

json replica(int count, const char* container) {
  return {
      {"replicas", count},
      {"template",
       {{"spec", {{"containers", {{{"name", container}, {"image", "i"}}}}}}}}};
}

/// A job, what it is to have, and the pod that it succeeds with.
struct sample {
  std::string plural;
  json spec;
  std::string leader;
  std::map<std::string, std::size_t> parts;
};

sample sample_named(const std::string& name) {
  if (name == "MPIJob")
    return {
        "mpijobs",
        {{"mpiReplicaSpecs",
          {{"Launcher", replica(1, "mpi")}, {"Worker", replica(2, "mpi")}}}},
        "job-launcher",
        {{"pods", 3},
         {"configmaps", 1},
         {"serviceaccounts", 1},
         {"roles", 1},
         {"rolebindings", 1},
         {"podgroups", 1}}};
  return {"tfjobs",
          {{"tfReplicaSpecs",
            {{"Worker", replica(3, "tensorflow")},
             {"PS", replica(2, "tensorflow")}}}},
          "job-worker-0",
          {{"pods", 5}, {"services", 5}, {"podgroups", 1}}};
}

json job_of(const sample& s, const std::string& kind) {
  return {{"apiVersion", "kubeflow.org/v1"},
          {"kind", kind},
          {"metadata", {{"name", "job"}, {"namespace", "ns"}}},
          {"spec", s.spec}};
}

std::shared_ptr<actors::tuning> with_gangs() {
  auto sizes = std::make_shared<actors::tuning>();
  sizes->cluster.scheduling = core::gang::coscheduling;
  sizes->cluster.gang_scheduler = "gang";
  return sizes;
}

} // namespace

BOOST_DATA_TEST_CASE(
    a_dead_actor_is_replayed_into_life,
    boost::unit_test::data::make({"watcher", "directory", "job-supervisor",
                                  "replica-group", "gateway", "event-recorder"})
        * boost::unit_test::data::make({"TFJob", "MPIJob"}),
    name, kind) {
  const auto wanted = sample_named(kind);
  // Killed before its first, second, ... turn at work.
  for (int turn = 1; turn <= 12; ++turn) {
    auto api = std::make_shared<fake_api>();
    stage on{api, with_gangs()};
    on.begin();
    on.settle();
    api->create(wanted.plural, job_of(wanted, kind));
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
    for (const auto& [what, count] : wanted.parts)
      BOOST_TEST(api->all(what).size() == count,
                 what << ", " << name << ", turn " << turn);
    BOOST_TEST(*on.ready);
    // It works on, too.
    api->change("pods", "ns/" + wanted.leader, [](json& p) {
      auto box = p["spec"]["containers"][0]["name"];
      p["status"] = {
          {"phase", "Succeeded"},
          {"containerStatuses",
           {{{"name", box}, {"state", {{"terminated", {{"exitCode", 0}}}}}}}}};
    });
    on.settle();
    const auto& job = *api->find(wanted.plural, "ns/job");
    BOOST_TEST_INFO(job.dump() << kind);
    BOOST_TEST(job["status"]["conditions"].back()["type"] == "Succeeded",
               name << ", turn " << turn);
    if (!killed)
      break; // It has no more turns.
  }
}

BOOST_AUTO_TEST_SUITE_END()
