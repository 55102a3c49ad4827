#include "frameworks/core/base/retry.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;

BOOST_AUTO_TEST_SUITE(retry_test)

namespace {

/// After this many attempts in a row that ended so.
struct delay_row {
  k8s::ec code;
  int attempt;
  double jitter;
  std::int64_t ms;
};

} // namespace

BOOST_AUTO_TEST_CASE(delays_double_up_to_a_minute) {
  delay_row rows[] = {
      {k8s::ec::server_error, 1, 0, 50},
      {k8s::ec::server_error, 2, 0, 100},
      {k8s::ec::exists, 3, 0, 200},
      {k8s::ec::conflict, 12, 0, 60'000},
      {k8s::ec::conflict, 1'000'000, 0, 60'000},
      {k8s::ec::conflict, 0, 0, 50},
      {k8s::ec::invalid, 1, 0, 5'000},
      {k8s::ec::forbidden, 2, 0, 10'000},
      {k8s::ec::forbidden, 9, 0, 60'000},
      {k8s::ec::unauthenticated, 2, 0, 10'000},
      {k8s::ec::unreachable, 2, 0, 100},
      {k8s::ec::unreachable, 9, 0, 5'000},
      {k8s::ec::server_error, 2, 0.5, 75},
      {k8s::ec::server_error, 2, 1, 50},
  };
  for (const auto& r : rows)
    BOOST_TEST(retry_delay_after({r.code, "", {}}, r.attempt, r.jitter).count()
               == r.ms);
}

BOOST_AUTO_TEST_CASE(a_watcher_is_never_blind_for_long) {
  delay_row rows[] = {
      {k8s::ec::expired, 1, 0, 0},
      {k8s::ec::expired, 1, 0.5, 150},
      {k8s::ec::expired, 2, 0, 100},
      {k8s::ec::expired, 99, 0, 5'000},
      {k8s::ec::unreachable, 1, 0, 50},
      {k8s::ec::unreachable, 99, 0, 5'000},
      {k8s::ec::unreachable, 99, 1, 2'500},
      {k8s::ec::timeout, 99, 0, 5'000},
      {k8s::ec::overloaded, 99, 0, 5'000},
      {k8s::ec::server_error, 99, 0, 5'000},
      {k8s::ec::forbidden, 1, 0, 250},
      {k8s::ec::not_found, 3, 0, 1'000},
      {k8s::ec::forbidden, 99, 0, 60'000},
      {k8s::ec::unauthenticated, 99, 0, 60'000},
      {k8s::ec::garbage, 99, 0, 60'000},
  };
  for (const auto& r : rows)
    BOOST_TEST(
        watch_retry_delay_after({r.code, "", {}}, r.attempt, r.jitter).count()
        == r.ms);
}

BOOST_AUTO_TEST_CASE(any_answer_but_trouble_lets_calls_be_made) {
  using answer = k8s::result<std::string>;
  auto failed = [](k8s::ec code) { return answer{k8s::failure{code, "", {}}}; };
  for (bool was_unreachable : {false, true}) {
    BOOST_TEST(
        answer_means_server_ready(answer{std::string{"ok"}}, was_unreachable));
    for (auto code : {k8s::ec::unauthenticated, k8s::ec::forbidden,
                      k8s::ec::not_found, k8s::ec::invalid})
      BOOST_TEST(answer_means_server_ready(failed(code), was_unreachable)
                 == !was_unreachable);
    for (auto code :
         {k8s::ec::unreachable, k8s::ec::timeout, k8s::ec::overloaded,
          k8s::ec::server_error, k8s::ec::garbage, k8s::ec::cancelled})
      BOOST_TEST(!answer_means_server_ready(failed(code), was_unreachable));
  }
}

BOOST_AUTO_TEST_CASE(the_server_may_ask_for_more) {
  k8s::failure busy{k8s::ec::overloaded, "", std::chrono::milliseconds{7'000}};
  BOOST_TEST(retry_delay_after(busy, 1, 0.9).count() == 7'000);
  BOOST_TEST(retry_delay_after(busy, 20, 0).count() == 60'000);
}

BOOST_AUTO_TEST_CASE(a_wait_ends_when_the_clock_is_set_back) {
  auto begin = fixtures::base_time;
  auto end = begin + std::chrono::seconds{10};
  BOOST_TEST(!has_wait_ended_or_clock_reset(begin, end, begin));
  BOOST_TEST(!has_wait_ended_or_clock_reset(
      begin, end, end - std::chrono::milliseconds{1}));
  BOOST_TEST(has_wait_ended_or_clock_reset(begin, end, end));
  BOOST_TEST(
      has_wait_ended_or_clock_reset(begin, end, begin - std::chrono::hours{1}));
}

BOOST_AUTO_TEST_CASE(replacements_come_ever_later) {
  const int seconds[] = {0, 0, 10, 20, 40, 80, 160, 300, 300};
  for (int i = 0; i < 9; ++i)
    BOOST_TEST(replacement_delay_after_early_failures(i).count() == seconds[i]);
  BOOST_TEST(replacement_delay_after_early_failures(2'000'000'000).count()
             == 300);
  BOOST_TEST(replacement_delay_after_early_failures(-1).count() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
