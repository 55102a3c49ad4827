#include "k8s/calls.hpp"
#include "k8s/rest/rest_api.hpp"
#include "tests/k8s/rest/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <future>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
// cpprestsdk's threads outlive main, and with them what OpenSSL keeps for each.
// (What of ours uses OpenSSL is watched in credentials_test.)
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so";
}
#endif

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 30s;

const object_ref pod{resources::pods, "ns", "p"};
const selection pods{resources::pods, "ns", "", ""};

client_config to(const std::string& server, const std::string& token = "") {
  client_config c;
  c.server = server;
  c.origin = "/etc/kubeconfig (context test)";
  c.get_credential = [token] {
    credential l;
    l.token = token;
    return result<credential>{l};
  };
  return c;
}

/// Sends a call and waits for its answer.
result<std::string> ask(api& a, request r,
                        std::chrono::milliseconds limit = timeout) {
  auto box = std::make_shared<std::promise<result<std::string>>>();
  auto answer = box->get_future();
  a.send(std::move(r), limit, [box](result<std::string> outcome) {
    box->set_value(std::move(outcome));
  });
  if (answer.wait_for(timeout) != std::future_status::ready)
    return failure{ec::bug, "never answered"};
  return answer.get();
}

void check_failure(const result<std::string>& r, ec code,
                   const std::string& part = "") {
  BOOST_REQUIRE_MESSAGE(!r, "succeeded");
  BOOST_CHECK_MESSAGE(r.error().code == code, to_string(r.error().code)
                                                  << ": " << r.error().message);
  BOOST_CHECK_MESSAGE(r.error().message.find(part) != std::string::npos,
                      r.error().message);
}

/// Answers every request the same way.
scripted_server::script always(int status, std::string body,
                               std::string headers = "") {
  return [=](peer& p) {
    while (p.read())
      p.answer(status, body, headers);
  };
}

/// What came out of a watch.
class watched {
public:
  watch_sink sink() {
    return {[this](std::string_view piece) {
              std::lock_guard guard{mutex_};
              bytes_ += piece;
              changed_.notify_all();
            },
            [this](result<nothing> how) {
              std::lock_guard guard{mutex_};
              ++ends_;
              how_.emplace(std::move(how));
              changed_.notify_all();
            }};
  }

  bool wait_for(const std::string& bytes) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, timeout, [&] { return bytes_ == bytes; });
  }

  bool wait_for_end() {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, timeout, [&] { return ends_ > 0; });
  }

  result<nothing> how() {
    std::lock_guard guard{mutex_};
    return how_.value_or(failure{ec::bug, "never ended"});
  }

  std::string bytes() {
    std::lock_guard guard{mutex_};
    return bytes_;
  }

  int ends() {
    std::lock_guard guard{mutex_};
    return ends_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string bytes_;
  int ends_ = 0;
  std::optional<result<nothing>> how_;
};

/// Lets a script wait for the test, or the test for a script.
class signal_flag {
public:
  void raise() {
    if (!raised_.exchange(true))
      promise_.set_value();
  }
  bool wait() { return future_.wait_for(timeout) == std::future_status::ready; }

private:
  std::atomic<bool> raised_{false};
  std::promise<void> promise_;
  std::shared_future<void> future_{promise_.get_future()};
};

} // namespace

