#include "k8s/rest/credentials/credential_cache.hpp"
#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <thread>
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

namespace {

const credential no_login;

/// Logins one after the other; `no_login` for a failure.
class login_series {
public:
  explicit login_series(std::vector<credential> logins)
      : logins_(std::move(logins)) {}

  std::function<result<credential>()> source() {
    return [this]() -> result<credential> {
      auto i = std::min<std::size_t>(asked_++, logins_.size() - 1);
      if (logins_[i].token.empty())
        return failure{ec::invalid, "the plugin is ill"};
      return logins_[i];
    };
  }
  std::size_t asked() const { return asked_; }

private:
  std::vector<credential> logins_;
  std::atomic<std::size_t> asked_{0};
};

/// What a cache gives when it is asked once.
result<credential_ptr> take(credential_cache& cache) {
  std::promise<result<credential_ptr>> promise;
  auto answer = promise.get_future();
  cache.get_or_load_credential(
      [&](const result<credential_ptr>& c) { promise.set_value(c); });
  return answer.get();
}

std::string token_or_failure(credential_cache& cache) {
  auto c = take(cache);
  return c ? (*c)->value.token : c.error().message;
}

/// Asks until the answer is another one.
std::string await_change(credential_cache& cache, const std::string& from) {
  for (int i = 0; i < 3000; ++i) {
    if (auto now = token_or_failure(cache); now != from)
      return now;
    std::this_thread::sleep_for(10ms);
  }
  return from;
}

} // namespace

BOOST_AUTO_TEST_CASE(
    a_login_that_cannot_be_read_again_stays_while_it_is_valid) {
  login_series logins{{{"a", "", "", 1s}, no_login}};
  client_config who;
  who.get_credential = logins.source();
  timer_thread slow;
  credential_cache cache{who, slow};
  BOOST_TEST(token_or_failure(cache) == "a");
  while (logins.asked() < 2) {
    BOOST_TEST(token_or_failure(cache) == "a");
    std::this_thread::sleep_for(10ms);
  }
  for (int i = 0; i < 20; ++i)
    BOOST_TEST(token_or_failure(cache) == "a");
  BOOST_TEST(logins.asked() < 10U); // Not each time.
}

BOOST_AUTO_TEST_CASE(a_login_that_has_expired_does_not_stay) {
  login_series logins{{{"a", "", "", 1s, 1s}, no_login}};
  client_config who;
  who.get_credential = logins.source();
  timer_thread slow;
  credential_cache cache{who, slow};
  BOOST_TEST(token_or_failure(cache) == "a");
  BOOST_TEST(await_change(cache, "a") == "cannot log in: the plugin is ill");
}

BOOST_AUTO_TEST_CASE(a_login_that_was_refused_does_not_stay) {
  login_series logins{{{"a", "", "", 1h}, no_login}};
  client_config who;
  who.get_credential = logins.source();
  timer_thread slow;
  credential_cache cache{who, slow};
  auto first = take(cache);
  BOOST_REQUIRE(bool(first));
  cache.invalidate_if_current_and_due((*first)->number);
  BOOST_TEST(token_or_failure(cache) == "cannot log in: the plugin is ill");
}

// Nobody waits for a slow plugin while there is a login.
BOOST_AUTO_TEST_CASE(a_login_is_used_while_the_next_one_is_read) {
  signal_flag go_on;
  std::atomic<int> asked{0};
  client_config who;
  who.get_credential = [&]() -> result<credential> {
    if (++asked == 1)
      return credential{"a", "", "", 1s};
    go_on.wait();
    return credential{"b", "", "", 1h};
  };
  timer_thread slow;
  credential_cache cache{who, slow};
  BOOST_TEST(token_or_failure(cache) == "a");
  while (asked < 2) {
    BOOST_TEST(token_or_failure(cache) == "a");
    std::this_thread::sleep_for(10ms);
  }
  BOOST_TEST(token_or_failure(cache) == "a");
  go_on.raise();
  BOOST_TEST(await_change(cache, "a") == "b");
}

// The login is read again each second here, and they with it.
BOOST_AUTO_TEST_CASE(authorities_are_read_again_and_stay_if_they_cannot_be) {
  const auto one = make_certificate("one").cert;
  const auto two = make_certificate("two").cert;
  std::mutex mutex;
  result<std::string> file = one;
  client_config who;
  who.ca_pem = one;
  who.get_credential = []() -> result<credential> {
    return credential{"t", "", "", 1s};
  };
  who.get_authorities = [&] {
    std::lock_guard guard{mutex};
    return file;
  };
  timer_thread slow;
  credential_cache cache{who, slow};
  auto become = [&](result<std::string> text) {
    std::lock_guard guard{mutex};
    file = std::move(text);
  };
  auto await = [&](const std::string& pem) {
    for (int i = 0; i < 3000; ++i) {
      if (auto c = take(cache); c && (*c)->authorities_pem == pem)
        return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  };
  BOOST_TEST(await(one));
  become(two);
  BOOST_TEST(await(two));
  auto number = (*take(cache))->number;
  become(failure{ec::invalid, "no such file"});
  auto read_again = [&] { // Twice, so that the file was read meanwhile.
    for (int i = 0; i < 3000; ++i) {
      if ((*take(cache))->number > number + 1)
        return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  };
  BOOST_TEST(read_again());
  BOOST_TEST((*take(cache))->authorities_pem == two);
  number = (*take(cache))->number;
  become(result<std::string>{"half a fi"});
  BOOST_TEST(read_again());
  BOOST_TEST((*take(cache))->authorities_pem == two);
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
