#include "actors/admin/job_table.hpp"
#include "tests/actors/admin/job_rows.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::actors;
using namespace troupe::fixtures;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(job_table_test)

BOOST_AUTO_TEST_CASE(a_new_reader_gets_all_rows) {
  job_table table;
  BOOST_TEST(table.changes_since(0).complete);
  table.add_or_update_job(row_of("a"));
  table.add_or_update_job(row_of("b", 2));
  auto all = table.changes_since(0);
  BOOST_TEST(all.complete);
  BOOST_TEST(names_in(all) == (strings{"a:0", "b:2"}), per_element());
}

BOOST_AUTO_TEST_CASE(a_reader_gets_what_changed_since_its_revision) {
  job_table table;
  table.add_or_update_job(row_of("a"));
  table.add_or_update_job(row_of("b"));
  table.add_or_update_job(row_of("c"));
  auto revision = table.changes_since(0).revision;
  table.add_or_update_job(row_of("b", 1));
  table.add_or_update_job(row_of("b", 2));
  table.add_or_update_job(row_of("c")); // As before: no change.
  table.remove_job("a");
  table.remove_job("unknown");
  auto changes = table.changes_since(revision);
  BOOST_TEST(!changes.complete);
  BOOST_TEST(names_in(changes) == (strings{"b:2"}), per_element());
  BOOST_TEST(changes.removed == (strings{"a"}), per_element());
  auto none = table.changes_since(changes.revision);
  BOOST_TEST(none.rows.empty());
  BOOST_TEST(none.removed.empty());
  BOOST_TEST(none.revision == changes.revision);
}

BOOST_AUTO_TEST_CASE(a_job_that_came_back_is_a_row_and_a_removal_before_it) {
  job_table table;
  table.add_or_update_job(row_of("a", 0, "uid-1"));
  auto revision = table.changes_since(0).revision;
  table.remove_job("uid-1");
  table.add_or_update_job(row_of("a", 1, "uid-2"));
  auto changes = table.changes_since(revision);
  BOOST_TEST(names_in(changes) == (strings{"a:1"}), per_element());
  BOOST_TEST(changes.removed == (strings{"uid-1"}), per_element());
}

BOOST_AUTO_TEST_CASE(a_reader_that_was_away_too_long_gets_all_rows) {
  job_table table;
  table.add_or_update_job(row_of("stays"));
  auto revision = table.changes_since(0).revision;
  auto add_and_remove = [&](int times) {
    for (int i = 0; i < times; ++i) {
      table.add_or_update_job(row_of("goes"));
      table.remove_job("goes");
    }
  };
  add_and_remove(1000);
  auto known = table.changes_since(revision);
  BOOST_TEST(!known.complete);
  BOOST_TEST(known.removed.size() == 1000u);
  add_and_remove(1);
  auto forgotten = table.changes_since(revision);
  BOOST_TEST(forgotten.complete);
  BOOST_TEST(names_in(forgotten) == (strings{"stays:0"}), per_element());
}

BOOST_AUTO_TEST_CASE(a_revision_of_another_process_gives_all_rows) {
  job_table table;
  table.add_or_update_job(row_of("a"));
  BOOST_TEST(table.changes_since(4711).complete);
}

BOOST_AUTO_TEST_SUITE_END()