// -- calls that go well -------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_call_says_what_it_was_told_to_say) {
  std::mutex mutex;
  std::vector<received_request> heard;
  scripted_server server{[&](peer& p) {
    while (auto r = p.read()) {
      {
        std::lock_guard guard{mutex};
        heard.push_back(*r);
      }
      p.answer(200, "{\"a\":1}");
    }
  }};
  auto a = make_rest_api(to(server.url(), "sesame"));
  const selection some{resources::pods, "ns", "a=b,c", ""};
  for (const auto& r :
       {get(pod), list(some, 5, ""), create(resources::pods, "ns", "{\"x\":2}"),
        update_status(pod, "{}"), merge_patch(pod, "{\"m\":1}"),
        strategic_patch(pod, "{}"), remove(pod, "u-1")}) {
    auto answer = ask(*a, r);
    BOOST_REQUIRE_MESSAGE(bool(answer),
                          (answer ? std::string{} : answer.error().message));
    BOOST_CHECK_EQUAL(*answer, "{\"a\":1}");
  }
  const char* lines[] = {"GET /api/v1/namespaces/ns/pods/p HTTP/1.1",
                         "GET /api/v1/namespaces/ns/pods?labelSelector="
                         "a%3Db%2Cc&limit=5 HTTP/1.1",
                         "POST /api/v1/namespaces/ns/pods HTTP/1.1",
                         "PUT /api/v1/namespaces/ns/pods/p/status HTTP/1.1",
                         "PATCH /api/v1/namespaces/ns/pods/p HTTP/1.1",
                         "PATCH /api/v1/namespaces/ns/pods/p HTTP/1.1",
                         "DELETE /api/v1/namespaces/ns/pods/p HTTP/1.1"};
  BOOST_REQUIRE_EQUAL(heard.size(), std::size(lines));
  for (std::size_t i = 0; i < heard.size(); ++i) {
    BOOST_CHECK_EQUAL(heard[i].line(), lines[i]);
    BOOST_CHECK_EQUAL(heard[i].header("Authorization"), "Bearer sesame");
    BOOST_CHECK_EQUAL(heard[i].header("Accept"), "application/json");
    BOOST_CHECK_EQUAL(heard[i].header("User-Agent"), "troupe");
  }
  BOOST_CHECK_EQUAL(heard[0].header("Content-Type"), "");
  BOOST_CHECK_EQUAL(heard[2].body, "{\"x\":2}");
  BOOST_CHECK_EQUAL(heard[2].header("Content-Type"), "application/json");
  BOOST_CHECK_EQUAL(heard[4].header("Content-Type"),
                    "application/merge-patch+json");
  BOOST_CHECK_EQUAL(heard[5].header("Content-Type"),
                    "application/strategic-merge-patch+json");
  BOOST_CHECK_EQUAL(heard[6].body, remove(pod, "u-1").body);
  BOOST_CHECK_EQUAL(server.connections(), 1);
}

BOOST_AUTO_TEST_CASE(every_answer_is_counted) {
  scripted_server server{[&](peer& p) {
    while (auto r = p.read()) {
      auto method = r->line().substr(0, r->line().find(' '));
      if (method == "DELETE")
        return; // Without a word.
      if (method == "POST")
        p.answer(201, "{}");
      else if (method == "PATCH")
        p.answer(409, "{}");
      else
        p.answer(r->line().find("watch=") != std::string::npos ? 410 : 200,
                 "{}");
    }
  }};
  auto counts = std::make_shared<answer_counts>(host_of(server.url()));
  auto a = make_rest_api(to(server.url()), 1, counts);
  BOOST_CHECK(bool(ask(*a, get(pod))));
  BOOST_CHECK(bool(ask(*a, list(pods, 5, ""))));
  BOOST_CHECK(bool(ask(*a, create(resources::pods, "ns", "{}"))));
  BOOST_CHECK(!ask(*a, merge_patch(pod, "{}")));
  BOOST_CHECK(!ask(*a, remove(pod, "u")));
  watched seen;
  auto session = a->watch(watch(pods, 1, 1min), timeout, seen.sink());
  BOOST_REQUIRE(seen.wait_for_end());
  std::string reported;
  for (const auto& row : counts->rows())
    reported += row.method + " " + std::to_string(row.status) + " "
                + std::to_string(row.times) + "\n";
  for (const char* line : {"GET 200 2\n", "GET 410 1\n", "POST 201 1\n",
                           "PATCH 409 1\n", "DELETE 0 "})
    BOOST_TEST(reported.find(line) != std::string::npos, reported);
}

BOOST_AUTO_TEST_CASE(a_server_may_live_under_a_path) {
  std::promise<std::string> line;
  scripted_server server{[&](peer& p) {
    line.set_value(p.read().value_or(received_request{}).line());
    p.answer(200, "{}");
  }};
  auto a = make_rest_api(to(server.url() + "/k8s/clusters/c-1"));
  BOOST_CHECK(bool(ask(*a, get(pod))));
  BOOST_CHECK_EQUAL(
      line.get_future().get(),
      "GET /k8s/clusters/c-1/api/v1/namespaces/ns/pods/p HTTP/1.1");
}

