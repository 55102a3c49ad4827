#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>
#include <vector>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(tls_test)

namespace {

client_config trusting(const scripted_server& server, const certificate& own) {
  auto who = to(server.url());
  who.ca_pem = own.cert;
  return who;
}

} // namespace

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

// As kubectl has it: for the certificate and for proxies that look at SNI.
BOOST_AUTO_TEST_CASE(another_name_of_the_server_changes_sni_and_not_the_host) {
  auto own = make_certificate("kubernetes.default.svc");
  std::mutex mutex;
  std::vector<std::string> seen;
  scripted_server server{[&](peer& p) {
                           while (auto r = p.read()) {
                             std::lock_guard guard{mutex};
                             seen.push_back(p.asked_name() + " "
                                            + r->header("Host"));
                             p.answer(200, "{}");
                           }
                         },
                         own};
  auto who = trusting(server, own);
  who.tls_server_name = "kubernetes.default.svc";
  auto a = make_rest_api(who);
  BOOST_CHECK(bool(ask(*a, get(pod))));
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for_end());
  const auto expected =
      "kubernetes.default.svc 127.0.0.1:" + std::to_string(server.port());
  std::lock_guard guard{mutex};
  BOOST_TEST(seen == std::vector<std::string>({expected, expected}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_authority_that_another_one_signed_is_trusted) {
  auto root = make_certificate("root");
  auto intermediate = make_certificate("intermediate", root);
  auto own = make_certificate("127.0.0.1", intermediate);
  scripted_server server{always(200, "{}"), own};
  auto r = ask(*make_rest_api(trusting(server, intermediate)), get(pod));
  BOOST_CHECK_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  // The server shows its own certificate only.
  check_failure(ask(*make_rest_api(trusting(server, root)), get(pod)),
                ec::unreachable, "is not trusted");
  auto other = make_certificate("intermediate", root);
  check_failure(ask(*make_rest_api(trusting(server, other)), get(pod)),
                ec::unreachable, "is not trusted");
}

BOOST_AUTO_TEST_CASE(an_ipv6_server_is_called_watched_and_checked) {
  auto own = make_certificate("::1");
  std::mutex mutex;
  std::vector<std::string> hosts;
  scripted_server server{[&](peer& p) {
                           while (auto r = p.read()) {
                             std::lock_guard guard{mutex};
                             hosts.push_back(r->header("Host"));
                             p.answer(200, "{}\n");
                           }
                         },
                         own, "::1"};
  auto a = make_rest_api(trusting(server, own));
  auto r = ask(*a, get(pod));
  BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_CHECK_MESSAGE(bool(w.how()),
                      (w.how() ? std::string{} : w.how().error().message));
  BOOST_TEST(w.bytes() == "{}\n");
  const auto host = "[::1]:" + std::to_string(server.port());
  BOOST_TEST(hosts == std::vector<std::string>({host, host}),
             boost::test_tools::per_element());
  auto other = make_certificate("::2");
  scripted_server wrong{always(200, "{}"), other, "::1"};
  check_failure(ask(*make_rest_api(trusting(wrong, other)), get(pod)),
                ec::unreachable, "is for another host name");
}

// Each second the login is read again, and the authorities with it.
BOOST_AUTO_TEST_CASE(an_authority_that_changed_is_used_for_new_connections) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{always(200, "{}", "Connection: close\r\n"), own};
  auto who = trusting(server, make_certificate("127.0.0.1"));
  std::mutex mutex;
  std::string file = who.ca_pem;
  who.get_credential = []() -> result<credential> {
    return credential{"t", "", "", 1s};
  };
  who.get_authorities = [&]() -> result<std::string> {
    std::lock_guard guard{mutex};
    return file;
  };
  auto a = make_rest_api(who);
  check_failure(ask(*a, get(pod)), ec::unreachable, "is not trusted");
  {
    std::lock_guard guard{mutex};
    file = own.cert;
  }
  bool answered = false;
  for (int i = 0; i < 3000 && !answered; ++i) {
    answered = bool(ask(*a, get(pod)));
    std::this_thread::sleep_for(10ms);
  }
  BOOST_TEST(answered);
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

BOOST_AUTO_TEST_CASE(long_requests_and_answers_are_whole) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{[](peer& p) {
                           while (auto r = p.read())
                             p.answer(201, r->body);
                         },
                         own};
  auto a = make_rest_api(trusting(server, own));
  std::string body;
  for (int i = 0; body.size() < (5u << 20); ++i)
    body += std::to_string(i) + " ";
  for (int i = 0; i < 2; ++i) {
    auto r = ask(*a, create(resources::pods, "ns", body));
    BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
    BOOST_CHECK(*r == body);
  }
  BOOST_CHECK_EQUAL(server.connections(), 1);
}

