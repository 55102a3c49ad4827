#include "actors/base/joined_responses.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(joined_responses_test)

namespace {

/// Sources that respond when the test does.
struct joined_fixture {
  std::vector<take_responses> asked;
  std::string joined = "none";

  void join(std::size_t sources) {
    join_responses_in_order(
        std::vector<response_source>(
            sources,
            [this](take_responses take) { asked.push_back(std::move(take)); }),
        [this](std::vector<job_response> all) {
          joined.clear();
          for (const auto& r : all)
            joined += r.message;
        });
  }

  static job_response saying(const char* text) {
    job_response r;
    r.message = text;
    return r;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(they_come_in_the_order_of_the_sources, joined_fixture) {
  join(4);
  BOOST_REQUIRE(asked.size() == 4u);
  asked[2]({saying("d")});
  asked[0]({saying("a"), saying("b")});
  asked[3]({});
  BOOST_TEST(joined == "none");
  asked[1]({saying("c")});
  BOOST_TEST(joined == "abcd");
}

BOOST_FIXTURE_TEST_CASE(of_no_source_there_are_none, joined_fixture) {
  join(0);
  BOOST_TEST(joined == "");
}

BOOST_AUTO_TEST_SUITE_END()
