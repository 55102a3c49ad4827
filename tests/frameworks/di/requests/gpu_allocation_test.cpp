#include "frameworks/di/requests/gpu_allocation.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(gpu_allocation_test)

namespace {

using namespace troupe::frameworks::di;
using numbers = std::vector<std::int64_t>;

numbers repeat(std::initializer_list<std::pair<int, int>> groups) {
  numbers result;
  for (auto [times, gpus] : groups)
    result.insert(result.end(), static_cast<std::size_t>(times), gpus);
  return result;
}

std::string slices(std::int64_t wanted, std::int64_t per_node) {
  std::string text;
  for (const auto& s :
       allocate_gpus(**find_gpu_policy("simple"), wanted, per_node))
    text += (text.empty() ? "" : " ") + std::to_string(s.gpus) + "@"
            + std::to_string(s.start_rank) + "/" + std::to_string(s.world_size);
  return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_usual_node_is_the_most_frequent_one) {
  const std::pair<numbers, std::int64_t> rows[] = {
      {{}, 0},
      {{0}, 0},
      {{8, 8, 0, 4}, 8},
      {repeat({{4, 8}, {3, 10}, {3, 6}}), 8},
      {repeat({{4, 8}, {4, 10}, {3, 6}}), 10},
      {{0, 0, 0, 8, 8}, 8},
      {{0, 0, 0, 8, 4}, 8},
      {{0, 4}, 4},
  };
  for (const auto& [nodes, usual] : rows)
    BOOST_TEST(typical_gpus_per_node(nodes) == usual);
}

BOOST_AUTO_TEST_CASE(nodes_are_read_from_a_list) {
  auto usual = typical_gpus_in_node_list(R"({"items":[
      {"status":{"allocatable":{"nvidia.com/gpu":"8"}}},
      {"status":{"allocatable":{"nvidia.com/gpu":8}}},
      {"status":{"allocatable":{"cpu":"4"}}},
      {"status":{}}, {}, {"status":{"allocatable":{"nvidia.com/gpu":"x"}}},
      {"status":{"allocatable":{"nvidia.com/gpu":"8"}}},
      {"status":{"allocatable":{"nvidia.com/gpu":"8"}}},
      {"status":{"allocatable":{"nvidia.com/gpu":"8"}}}]})");
  BOOST_REQUIRE(usual);
  BOOST_TEST(*usual == 8);
  BOOST_TEST(!typical_gpus_in_node_list("{"));
}

BOOST_AUTO_TEST_CASE(a_learner_is_divided_over_nodes) {
  BOOST_TEST(slices(10, 8) == "8@0/10 2@8/10");
  BOOST_TEST(slices(12, 8) == "8@0/12 4@8/12");
  BOOST_TEST(slices(16, 8) == "8@0/16 8@8/16");
  BOOST_TEST(slices(16, 10) == "10@0/16 6@10/16");
  BOOST_TEST(slices(20, 8) == "8@0/20 8@8/20 4@16/20");
  BOOST_TEST(slices(8, 8) == "8@0/8");
  BOOST_TEST(slices(2, 8) == "2@0/2");
  BOOST_TEST(slices(20, 0) == "20@0/20");
}

BOOST_AUTO_TEST_CASE(an_unknown_policy_is_refused) {
  auto policy = find_gpu_policy("best");
  BOOST_REQUIRE(!policy);
  BOOST_TEST(policy.error().message
             == "there is no allocation policy \"best\"; known: simple");
}

BOOST_AUTO_TEST_SUITE_END()
