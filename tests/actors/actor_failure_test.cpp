#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <map>

// Every kind of actor fails in the middle of its work; the outcome for the job
// must be the same.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(actor_failure_test)

namespace {

/// A job, the objects that it needs, and the pod that it succeeds with.
struct sample {
  std::string plural;
  json spec;
  std::string leader;
  std::map<std::string, std::size_t> objects;
};

sample sample_of(const std::string& name) {
  if (name == "MPIJob")
    return {"mpijobs",
            {{"mpiReplicaSpecs",
              {{"Launcher", replica_spec(1, "mpi")},
               {"Worker", replica_spec(2, "mpi")}}}},
            "job-launcher",
            {{"pods", 3},
             {"configmaps", 1},
             {"serviceaccounts", 1},
             {"roles", 1},
             {"rolebindings", 1},
             {"podgroups", 1}}};
  return {"tfjobs",
          {{"tfReplicaSpecs",
            {{"Worker", replica_spec(3, "tensorflow")},
             {"PS", replica_spec(2, "tensorflow")}}}},
          "job-worker-0",
          {{"pods", 5}, {"services", 5}, {"podgroups", 1}}};
}

} // namespace

BOOST_DATA_TEST_CASE(
    a_failed_actor_is_replaced_and_the_job_goes_on,
    boost::unit_test::data::make({"watcher", "directory", "job-supervisor",
                                  "replica-group", "gateway", "event-recorder"})
        * boost::unit_test::data::make({"TFJob", "MPIJob"}),
    name, kind) {
  const auto wanted = sample_of(kind);
  // It fails before its first, second, ... message.
  for (int message = 1; message <= 12; ++message) {
    auto api = std::make_shared<fake_api>();
    operator_fixture op{api, scheduled_by(core::gang::coscheduling)};
    op.start();
    op.run_until_idle();
    api->create(wanted.plural, manifest_of(kind, wanted.spec));
    int seen = 0;
    bool failed = false;
    for (int i = 0; i < 100000; ++i) {
      if (!failed && op.runnable_actors() > 0) {
        auto& jobs = dynamic_cast<caf::scheduler::test_coordinator&>(
                         op.system().scheduler())
                         .jobs;
        auto* next = dynamic_cast<caf::scheduled_actor*>(jobs.front());
        if (next && std::string{name} == next->name() && ++seen == message)
          failed = op.fail_runnable_actor(name);
      }
      if (op.runnable_actors() > 0)
        op.run_one(0);
      else if (!api->pending().empty())
        api->answer(0);
      else if (!api->streams_behind().empty())
        api->deliver_all();
      else
        break;
    }
    op.advance(2min);
    for (const auto& [what, count] : wanted.objects)
      BOOST_TEST(api->all(what).size() == count,
                 what << ", " << name << ", message " << message);
    BOOST_TEST(*op.ready);
    // The operator still works.
    api->change("pods", "ns/" + wanted.leader, [](json& p) {
      auto container = p["spec"]["containers"][0]["name"];
      p["status"] = {{"phase", "Succeeded"},
                     {"containerStatuses",
                      {{{"name", container},
                        {"state", {{"terminated", {{"exitCode", 0}}}}}}}}};
    });
    op.run_until_idle();
    const auto& job = *api->find(wanted.plural, "ns/job");
    BOOST_TEST_INFO(job.dump() << kind);
    BOOST_TEST(job["status"]["conditions"].back()["type"] == "Succeeded",
               name << ", message " << message);
    if (!failed)
      break; // It had no such message.
  }
}

BOOST_AUTO_TEST_SUITE_END()
