#include "k8s/apiserver/controllers/job_indexes.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(job_indexes_)

BOOST_AUTO_TEST_CASE(indexes_are_written_as_ranges) {
  const char* const rows[] = {"", "0", "0,1", "0-2", "1,3-5,7", "2,4,5,7-9"};
  for (const auto* text : rows)
    BOOST_TEST(format_job_indexes(parse_job_indexes(text, 10)) == text);
}

BOOST_AUTO_TEST_CASE(what_is_no_index_is_left_out) {
  struct row {
    const char* text;
    const char* kept;
  } rows[] = {{"x,1", "1"},          {"-1", ""},      {"3-1", ""},
              {"1-99999999999", ""}, {"1-50", "1-4"}, {"7", ""}};
  for (const auto& r : rows)
    BOOST_TEST(format_job_indexes(parse_job_indexes(r.text, 5)) == r.kept,
               r.text);
}

BOOST_AUTO_TEST_SUITE_END()
