#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(credential_cache_test)

BOOST_AUTO_TEST_CASE(a_refused_token_is_looked_up_again_once) {
  std::mutex mutex;
  std::vector<std::string> tokens;
  scripted_server server{[&](peer& p) {
    while (auto r = p.read()) {
      std::lock_guard guard{mutex};
      tokens.push_back(r->header("Authorization"));
      p.answer(401, "{}");
    }
  }};
  auto who = to(server.url());
  auto looks = std::make_shared<std::atomic<int>>(0);
  who.get_credential = [looks]() -> result<credential> {
    return credential{"t" + std::to_string(++*looks), "", "", 1h};
  };
  auto a = make_rest_api(who);
  for (int i = 0; i < 5; ++i)
    check_failure(ask(*a, get(pod)), ec::unauthenticated);
  BOOST_CHECK_EQUAL(looks->load(), 2);
  BOOST_CHECK(
      (tokens
       == std::vector<std::string>{"Bearer t1", "Bearer t2", "Bearer t2",
                                   "Bearer t2", "Bearer t2"}));
}

BOOST_AUTO_TEST_CASE(a_token_that_never_changes_is_looked_up_once) {
  scripted_server server{always(401, "{}")};
  auto who = to(server.url());
  auto looks = std::make_shared<std::atomic<int>>(0);
  who.get_credential = [looks]() -> result<credential> {
    ++*looks;
    return credential{"t", "", "", 0s};
  };
  auto a = make_rest_api(who);
  for (int i = 0; i < 3; ++i)
    check_failure(ask(*a, get(pod)), ec::unauthenticated);
  BOOST_CHECK_EQUAL(looks->load(), 1);
}

BOOST_AUTO_TEST_CASE(without_a_login_calls_fail_but_may_be_tried_again) {
  scripted_server server{always(200, "{}")};
  auto who = to(server.url());
  who.get_credential = []() -> result<credential> {
    return failure{ec::invalid, "the plugin is ill"};
  };
  auto a = make_rest_api(who);
  auto r = ask(*a, get(pod));
  check_failure(r, ec::unauthenticated, "the plugin is ill");
  BOOST_CHECK(r.error().is_retryable());
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_CHECK(!w.how() && w.how().error().code == ec::unauthenticated);
  BOOST_CHECK_EQUAL(server.connections(), 0);
}

BOOST_AUTO_TEST_CASE(the_limit_counts_while_the_login_is_looked_up) {
  signal_flag go_on;
  auto who = to("http://127.0.0.1:1");
  who.get_credential = [&go_on]() -> result<credential> {
    go_on.wait();
    return credential{};
  };
  auto a = make_rest_api(who);
  check_failure(ask(*a, get(pod), 50ms), ec::timeout);
  go_on.raise();
}

BOOST_AUTO_TEST_SUITE_END()