BOOST_AUTO_TEST_CASE(an_answer_may_come_byte_by_byte) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{[](peer& p) {
                           p.read();
                           for (char c : std::string{"HTTP/1.1 200 OK\r\n"
                                                     "Content-Length: 2\r\n"
                                                     "\r\n{}"})
                             p.write(std::string(1, c));
                           p.wait_until_left();
                         },
                         own};
  auto r = ask(*make_rest_api(trusting(server, own)), get(pod));
  BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  BOOST_CHECK_EQUAL(*r, "{}");
}

BOOST_AUTO_TEST_CASE(a_call_on_a_connection_that_was_closed_is_repeated) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{[](peer& p) {
                           if (p.read())
                             p.answer(200, "{}"); // And closes it.
                         },
                         own};
  auto a = make_rest_api(trusting(server, own));
  for (int i = 0; i < 3; ++i) {
    auto r = ask(*a, create(resources::pods, "ns", "{}"));
    BOOST_CHECK_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  }
  BOOST_CHECK_EQUAL(server.connections(), 3);
}

BOOST_AUTO_TEST_CASE(a_connection_that_ends_before_the_answer_is_no_success) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{[](peer& p) {
                           p.read();
                           p.write("HTTP/1.1 200 OK\r\n"
                                   "Content-Length: 9\r\n\r\n{");
                         },
                         own};
  check_failure(ask(*make_rest_api(trusting(server, own)), get(pod)),
                ec::unreachable);
}

BOOST_AUTO_TEST_CASE(calls_at_the_same_time_do_not_mix) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{[](peer& p) {
                           while (auto r = p.read())
                             p.answer(201, r->body);
                         },
                         own};
  auto a = make_rest_api(trusting(server, own), 2);
  std::vector<std::future<result<std::string>>> answers;
  auto body = [](int i) {
    return std::string(static_cast<std::size_t>(i) * 3'000, 'a')
           + std::to_string(i);
  };
  for (int i = 0; i < 40; ++i) {
    auto promise = std::make_shared<std::promise<result<std::string>>>();
    answers.push_back(promise->get_future());
    a->send(create(resources::pods, "ns", body(i)), timeout,
            [promise](result<std::string> r) { promise->set_value(r); });
  }
  for (int i = 0; i < 40; ++i) {
    auto r = answers[static_cast<std::size_t>(i)].get();
    BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
    BOOST_CHECK(*r == body(i));
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_waits_can_be_cancelled) {
  auto own = make_certificate("127.0.0.1");
  signal_flag asked;
  scripted_server server{[&](peer& p) {
                           p.read();
                           asked.raise();
                           p.wait_until_left();
                         },
                         own};
  auto a = make_rest_api(trusting(server, own));
  auto promise = std::make_shared<std::promise<result<std::string>>>();
  auto answer = promise->get_future();
  a->send(get(pod), timeout,
          [promise](result<std::string> r) { promise->set_value(r); });
  BOOST_REQUIRE(asked.wait());
  a = nullptr;
  check_failure(answer.get(), ec::cancelled);
}

BOOST_AUTO_TEST_CASE(a_watch_is_whole_whatever_its_pieces) {
  auto own = make_certificate("127.0.0.1");
  std::string sent;
  for (int i = 0; sent.size() < (3u << 20); ++i)
    sent += std::to_string(i) + (i % 7 == 0 ? "\n" : " ");
  for (bool tls : {true, false}) {
    scripted_server server{[&](peer& p) {
                             p.read();
                             p.begin_chunks();
                             std::size_t size = 1;
                             for (std::size_t at = 0; at < sent.size();) {
                               auto piece = sent.substr(at, size);
                               p.chunk(piece);
                               at += piece.size();
                               size = size * 7 % 60'001 + 1;
                             }
                             p.chunk("");
                           },
                           tls ? std::optional{own} : std::nullopt};
    auto a = make_rest_api(trusting(server, own));
    watch_recorder w;
    auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    BOOST_REQUIRE(w.wait_for_end());
    BOOST_CHECK_MESSAGE(bool(w.how()),
                        (w.how() ? std::string{} : w.how().error().message));
    BOOST_CHECK(w.bytes() == sent);
  }
}

BOOST_AUTO_TEST_SUITE_END()