BOOST_AUTO_TEST_CASE(a_long_answer_is_whole) {
  std::string body(5u << 20, 'x');
  scripted_server whole{always(200, body)};
  auto a = make_rest_api(to(whole.url()));
  auto r = ask(*a, get(pod));
  BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  BOOST_CHECK(*r == body);
  scripted_server chunked{[&](peer& p) {
    p.read();
    p.begin_chunks();
    for (std::size_t i = 0; i < body.size(); i += 99'999)
      p.chunk(body.substr(i, 99'999));
    p.chunk("");
  }};
  auto b = make_rest_api(to(chunked.url()));
  r = ask(*b, get(pod));
  BOOST_REQUIRE(bool(r));
  BOOST_CHECK(*r == body);
}

BOOST_AUTO_TEST_CASE(an_answer_without_a_body_is_empty) {
  scripted_server server{always(200, "")};
  auto a = make_rest_api(to(server.url()));
  auto r = ask(*a, remove(pod, ""));
  BOOST_REQUIRE(bool(r));
  BOOST_CHECK_EQUAL(*r, "");
}

BOOST_AUTO_TEST_CASE(every_one_of_many_calls_is_answered_once) {
  scripted_server server{always(200, "{}")};
  std::atomic<int> good{0};
  std::atomic<int> all{0};
  signal_flag complete;
  constexpr int threads = 4;
  constexpr int each = 100;
  {
    auto a = make_rest_api(to(server.url()));
    std::vector<std::thread> callers;
    for (int t = 0; t < threads; ++t)
      callers.emplace_back([&] {
        for (int i = 0; i < each; ++i)
          a->send(get(pod), timeout, [&](result<std::string> r) {
            good += r ? 1 : 0;
            if (++all == threads * each)
              complete.raise();
          });
      });
    for (auto& c : callers)
      c.join();
    BOOST_CHECK(complete.wait());
  }
  BOOST_CHECK_EQUAL(good.load(), threads * each);
  BOOST_CHECK_EQUAL(all.load(), threads * each);
}

// -- refusals -----------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_refusal_says_why_and_when_to_come_back) {
  scripted_server server{
      always(429, R"({"kind":"Status","message":"slow down","code":429})",
             "Retry-After: 7\r\n")};
  auto a = make_rest_api(to(server.url()));
  auto r = ask(*a, get(pod));
  check_failure(r, ec::overloaded, "slow down");
  BOOST_REQUIRE(r.error().retry_after);
  BOOST_CHECK(*r.error().retry_after == 7s);
}

BOOST_AUTO_TEST_CASE(an_odd_retry_after_is_ignored) {
  for (auto text : {"Fri, 31 Dec 1999 23:59:59 GMT", "-5", "0", "", "1x",
                    "99999999999999999999"}) {
    scripted_server server{
        always(503, "", "Retry-After: " + std::string{text} + "\r\n")};
    auto a = make_rest_api(to(server.url()));
    auto r = ask(*a, get(pod));
    check_failure(r, ec::overloaded);
    BOOST_CHECK_MESSAGE(!r.error().retry_after, text);
  }
}

BOOST_AUTO_TEST_CASE(a_redirect_is_not_followed) {
  scripted_server elsewhere{always(200, "{}")};
  scripted_server server{
      always(302, "", "Location: " + elsewhere.url() + "/\r\n")};
  auto a = make_rest_api(to(server.url(), "secret"));
  check_failure(ask(*a, get(pod)), ec::invalid, "302");
  BOOST_CHECK_EQUAL(elsewhere.connections(), 0);
}

BOOST_AUTO_TEST_CASE(a_call_without_a_name_is_not_made) {
  scripted_server server{always(200, "{}")};
  auto a = make_rest_api(to(server.url()));
  const object_ref nobody{resources::pods, "ns", ""};
  check_failure(ask(*a, remove(nobody, "")), ec::bug, "names no object");
  check_failure(ask(*a, update_status(nobody, "{}")), ec::bug);
  BOOST_CHECK_EQUAL(server.connections(), 0);
}

// -- servers that misbehave ---------------------------------------------------

BOOST_AUTO_TEST_CASE(a_server_that_says_nothing_is_given_up) {
  scripted_server server{[](peer& p) { p.wait_until_left(); }};
  auto a = make_rest_api(to(server.url()));
  check_failure(ask(*a, get(pod), 100ms), ec::timeout, server.url());
}

BOOST_AUTO_TEST_CASE(a_server_that_drips_is_given_up_too) {
  std::atomic<bool> left{false};
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    while (!left) {
      p.chunk(" ");
      std::this_thread::sleep_for(10ms);
    }
  }};
  auto a = make_rest_api(to(server.url()));
  check_failure(ask(*a, get(pod), 200ms), ec::timeout);
  left = true;
}

