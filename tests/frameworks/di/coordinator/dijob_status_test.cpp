#include "frameworks/di/coordinator/dijob_status.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
namespace di = frameworks::di;

BOOST_AUTO_TEST_SUITE(dijob_status_test)

BOOST_AUTO_TEST_CASE(the_four_roles_are_always_there) {
  core::job_status s;
  s.phase = "Created";
  s.replicas["Collector"].active = 2;
  BOOST_TEST((json::parse(di::status_format().encode(s))
              == (json{{"phase", "Created"},
                       {"replicaStatus",
                        {{"Aggregator", json::object()},
                         {"Collector", {{"active", 2}}},
                         {"Coordinator", json::object()},
                         {"Learner", json::object()}}}})));
}

BOOST_AUTO_TEST_CASE(a_status_is_read_as_it_was_written) {
  core::job_status s;
  s.phase = "Running";
  s.set_condition("Created", true, "DIJobCreated", "m", base_time);
  for (const char* type : {"Aggregator", "Collector", "Coordinator", "Learner"})
    s.replicas[type].failed = 1;
  auto format = di::status_format();
  BOOST_TEST((format.decode(format.encode(s)) == s));
}

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_empty) {
  for (const char* odd : {"", "null", "3", "[]", "{}", R"({"phase":3})",
                          R"({"conditions":{},"replicaStatus":[]})",
                          R"({"replicaStatus":{"Other":{"active":1}}})"}) {
    auto s = di::status_format().decode(odd);
    BOOST_TEST(s.phase == "");
    BOOST_TEST(s.conditions.empty());
    BOOST_TEST(s.replicas.size() == 4u);
    BOOST_TEST(s.replicas["Collector"].active == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
