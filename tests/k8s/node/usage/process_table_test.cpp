#include "k8s/node/usage/process_table.hpp"

#include <boost/test/unit_test.hpp>

#include <unistd.h>

using namespace troupe::k8s::node;

namespace {

/// /proc/PID/stat with these fields, and what does not matter.
std::string stat(const std::string& name, int parent, int user, int system,
                 int pages) {
  return "7 (" + name + ") S " + std::to_string(parent)
         + " 7 7 0 -1 4194304 1 0 0 0 " + std::to_string(user) + " "
         + std::to_string(system) + " 0 0 20 0 1 0 99 5000 "
         + std::to_string(pages) + " 18446744073709551615 1 1";
}

} // namespace

BOOST_AUTO_TEST_SUITE(process_table_test)

BOOST_AUTO_TEST_CASE(the_text_of_proc_is_read) {
  auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (auto name : {"python3", "a b", "c) S 3 (", ""})
    BOOST_TEST_CONTEXT(name) {
      auto s = parse_process_stat(stat(name, 5, 30, 12, 10));
      BOOST_REQUIRE(s);
      BOOST_TEST(s->parent == 5);
      BOOST_TEST(s->cpu_seconds == 42 / ticks);
      BOOST_TEST(s->memory == 10 * ::sysconf(_SC_PAGESIZE));
    }
  for (auto text : {"", "7", "7 (a) S", "7 (a) S x 7 7 0 -1 0 1 0 0 0 1 1 0 0"})
    BOOST_TEST(!parse_process_stat(text));
}

BOOST_AUTO_TEST_CASE(a_tree_is_a_process_and_all_its_descendants) {
  process_table all;
  all.add_process(1, {0, 100, 100});
  all.add_process(2, {1, 1, 10});
  all.add_process(3, {2, 2, 20});
  all.add_process(4, {3, 4, 40});
  all.add_process(5, {1, 8, 80});
  auto sum = all.sum_usage_of_tree(2);
  BOOST_TEST(sum.cpu == 7);
  BOOST_TEST(sum.memory == 70);
  BOOST_TEST(all.sum_usage_of_tree(6).memory == 0);
}

BOOST_AUTO_TEST_CASE(this_process_is_found) {
  BOOST_TEST(read_process_table().sum_usage_of_tree(::getpid()).memory > 0);
  BOOST_TEST(read_host_usage().memory > 0);
}

BOOST_AUTO_TEST_SUITE_END()
