#include "actors/admin/stream_query.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(stream_query_test)

BOOST_AUTO_TEST_CASE(the_query_names_a_job_or_a_revision) {
  auto parse = [](const char* key, const char* value) {
    k8s::http::request q;
    q.query[key] = value;
    return parse_stream_query(q);
  };
  BOOST_TEST(parse("since", "17")->revision == 17u);
  BOOST_TEST(parse("job", "ns/TFJob/a")->job->kind == "TFJob");
  BOOST_TEST(!parse("", "")->job);
  for (const char* job : {"a", "a/b", "a/b/c/d", "/"})
    BOOST_TEST(parse("job", job).error().message.find("NAMESPACE/KIND/NAME")
               != std::string::npos);
  for (const char* since : {"-1", "x", "1234567890123456789"})
    BOOST_TEST(parse("since", since).error().message.find("revision")
               != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
