#include "k8s/apiserver/controllers/deletion_rings.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(deletion_rings_test)

BOOST_AUTO_TEST_CASE(who_waits_for_himself_in_the_end_is_in_a_ring) {
  struct row {
    /// "ab" means: a waits for b.
    std::vector<std::string> waits;
    std::string ring;
  } rows[] = {
      {{}, ""},
      {{"ab", "bc", "cd"}, ""},
      {{"ab", "ac", "bd", "cd"}, ""},
      {{"aa"}, "a"},
      {{"ab", "ba"}, "ab"},
      {{"ab", "bc", "ca"}, "abc"},
      // Before it and behind it.
      {{"xa", "ab", "ba", "by", "yz"}, "ab"},
      {{"ab", "ba", "cd", "dc"}, "abcd"},
      // Between two.
      {{"ab", "ba", "bm", "mc", "cd", "dc"}, "abcdm"},
      {{"ab", "ab", "ba"}, "ab"},
  };
  for (const auto& r : rows) {
    waiting_owners waiting;
    for (const auto& w : r.waits)
      waiting[{"x", {w[0]}}].push_back({"x", {w[1]}});
    std::string found;
    for (const auto& key : find_deletion_rings(waiting))
      found += key.second;
    BOOST_TEST(found == r.ring);
  }
}

BOOST_AUTO_TEST_SUITE_END()
