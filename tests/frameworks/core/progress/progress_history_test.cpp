#include "frameworks/core/progress/progress_history.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace troupe;
using namespace troupe::core;
using namespace std::chrono_literals;
using troupe::fixtures::base_time;

BOOST_AUTO_TEST_SUITE(progress_history_test)

namespace {

progress_status report(int second, std::vector<progress_metric> metrics = {}) {
  progress_status p;
  p.time = base_time + std::chrono::seconds{second};
  p.metrics = std::move(metrics);
  return p;
}

} // namespace

BOOST_AUTO_TEST_CASE(numbers_have_points_and_texts_have_none) {
  progress_history h;
  h.add(report(0, {{"loss", "0.5"}, {"stage", "warm-up"}}));
  h.add(report(1, {{"loss", "nan"}, {"accuracy", "1e-1"}}));
  h.add(report(2, {{"accuracy", "0.2x"}, {"loss", "0.25"}}));
  BOOST_TEST(h.names() == (std::vector<std::string>{"loss", "accuracy"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE(h.points().size() == 3);
  BOOST_TEST(h.points()[0].values[0] == 0.5);
  BOOST_TEST(std::isnan(h.points()[0].values[1]));
  BOOST_TEST(std::isnan(h.points()[1].values[0]));
  BOOST_TEST(h.points()[1].values[1] == 0.1);
  BOOST_TEST(h.points()[2].values[0] == 0.25);
  BOOST_TEST(std::isnan(h.points()[2].values[1]));
}

BOOST_AUTO_TEST_CASE(however_many_reports_come_it_stays_small) {
  progress_history h;
  for (int i = 0; i < 10'000; ++i) {
    h.add(report(i, {{"loss", std::to_string(i)}}));
    BOOST_TEST_REQUIRE(h.points().size() <= progress_history::most_points);
    BOOST_TEST_REQUIRE(h.points().back().values[0] == i);
  }
  BOOST_TEST(h.points().size() > progress_history::most_points / 3);
  BOOST_TEST(h.points().front().values[0] == 0);
  for (std::size_t i = 1; i < h.points().size(); ++i)
    BOOST_TEST((h.points()[i - 1].time < h.points()[i].time));
}

BOOST_AUTO_TEST_CASE(only_the_first_metrics_have_points) {
  progress_history h;
  std::vector<progress_metric> many;
  for (std::size_t i = 0; i < 2 * progress_history::most_metrics; ++i)
    many.push_back({"m" + std::to_string(i), "1"});
  h.add(report(0, many));
  BOOST_TEST(h.names().size() == progress_history::most_metrics);
}

BOOST_AUTO_TEST_SUITE_END()