BOOST_AUTO_TEST_CASE(a_half_answer_is_a_broken_connection) {
  for (std::string part :
       {"", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"kind\":\"Po",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
        "chunked\r\n\r\n5\r\nabcde\r\n"}) {
    scripted_server server{[&](peer& p) {
      p.read();
      p.write(part);
    }};
    auto a = make_rest_api(to(server.url()));
    BOOST_TEST_CONTEXT(part) {
      check_failure(ask(*a, get(pod)), ec::unreachable, server.url());
    }
  }
}

BOOST_AUTO_TEST_CASE(garbage_is_a_failure_and_nothing_worse) {
  for (std::string text :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n\r\n"}) {
    scripted_server server{[&](peer& p) {
      p.read();
      p.write(text);
    }};
    auto a = make_rest_api(to(server.url()));
    auto r = ask(*a, get(pod), 5s);
    BOOST_CHECK_MESSAGE(!r || r->empty(), text);
    if (!r)
      BOOST_CHECK_MESSAGE(r.error().code == ec::unreachable
                              || r.error().code == ec::garbage
                              || r.error().code == ec::timeout,
                          r.error().message);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_connection_is_named) {
  std::string url;
  {
    scripted_server server{always(200, "{}")};
    url = server.url();
  }
  auto a = make_rest_api(to(url));
  check_failure(ask(*a, get(pod)), ec::unreachable,
                "cannot reach " + url
                    + ": connection refused; is the API server running?");
}

BOOST_AUTO_TEST_CASE(an_unknown_host_is_named) {
  auto a = make_rest_api(to("https://nowhere.invalid:6443"));
  check_failure(ask(*a, get(pod)), ec::unreachable,
                "the name nowhere.invalid is not known");
}

BOOST_AUTO_TEST_CASE(a_server_that_is_no_address_is_named) {
  for (auto server : {"https://a:b:c", "nonsense", "", "ftp://x"}) {
    auto a = make_rest_api(to(server));
    auto r = ask(*a, get(pod));
    BOOST_CHECK_MESSAGE(!r, server);
  }
}

// -- TLS ----------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_certificate_of_the_right_authority_is_trusted) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{always(200, "{}"), own};
  auto who = to(server.url());
  who.ca_pem = make_certificate("other").cert + own.cert;
  auto a = make_rest_api(who);
  for (int i = 0; i < 5; ++i) {
    auto r = ask(*a, get(pod));
    BOOST_CHECK_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  }
  BOOST_CHECK_EQUAL(server.connections(), 1);
}

BOOST_AUTO_TEST_CASE(a_certificate_of_another_authority_is_named) {
  scripted_server server{always(200, "{}"), make_certificate("127.0.0.1")};
  auto who = to(server.url());
  who.ca_pem = make_certificate("127.0.0.1").cert;
  auto a = make_rest_api(who);
  auto r = ask(*a, get(pod));
  check_failure(r, ec::unreachable, "its certificate is not trusted (");
  check_failure(r, ec::unreachable,
                "check certificate-authority in /etc/kubeconfig");
}

