#include "k8s/node/pods/pod_address_allocator.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(pod_address_allocator_test)

BOOST_AUTO_TEST_CASE(addresses_are_unique_and_reused_late) {
  pod_address_allocator block;
  std::set<std::string> all;
  auto first = block.allocate_or_empty();
  block.release(first);
  for (int i = 0; i < 1000; ++i)
    all.insert(block.allocate_or_empty());
  BOOST_TEST(all.size() == 1000u);
  BOOST_TEST(all.count(first) == 0u);
  BOOST_TEST(first.rfind("127.", 0) == 0u);
  BOOST_TEST(first.rfind("127.0.", 0) != 0u);
}

BOOST_AUTO_TEST_CASE(pods_in_namespaces_have_addresses_of_the_bridge) {
  pod_address_allocator block{isolation_kind::namespaces};
  BOOST_TEST(block.allocate_or_empty() == "10.244.1.0");
  BOOST_TEST(block.allocate_or_empty() == "10.244.1.1");
  block.release("10.244.1.0");
  BOOST_TEST(block.allocate_or_empty() == "10.244.1.2");
  pod_address_allocator other{isolation_kind::namespaces,
                              {(172u << 24) | (30u << 16)}};
  BOOST_TEST(other.allocate_or_empty() == "172.30.1.0");
  other.release("172.30.1.0");
}

BOOST_AUTO_TEST_CASE(without_isolation_all_have_the_loopback_address) {
  pod_address_allocator block{isolation_kind::none};
  BOOST_TEST(block.allocate_or_empty() == "127.0.0.1");
  BOOST_TEST(block.allocate_or_empty() == "127.0.0.1");
}

BOOST_AUTO_TEST_CASE(two_nodes_share_no_address) {
  pod_address_allocator one, two;
  BOOST_TEST(one.allocate_or_empty() != two.allocate_or_empty());
}

BOOST_AUTO_TEST_CASE(all_addresses_can_be_had_and_none_twice) {
  pod_address_allocator block;
  std::set<std::string> all;
  for (int i = 0; i < 65'000; ++i)
    all.insert(block.allocate_or_empty());
  BOOST_TEST(all.size() == 65'000u);
  BOOST_TEST(block.allocate_or_empty() == "");
  block.release("no address");
  BOOST_TEST(block.allocate_or_empty() == "");
  auto some = *all.begin();
  block.release(some);
  BOOST_TEST(block.allocate_or_empty() == some);
}

BOOST_AUTO_TEST_SUITE_END()
