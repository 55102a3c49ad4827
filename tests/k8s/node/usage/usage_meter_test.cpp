#include "k8s/node/usage/usage_meter.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(usage_meter_test)

BOOST_AUTO_TEST_CASE(cpu_is_an_average_since_the_sample_before) {
  const usage_meter::time began{100s};
  usage_meter meter;
  struct {
    std::chrono::milliseconds after; ///< The beginning.
    double cpu_seconds;
    double cores;
  } rows[] = {
      {10s, 5, 0.5},    // Since the beginning.
      {12s, 9, 2},      // Since the sample before.
      {12'100ms, 9, 2}, // Too soon to say more.
      {14s, 9, 0},      // Idle since then.
      {15s, 0.5, 0.5},  // Started again.
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.after.count()) {
      auto used = meter.add_sample_and_compute_usage("c", {row.cpu_seconds, 7},
                                                     began, began + row.after);
      BOOST_TEST(used.cpu == row.cores, boost::test_tools::tolerance(1e-9));
      BOOST_TEST(used.memory == 7);
    }
}

BOOST_AUTO_TEST_CASE(what_has_just_begun_has_no_excessive_average) {
  const usage_meter::time began{100s};
  usage_meter meter;
  BOOST_TEST(meter.add_sample_and_compute_usage("c", {0.1, 0}, began, began).cpu
             == 0.2);
}

BOOST_AUTO_TEST_CASE(what_was_not_measured_for_long_begins_anew) {
  const usage_meter::time began{100s};
  usage_meter meter;
  meter.add_sample_and_compute_usage("c", {4, 0}, began, began + 2s);
  meter.drop_samples_before(began + 3s);
  BOOST_TEST(
      meter.add_sample_and_compute_usage("c", {4, 0}, began, began + 4s).cpu
      == 1);
}

BOOST_AUTO_TEST_SUITE_END()
