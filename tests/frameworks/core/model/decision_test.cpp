#include "frameworks/core/model/decision.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::core;

BOOST_AUTO_TEST_SUITE(decision_test)

BOOST_AUTO_TEST_CASE(each_decision_is_a_sentence_with_its_reason) {
  const slot at{"worker", 1};
  const create_auxiliary config{
      auxiliary_object{child_kind::config_map, "job-config", "", ""}, "why"};
  update_auxiliary update;
  update.kind = child_kind::role;
  update.name = "job-launcher";
  update.why = "why";
  const read_auxiliary read{child_kind::config_map, "job-config", "u", "why"};
  struct row {
    decision d;
    const char* sentence;
  };
  // clang-format off
  const row rows[] = {
      {create_child{child_kind::pod, at, "why"}, "create pod worker-1: why"},
      {create_child{child_kind::service, at, "why"}, "create service worker-1: why"},
      {config, "create config map job-config: why"},
      {update, "update role job-launcher: why"},
      {read, "read config map job-config: why"},
      {annotate_pod{at, "p", "u", "why"}, "annotate pod p: why"},
      {delete_child{child_kind::pod, at, "p", "u", "why"}, "delete pod p: why"},
      {adopt_child{child_kind::service, at, "s", "u", "why"}, "adopt service s: why"},
      {release_child{child_kind::pod, at, "p", "u", "why"}, "release pod p: why"},
      {delete_job{"u", "why"}, "delete the job: why"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST(describe_decision(r.d) == r.sentence);
}

BOOST_AUTO_TEST_SUITE_END()
