#include "frameworks/di/tasks/tasks_addresses.hpp"
#include "frameworks/di/tasks/tasks_request.hpp"
#include "tests/frameworks/di/tasks/tasks_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(tasks_addresses_test)

using namespace troupe::frameworks::di;

namespace {

child_builder addressed(const char* task, int index, const char* ip,
                        int port = 0) {
  auto built = pod(task, index);
  built.state().ips = {ip};
  if (port > 0)
    built.state().ports =
        std::make_shared<const std::vector<k8s::declared_port>>(
            std::vector<k8s::declared_port>{{"di-container", "di-port", port}});
  return built;
}

job_fixture
learner_and_collectors(std::initializer_list<child_builder> children) {
  job_fixture s{make_tasks_job(tasks_spec())};
  s.observe(children);
  return s;
}

core::job_response ask(const job_fixture& s, task_verb verb,
                       const std::string& source = "") {
  auto q = std::make_shared<task_request>();
  q->verb = verb;
  q->source = source;
  const core::cluster_options cluster;
  const std::function<double()> random = [] { return 0.0; };
  auto step =
      make_task_request_execution(q)->begin({s.j, s.seen, cluster, random});
  BOOST_REQUIRE(step.response.has_value());
  return *step.response;
}

} // namespace

BOOST_AUTO_TEST_CASE(addresses_are_in_the_order_of_ranks) {
  auto s = learner_and_collectors({addressed("collector", 1, "10.0.0.3"),
                                   pod("collector", 0),
                                   addressed("learner", 0, "10.0.0.1", 7777)});
  BOOST_TEST(addresses_by_rank_json_or_null(s.j, s.seen)
             == R"(["10.0.0.1:7777","","10.0.0.3:22270"])");
}

BOOST_AUTO_TEST_CASE(without_an_address_there_is_no_list) {
  auto s = learner_and_collectors({pod("learner", 0), pod("collector", 0)});
  BOOST_TEST(addresses_by_rank_json_or_null(s.j, s.seen) == "null");
}

BOOST_AUTO_TEST_CASE(pods_that_go_or_have_no_place_are_left_out) {
  auto s = learner_and_collectors(
      {addressed("learner", 0, "10.0.0.1").deleting(),
       addressed("collector", 2, "10.0.0.2"),
       addressed("collector", 0, "10.0.0.3").owned_by("another"),
       addressed("collector", 1, "10.0.0.4")});
  BOOST_TEST(addresses_by_rank_json_or_null(s.j, s.seen)
             == R"(["","","10.0.0.4:22270"])");
}

BOOST_AUTO_TEST_CASE(only_pods_of_the_job_may_ask) {
  auto s = learner_and_collectors({addressed("learner", 0, "10.0.0.1")});
  const std::pair<task_verb, const char*> verbs[] = {
      {task_verb::list, "successfully get replicas"},
      {task_verb::add, "successfully add replicas"},
      {task_verb::remove, "successfully delete replicas"},
      {task_verb::report, "successfully report profilings"}};
  for (const auto& [verb, message] : verbs) {
    auto r = ask(s, verb, "10.0.0.1");
    BOOST_TEST(r.status == 200);
    BOOST_TEST(r.message == message);
    BOOST_TEST(
        r.data
        == (verb == task_verb::list ? R"(["10.0.0.1:22270","",""])" : "null"));
    r = ask(s, verb, "10.0.0.9");
    BOOST_TEST(r.status == 403);
    BOOST_TEST(
        r.message
        == "only pods of DIJob: default/cp may ask for its replicas, and "
           "none of them has the address 10.0.0.9; a pod that has ended or "
           "shares the network of its node is not known by its address: see "
           "--di-server-access");
  }
}

BOOST_AUTO_TEST_SUITE_END()
