// Servers that cannot be reached, or answer badly.
#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(connect_error_test)

BOOST_AUTO_TEST_CASE(a_silent_server_times_out) {
  scripted_server server{[](peer& p) { p.wait_until_left(); }};
  auto a = make_rest_api(to(server.url()));
  check_failure(ask(*a, get(pod), 100ms), ec::timeout, server.url());
}

BOOST_AUTO_TEST_CASE(a_slow_server_times_out_too) {
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

BOOST_AUTO_TEST_CASE(garbage_is_a_failure) {
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

BOOST_AUTO_TEST_SUITE_END()
