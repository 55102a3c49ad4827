#include "k8s/general/addresses.hpp"
#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(rest_api_test)

BOOST_AUTO_TEST_CASE(a_request_has_the_given_line_headers_and_body) {
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

// Objects of the core group are created in protobuf, until the server says that
// it cannot read that.
BOOST_AUTO_TEST_CASE(what_a_server_cannot_read_is_sent_again_as_json) {
  const std::string pod_text = R"({"apiVersion":"v1","kind":"Pod"})";
  std::vector<std::string> heard;
  scripted_server server{[&](peer& p) {
    while (auto r = p.read()) {
      auto type = r->header("Content-Type");
      heard.push_back(type == "application/json" ? r->body : type);
      p.answer(type == "application/json" ? 201 : 415, "{}");
    }
  }};
  auto a = make_rest_api(to(server.url()));
  for (int i = 0; i < 2; ++i) {
    auto answer = ask(*a, create(resources::pods, "ns", pod_text));
    BOOST_REQUIRE(bool(answer));
    BOOST_TEST(*answer == "{}");
  }
  const std::vector<std::string> expected{protobuf_media_type, pod_text,
                                          pod_text};
  BOOST_TEST(heard == expected, boost::test_tools::per_element());
}

// What protobuf cannot express, and all other requests, are JSON.
BOOST_AUTO_TEST_CASE(objects_of_the_core_group_are_created_in_protobuf) {
  const std::string pod_text = R"({"apiVersion":"v1","kind":"Pod"})";
  const std::pair<request, bool> rows[] = {
      {create(resources::pods, "ns", pod_text), true},
      {create(resources::pods, "ns",
              R"({"apiVersion":"v1","kind":"Pod","field":1})"),
       false},
      {update(pod, pod_text), false},
      {merge_patch(pod, pod_text), false}};
  std::vector<std::string> heard;
  scripted_server server{[&](peer& p) {
    while (auto r = p.read()) {
      heard.push_back(r->header("Content-Type"));
      p.answer(200, "{}");
    }
  }};
  auto a = make_rest_api(to(server.url()));
  for (const auto& [r, in_protobuf] : rows) {
    BOOST_REQUIRE(bool(ask(*a, r)));
    BOOST_TEST((heard.back() == protobuf_media_type) == in_protobuf, r.path);
  }
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
  auto counts =
      std::make_shared<request_counts>(host_and_port_of_url(server.url()));
  auto a = make_rest_api(to(server.url()), 1, counts);
  BOOST_CHECK(bool(ask(*a, get(pod))));
  BOOST_CHECK(bool(ask(*a, list(pods, 5, ""))));
  BOOST_CHECK(bool(ask(*a, create(resources::pods, "ns", "{}"))));
  BOOST_CHECK(!ask(*a, merge_patch(pod, "{}")));
  BOOST_CHECK(!ask(*a, remove(pod, "u")));
  watch_recorder seen;
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

BOOST_AUTO_TEST_CASE(a_server_may_be_under_a_path) {
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

BOOST_AUTO_TEST_CASE(an_answer_longer_than_asked_for_is_given_up) {
  const std::string body(100'000, 'x');
  const scripted_server::script scripts[] = {
      always(200, body),
      [&](peer& p) {
        p.read();
        p.begin_chunks();
        for (int i = 0; i < 10; ++i)
          p.chunk(body.substr(0, 10'000));
        p.chunk("");
      },
      [&](peer& p) {
        p.read();
        p.write("HTTP/1.1 200 OK\r\n\r\n" + body);
      },
  };
  for (const auto& script : scripts) {
    scripted_server server{script};
    auto a = make_rest_api(to(server.url()));
    auto r = get(pod);
    r.answer_limit = body.size() - 1;
    check_failure(ask(*a, r), ec::too_large, "too long");
    r.answer_limit = body.size();
    auto whole = ask(*a, r);
    BOOST_REQUIRE_MESSAGE(bool(whole),
                          (whole ? std::string{} : whole.error().message));
    BOOST_CHECK(*whole == body);
  }
}

BOOST_AUTO_TEST_CASE(an_answer_without_a_body_is_empty) {
  scripted_server server{always(200, "")};
  auto a = make_rest_api(to(server.url()));
  auto r = ask(*a, remove(pod, ""));
  BOOST_REQUIRE(bool(r));
  BOOST_CHECK_EQUAL(*r, "");
}

BOOST_AUTO_TEST_CASE(a_call_on_a_connection_that_was_closed_is_repeated) {
  scripted_server server{[&](peer& p) {
    if (p.read())
      p.answer(200, "{}"); // And closes it.
  }};
  auto a = make_rest_api(to(server.url()));
  for (int i = 0; i < 3; ++i) {
    auto r = ask(*a, create(resources::pods, "ns", "{}"));
    BOOST_CHECK_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  }
  BOOST_CHECK_EQUAL(server.connections(), 3);
}

BOOST_AUTO_TEST_CASE(an_interim_answer_is_not_the_answer) {
  scripted_server server{[&](peer& p) {
    p.read();
    p.write("HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n");
    p.answer(200, "{}");
  }};
  auto r = ask(*make_rest_api(to(server.url())), get(pod));
  BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  BOOST_CHECK_EQUAL(*r, "{}");
}

BOOST_AUTO_TEST_CASE(an_answer_may_end_with_its_connection) {
  scripted_server server{[&](peer& p) {
    p.read();
    p.write("HTTP/1.1 200 OK\r\n\r\n{\"a\":1}");
  }};
  auto a = make_rest_api(to(server.url()));
  for (int i = 0; i < 2; ++i) {
    auto r = ask(*a, get(pod));
    BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
    BOOST_CHECK_EQUAL(*r, "{\"a\":1}");
  }
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

BOOST_AUTO_TEST_CASE(a_refusal_has_message_and_retry_after) {
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

BOOST_AUTO_TEST_SUITE_END()