BOOST_AUTO_TEST_CASE(a_certificate_for_another_host_is_named) {
  auto own = make_certificate("kubernetes.default.svc");
  scripted_server server{always(200, "{}"), own};
  auto who = to(server.url());
  who.ca_pem = own.cert;
  check_failure(ask(*make_rest_api(who), get(pod)), ec::unreachable,
                "is for another host name");
  who.tls_server_name = "kubernetes.default.svc";
  BOOST_CHECK(bool(ask(*make_rest_api(who), get(pod))));
  who.tls_server_name = "";
  who.insecure = true;
  BOOST_CHECK(bool(ask(*make_rest_api(who), get(pod))));
}

BOOST_AUTO_TEST_CASE(a_server_without_tls_is_named) {
  scripted_server server{[](peer& p) {
    p.answer(400, "");
    p.wait_until_left();
  }};
  auto who = to("https://127.0.0.1:" + std::to_string(server.port()));
  who.ca_pem = make_certificate("127.0.0.1").cert;
  auto r = ask(*make_rest_api(who), get(pod));
  check_failure(r, ec::unreachable, "does it speak https");
}

BOOST_AUTO_TEST_CASE(a_client_certificate_is_shown_and_may_change) {
  auto own = make_certificate("127.0.0.1");
  std::mutex mutex;
  std::vector<std::string> names;
  scripted_server server{[&](peer& p) {
                           while (p.read()) {
                             std::lock_guard guard{mutex};
                             names.push_back(p.client_name());
                             p.answer(names.size() == 1 ? 401 : 200, "{}");
                           }
                         },
                         own};
  auto who = to(server.url());
  who.ca_pem = own.cert;
  auto looks = std::make_shared<int>(0);
  who.get_credential = [looks]() -> result<credential> {
    auto c = make_certificate("admin-" + std::to_string(++*looks));
    return credential{"", c.cert, c.key, 1h};
  };
  auto a = make_rest_api(who);
  check_failure(ask(*a, get(pod)), ec::unauthenticated);
  BOOST_CHECK(bool(ask(*a, get(pod))));
  BOOST_CHECK((names == std::vector<std::string>{"admin-1", "admin-2"}));
}

// -- logins -------------------------------------------------------------------

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
  watched w;
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

// -- watches ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(events_arrive_as_they_are_sent) {
  signal_flag first_read;
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{\"a\":");
    p.chunk("1}\n");
    first_read.wait();
    p.chunk("{\"b\":2}\n");
    p.chunk("");
  }};
  auto a = make_rest_api(to(server.url()));
  watched w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_CHECK(w.wait_for("{\"a\":1}\n"));
  BOOST_CHECK_EQUAL(w.ends(), 0);
  first_read.raise();
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_CHECK(bool(w.how()));
  BOOST_CHECK_EQUAL(w.bytes(), "{\"a\":1}\n{\"b\":2}\n");
  BOOST_CHECK_EQUAL(w.ends(), 1);
}

BOOST_AUTO_TEST_CASE(a_watch_cut_in_a_line_brings_what_came_and_fails) {
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{\"a\":1}\n{\"half");
  }};
  auto a = make_rest_api(to(server.url()));
  watched w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_REQUIRE(!w.how());
  BOOST_CHECK(w.how().error().code == ec::unreachable);
  BOOST_CHECK_EQUAL(w.bytes(), "{\"a\":1}\n{\"half");
}

BOOST_AUTO_TEST_CASE(a_refused_watch_brings_no_bytes_but_the_reason) {
  struct {
    int status;
    ec code;
  } const rows[] = {{410, ec::expired},
                    {403, ec::forbidden},
                    {429, ec::overloaded},
                    {500, ec::server_error}};
  for (auto row : rows) {
    scripted_server server{
        always(row.status, R"({"kind":"Status","message":"said why"})")};
    auto a = make_rest_api(to(server.url()));
    watched w;
    auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    BOOST_REQUIRE(w.wait_for_end());
    BOOST_REQUIRE(!w.how());
    BOOST_CHECK_MESSAGE(w.how().error().code == row.code,
                        to_string(w.how().error().code));
    BOOST_CHECK_EQUAL(w.how().error().message, "said why");
    BOOST_CHECK_EQUAL(w.bytes(), "");
  }
}

