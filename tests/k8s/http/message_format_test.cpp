#include "k8s/http/message_format.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(message_format_test)

BOOST_AUTO_TEST_CASE(all_values_of_a_repeated_key_are_kept_in_their_order) {
  http::request r;
  BOOST_REQUIRE(http::parse_request_target("/a?x=sh&y=1&x=-c&x=a%20b&x=", r));
  BOOST_TEST(
      (r.query_params("x") == std::vector<std::string>{"sh", "-c", "a b", ""}));
  BOOST_TEST((r.query_params("y") == std::vector<std::string>{"1"}));
  BOOST_TEST(r.query_params("z").empty());
  BOOST_TEST(r.query_param("x") == "sh");
}

BOOST_AUTO_TEST_CASE(a_target_is_a_path_and_a_query) {
  struct row {
    const char* target;
    const char* path; ///< "": it is malformed.
    const char* query;
    const char* host;
  };
  // clang-format off
  const row rows[] = {
      {"/",                     "/",     "",         ""},
      {"/a/b?x=1&y=2",          "/a/b",  "x=1;y=2;", ""},
      {"/a%20b?x=1+2",          "/a b",  "x=1 2;",   ""},
      {"/a?x&&y=",              "/a",    "x=;y=;",   ""},
      {"/a?x=1&x=2",            "/a",    "x=1;",     ""},
      {"/a?x=a=b",              "/a",    "x=a=b;",   ""},
      {"*",                     "*",     "",         ""},
      {"http://h:80/a?x=1",     "/a",    "x=1;",     "h:80"},
      {"http://h",              "/",     "",         "h"},
      {"/a?to=http://h/b",      "/a",    "to=http://h/b;", ""},
      {"",                      "",      "",         ""},
      {"a/b",                   "",      "",         ""},
      {"/%zz",                  "",      "",         ""},
      {"/a?x=%zz",              "",      "",         ""},
  };
  // clang-format on
  for (const auto& r : rows) {
    http::request request;
    bool valid = http::parse_request_target(r.target, request);
    BOOST_TEST(valid == (*r.path != 0), r.target);
    if (!valid)
      continue;
    std::string query;
    for (const auto& [key, value] : request.query)
      query += key + "=" + value + ";";
    BOOST_TEST(request.path == r.path);
    BOOST_TEST(query == r.query, r.target);
    BOOST_TEST(request.headers["host"] == r.host);
  }
}

BOOST_AUTO_TEST_CASE(a_head_says_how_the_body_ends) {
  struct row {
    int status;
    http::framing framing;
    bool keep_alive;
    const char* head;
  };
  using http::framing;
  // clang-format off
  const row rows[] = {
      {200, framing::length, true, "HTTP/1.1 200 OK\r\nContent-Type: t\r\nContent-Length: 4\r\n\r\n"},
      {200, framing::chunked, true, "HTTP/1.1 200 OK\r\nContent-Type: t\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {404, framing::until_close, false, "HTTP/1.1 404 Not Found\r\nContent-Type: t\r\nConnection: close\r\n\r\n"},
      {304, framing::length, true, "HTTP/1.1 304 Not Modified\r\nContent-Type: t\r\n\r\n"},
  };
  // clang-format on
  for (const auto& r : rows) {
    http::response response;
    response.status = r.status;
    response.content_type = "t";
    response.body = "body";
    BOOST_TEST(http::format_response_head(response, r.framing, r.keep_alive)
               == r.head);
  }
}

BOOST_AUTO_TEST_CASE(a_header_cannot_smuggle_another) {
  http::response r;
  r.headers["X"] = "a\r\nSet-Cookie: b";
  auto text = http::format_response_head(r, http::framing::length, true);
  BOOST_TEST(text.find("\nSet-Cookie") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(members_of_a_list_are_without_blanks) {
  const std::vector<std::string> two{"a", "b c"};
  for (auto value : {"a,b c", " a ,\tb c", "a,, b c, "})
    BOOST_TEST(http::split_header_list(value) == two,
               boost::test_tools::per_element());
  BOOST_TEST(http::split_header_list("").empty());
}

BOOST_AUTO_TEST_SUITE_END()
