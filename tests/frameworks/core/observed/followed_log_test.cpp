#include "frameworks/core/observed/followed_log.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(followed_log_test)

namespace {

json rules(json more = json::object()) {
  json out{{"logRules", {{{"pattern", "loss=(?P<loss>.)"}}}}};
  out.update(more);
  return out;
}

std::string replica_of(const job_builder& b) {
  core::job j = job_builder{b};
  auto at = core::replica_of_log(j);
  return at ? core::to_string(*at) : "";
}

struct log_fixture : job_fixture {
  log_fixture()
      : job_fixture(make_job().workers(2).policy("progress", rules())) {
    all_services();
  }

  std::string followed() const {
    auto log = core::log_to_follow(j, seen, saved);
    return log ? log->pod + " " + log->container
                     + (log->pod_ended ? " ended" : "")
               : "";
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(whose_log_it_is) {
  auto worker_1 = rules({{"logReplica", {{"type", "Worker"}, {"index", 1}}}});
  struct row {
    job_builder job;
    const char* replica;
  };
  const row rows[] = {
      {make_job_of("PyTorchJob").type("Master", 1).workers(2), ""},
      {make_job_of("PyTorchJob")
           .type("Master", 1)
           .workers(2)
           .policy("progress", rules()),
       "master-0"},
      {make_job_of("PyTorchJob").workers(2).policy("progress", rules()),
       "worker-0"},
      {make_job().type("PS", 1).workers(2).policy("progress", rules()),
       "worker-0"},
      {make_job_of("JAXJob").workers(2).policy("progress", rules()),
       "worker-0"},
      {make_job_of("MPIJob")
           .type("Launcher", 1)
           .workers(2)
           .policy("progress", rules()),
       "launcher-0"},
      {make_job_of("PyTorchJob")
           .type("Master", 1)
           .workers(2)
           .policy("progress", worker_1),
       "worker-1"},
      // Which it does not have (any more).
      {make_job_of("PyTorchJob")
           .type("Master", 1)
           .workers(1)
           .policy("progress", worker_1),
       ""},
  };
  int number = 0;
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT("row " << number++) {
      BOOST_TEST(replica_of(r.job) == r.replica);
    }
}

BOOST_FIXTURE_TEST_CASE(a_log_is_read_from_the_start_of_its_pod_on,
                        log_fixture) {
  BOOST_TEST(followed() == "");
  observe({pod("worker", 0), pod("worker", 1).running()});
  BOOST_TEST(followed() == "");
  observe({pod("worker", 0).running().version(2)});
  BOOST_TEST(followed() == "job-worker-0 tensorflow");
  observe({pod("worker", 0).succeeded().version(3)});
  BOOST_TEST(followed() == "job-worker-0 tensorflow ended");
}

BOOST_FIXTURE_TEST_CASE(of_two_pods_it_is_that_of_the_later_one, log_fixture) {
  observe({pod("worker", 0).running().deleting()});
  BOOST_TEST(followed() == "job-worker-0 tensorflow");
  // It has begun to be another log.
  observe({pod("worker", 0).uid("next").version(5)});
  BOOST_TEST(followed() == "");
  observe({pod("worker", 0).uid("next").running().version(6)});
  BOOST_TEST(core::log_to_follow(j, seen, saved)->pod_uid == "next");
}

BOOST_FIXTURE_TEST_CASE(pods_of_others_are_not_read, log_fixture) {
  observe({pod("worker", 0).running().orphan()});
  BOOST_TEST(followed() == "");
}

BOOST_FIXTURE_TEST_CASE(a_job_that_had_ended_is_not_read_again, log_fixture) {
  observe({pod("worker", 0).succeeded(), pod("worker", 1).succeeded()});
  pass();
  BOOST_TEST(status.is_finished());
  BOOST_TEST(followed() == "job-worker-0 tensorflow ended");
  save();
  BOOST_TEST(followed() == "");
}

BOOST_AUTO_TEST_SUITE_END()