BOOST_AUTO_TEST_CASE(a_silent_watch_ends_and_a_lively_one_does_not) {
  std::atomic<bool> end{false};
  scripted_server server{[&](peer& p) {
    auto r = p.read();
    p.begin_chunks();
    p.chunk("{}\n");
    if (r && r->line().find("resourceVersion=2") == std::string::npos)
      p.wait_until_left();
    while (!end) {
      p.chunk("\n");
      std::this_thread::sleep_for(20ms);
    }
    p.chunk("");
  }};
  auto a = make_rest_api(to(server.url()));
  watched silent;
  watched lively;
  auto other = a->watch(watch(pods, 2, 60s), 1s, lively.sink());
  auto session = a->watch(watch(pods, 1, 60s), 1s, silent.sink());
  BOOST_REQUIRE(silent.wait_for_end());
  BOOST_REQUIRE(!silent.how());
  BOOST_CHECK(silent.how().error().code == ec::timeout);
  BOOST_CHECK_EQUAL(silent.bytes(), "{}\n");
  end = true;
  BOOST_REQUIRE(lively.wait_for_end());
  BOOST_CHECK(bool(lively.how()));
}

BOOST_AUTO_TEST_CASE(a_closed_session_calls_no_more_and_hangs_up) {
  signal_flag left;
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{}\n");
    p.wait_until_left();
    left.raise();
  }};
  auto a = make_rest_api(to(server.url()));
  watched w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for("{}\n"));
  session.reset();
  BOOST_CHECK(left.wait());
  a.reset();
  BOOST_CHECK_EQUAL(w.ends(), 0);
}

BOOST_AUTO_TEST_CASE(a_session_may_be_closed_by_its_own_callback) {
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{}\n");
    p.wait_until_left();
  }};
  auto a = make_rest_api(to(server.url()));
  std::mutex mutex;
  std::unique_ptr<watch_session> session;
  signal_flag closed;
  watch_sink sink{[&](std::string_view) {
                    {
                      std::lock_guard guard{mutex};
                      session.reset();
                    }
                    closed.raise();
                  },
                  [](result<nothing>) {}};
  {
    std::lock_guard guard{mutex};
    session = a->watch(watch(pods, 1, 60s), timeout, std::move(sink));
  }
  BOOST_CHECK(closed.wait());
}

BOOST_AUTO_TEST_CASE(what_a_sink_holds_is_let_go_of_with_its_session) {
  scripted_server server{[&](peer& p) { p.wait_until_left(); }};
  auto a = make_rest_api(to(server.url()));
  auto held = std::make_shared<int>(1);
  auto session =
      a->watch(watch(pods, 1, 60s), timeout,
               {[held](std::string_view) {}, [held](result<nothing>) {}});
  session.reset();
  BOOST_CHECK_EQUAL(held.use_count(), 1);
}

// -- the end ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_end_of_the_api_ends_all_that_is_under_way) {
  scripted_server server{[](peer& p) { p.wait_until_left(); }};
  std::atomic<int> cancelled{0};
  watched w;
  std::unique_ptr<watch_session> session;
  {
    auto a = make_rest_api(to(server.url()));
    session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    for (int i = 0; i < 20; ++i)
      a->send(get(pod), timeout, [&](result<std::string> r) {
        if (!r && r.error().code == ec::cancelled)
          ++cancelled;
      });
  }
  BOOST_CHECK_EQUAL(cancelled.load(), 20);
  BOOST_CHECK_EQUAL(w.ends(), 1);
  BOOST_CHECK(!w.how() && w.how().error().code == ec::cancelled);
}

BOOST_AUTO_TEST_CASE(a_server_that_comes_and_goes_harms_no_later_call) {
  auto own = std::make_unique<scripted_server>(always(200, "{}"));
  auto a = make_rest_api(to(own->url()));
  BOOST_CHECK(bool(ask(*a, get(pod))));
  own.reset();
  check_failure(ask(*a, get(pod)), ec::unreachable);
}
