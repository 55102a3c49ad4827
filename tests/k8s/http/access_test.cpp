#include "k8s/http/access.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <set>

using namespace troupe::k8s;
using boost::asio::ip::make_address;

namespace {

http::connection_ends between(const char* bound, const char* here,
                              const char* peer) {
  http::connection_ends e;
  e.bound = make_address(bound);
  e.port = 8082;
  e.here = make_address(here);
  e.peer = make_address(peer);
  e.host_name = "Laptop";
  return e;
}

const auto loopback = between("127.0.0.1", "127.0.0.1", "127.0.0.1");

http::access_policy guarded() {
  http::access_policy a;
  a.token = "sesame";
  a.body_media_types = {"application/json", "application/yaml"};
  a.patch_media_types = {"application/merge-patch+json"};
  a.any_port = false;
  return a;
}

/// The status of the answer; 200 for a request that is let in.
int answer(const http::access_policy& a, const http::connection_ends& e,
           http::request r, bool body = false) {
  auto no = http::refuse_access_or_set_user(a, e, r, body);
  if (!no)
    return 200;
  auto status = nlohmann::json::parse(no->body);
  BOOST_TEST(status["kind"] == "Status");
  BOOST_TEST(status["status"] == "Failure");
  BOOST_TEST(status["code"] == no->status);
  BOOST_TEST(!status["message"].get<std::string>().empty());
  BOOST_TEST(!status["reason"].get<std::string>().empty());
  BOOST_TEST(no->content_type == "application/json");
  return no->status;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_host_names_the_server_or_is_refused) {
  auto pod = between("0.0.0.0", "10.0.0.7", "10.0.0.1");
  auto rebound = between("::", "::ffff:127.0.0.1", "::ffff:127.0.0.1");
  auto own_lan = between("::", "::ffff:192.168.0.5", "::ffff:192.168.0.5");
  auto six = between("::1", "::1", "::1");
  auto one = between("192.168.0.5", "192.168.0.5", "192.168.0.9");
  struct {
    const http::connection_ends& e;
    const char* host;
    int any_port, own_port;
  } rows[] = {
      {loopback, "127.0.0.1:8082", 200, 200},
      {loopback, "localhost:8082", 200, 200},
      {loopback, "LOCALHOST:8082", 200, 200},
      {loopback, "[::1]:8082", 200, 200},
      {six, "[::1]:8082", 200, 200},
      {six, "[0:0:0:0:0:0:0:1]:8082", 200, 200},
      // A tunnel, a port-forward.
      {loopback, "localhost:18082", 200, 421},
      {loopback, "localhost", 200, 421},
      // Rebinding, and what looks like us.
      {loopback, "evil.example:8082", 421, 421},
      {loopback, "evil.example", 421, 421},
      {loopback, "localhost.evil.example:8082", 421, 421},
      {loopback, "127.0.0.1.evil.example:8082", 421, 421},
      {loopback, "laptop:8082", 421, 421},
      {loopback, "10.0.0.7:8082", 421, 421},
      {loopback, "0.0.0.0:8082", 421, 421},
      {loopback, "[fe80::1]:8082", 421, 421},
      // Of no form at all.
      {loopback, "", 421, 421},
      {loopback, ":8082", 421, 421},
      {loopback, "localhost:", 421, 421},
      {loopback, "localhost:80x", 421, 421},
      {loopback, "[::1", 421, 421},
      {loopback, "[::1]8082", 421, 421},
      {loopback, "evil@localhost:8082", 421, 421},
      {loopback, "localhost:8082, evil.example", 421, 421},
      {loopback, "localhost:8082/", 421, 421},
      {loopback, "\xff\"\\", 421, 421},
      // A pod: the kubelet, Prometheus, a service, an ingress.
      {pod, "10.0.0.7:8082", 200, 200},
      {pod, "training-operator.kubeflow.svc:8082", 200, 200},
      {pod, "10.96.0.1:30000", 200, 421},
      // A browser on this machine was led to a port that is open to all.
      {rebound, "evil.example:8082", 421, 421},
      {own_lan, "evil.example:8082", 421, 421},
      {rebound, "localhost:8082", 200, 200},
      {rebound, "127.0.0.1:8082", 200, 200},
      {rebound, "laptop:8082", 200, 200},
      {own_lan, "192.168.0.5:8082", 200, 200},
      {one, "box.example:8082", 200, 200},
  };
  for (const auto& row : rows) {
    http::request r;
    if (*row.host)
      r.headers["host"] = row.host;
    http::access_policy a;
    BOOST_TEST(answer(a, row.e, r) == row.any_port, row.host);
    a.any_port = false;
    BOOST_TEST(answer(a, row.e, r) == row.own_port, row.host);
  }
}

BOOST_AUTO_TEST_CASE(a_policy_may_list_further_hosts) {
  http::access_policy a;
  a.hosts = {"operator.kubeflow.svc"};
  for (const auto& [host, status] :
       {std::pair{"operator.kubeflow.svc:443", 200},
        std::pair{"Operator.Kubeflow.svc", 200},
        std::pair{"operator.kubeflow.svc.evil.example", 421},
        std::pair{"evil.example", 421}, std::pair{"localhost", 200}}) {
    http::request r;
    r.headers["host"] = host;
    BOOST_TEST(answer(a, loopback, r) == status, host);
  }
}

BOOST_AUTO_TEST_CASE(plain_http_may_be_refused_from_everywhere) {
  http::access_policy a;
  a.tls_only = true;
  http::request r;
  r.headers["host"] = "localhost";
  BOOST_TEST(answer(a, loopback, r) == 400);
  auto secure = loopback;
  secure.secure = true;
  BOOST_TEST(answer(a, secure, r) == 200);
}

BOOST_AUTO_TEST_CASE(a_page_of_another_site_is_refused) {
  struct {
    const char *host, *origin;
    int status;
  } rows[] = {
      {"localhost:8082", "http://localhost:8082", 200},
      {"localhost:8082", "HTTP://LocalHost:8082", 200},
      {"localhost:8082", "http://127.0.0.1:8082", 403},
      {"localhost:8082", "http://localhost:3000", 403},
      {"localhost:8082", "http://localhost", 403},
      {"localhost:8082", "https://localhost:8082", 403},
      {"localhost:8082", "http://evil.example", 403},
      {"localhost:8082", "null", 403},
      {"localhost:8082", "", 403},
      {"evil.example", "http://evil.example", 421},
  };
  for (const auto& row : rows)
    for (auto method : {"GET", "POST", "OPTIONS"}) {
      http::request r;
      r.method = method;
      r.headers = {{"host", row.host}, {"origin", row.origin}};
      BOOST_TEST(answer({}, loopback, r) == row.status, row.origin);
      // An upgrade of the connection is a request like any other.
      r.headers["upgrade"] = "websocket";
      r.headers["connection"] = "upgrade";
      BOOST_TEST(answer({}, loopback, r) == row.status, row.origin);
    }
}

BOOST_AUTO_TEST_CASE(who_has_no_token_is_refused) {
  struct {
    const char* said;
    int status;
  } rows[] = {
      {"Bearer sesame", 200},
      {"bearer sesame", 200},
      {nullptr, 401},
      {"", 401},
      {"Bearer", 401},
      {"Bearer ", 401},
      {"Bearer sesam", 401},
      {"Bearer sesame2", 401},
      {"Bearer sesamesesame", 401},
      {"Bearer Sesame", 401},
      {"Bearer  sesame", 401},
      {"Bearer sesame, Bearer sesame", 401},
      {"Basic sesame", 401},
      {"sesame", 401},
  };
  for (const auto& row : rows)
    for (auto method : {"GET", "HEAD", "POST", "OPTIONS", "DELETE"})
      for (auto path : {"/", "/api", "/healthz", "/version", "/openapi/v2",
                        "/api/v1/namespaces/default/pods/a/exec"}) {
        http::request r;
        r.method = method;
        r.path = path;
        r.headers = {{"host", "localhost:8082"}};
        if (row.said)
          r.headers["authorization"] = row.said;
        BOOST_TEST(answer(guarded(), loopback, r) == row.status,
                   path << row.said);
        BOOST_TEST(answer({}, loopback, r) == 200);
      }
  http::request r;
  r.headers = {{"host", "localhost:8082"}};
  auto no = http::refuse_access_or_set_user(guarded(), loopback, r, false);
  BOOST_TEST(!r.user);
  BOOST_REQUIRE(no);
  BOOST_TEST(no->headers["WWW-Authenticate"] == "Bearer");
  BOOST_TEST(no->body.find("sesame") == no->body.npos);
}

BOOST_AUTO_TEST_CASE(a_body_says_what_it_is) {
  struct {
    const char *method, *type;
    int status;
  } rows[] = {
      {"POST", "application/json", 200},
      {"POST", "Application/JSON ; charset=utf-8", 200},
      {"PUT", "application/yaml", 200},
      {"DELETE", "application/json", 200},
      {"PATCH", "application/merge-patch+json", 200},
      {"PATCH", "application/json", 415},
      {"POST", "application/merge-patch+json", 415},
      // What a page may send without asking.
      {"POST", nullptr, 415},
      {"POST", "", 415},
      {"POST", "text/plain", 415},
      {"POST", "text/plain; charset=application/json", 415},
      {"POST", "application/x-www-form-urlencoded", 415},
      {"POST", "multipart/form-data; boundary=x", 415},
      {"DELETE", "text/plain", 415},
      {"GET", "text/plain", 415},
      {"POST", "application/json, text/plain", 415},
  };
  for (const auto& row : rows) {
    http::request r;
    r.method = row.method;
    r.headers = {{"host", "localhost:8082"},
                 {"authorization", "Bearer sesame"}};
    if (row.type)
      r.headers["content-type"] = row.type;
    BOOST_TEST(answer(guarded(), loopback, r, true) == row.status, row.method);
    BOOST_TEST(answer(guarded(), loopback, r, false) == 200, row.method);
    BOOST_TEST(answer({}, loopback, r, true) == 200, row.method);
    // Foreign callers learn nothing of formats.
    r.headers.erase("authorization");
    BOOST_TEST(answer(guarded(), loopback, r, true) == 401, row.method);
  }
}

BOOST_AUTO_TEST_CASE(tokens_are_long_and_differ) {
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) {
    auto t = http::make_bearer_token();
    BOOST_REQUIRE(t);
    BOOST_TEST(t->size() == 64u);
    all.insert(*t);
  }
  BOOST_TEST(all.size() == 100u);
}

BOOST_AUTO_TEST_CASE(public_paths_are_read_without_a_token) {
  auto who = guarded();
  who.public_paths = {"/", "/page.css"};
  who.token_place = "a file";
  auto ask = [&](const char* method, const char* path) {
    http::request r;
    r.method = method;
    r.path = path;
    r.headers = {{"host", "localhost:8082"}};
    return answer(who, loopback, r);
  };
  BOOST_TEST(ask("GET", "/") == 200);
  BOOST_TEST(ask("HEAD", "/page.css") == 200);
  BOOST_TEST(ask("PUT", "/") == 401);
  BOOST_TEST(ask("GET", "/jobs") == 401);
  BOOST_TEST(ask("GET", "//") == 401);
  http::request r;
  r.method = "GET";
  r.path = "/jobs";
  r.headers = {{"host", "localhost:8082"}};
  auto refusal = http::refuse_access_or_set_user(who, loopback, r, false);
  BOOST_REQUIRE(refusal);
  BOOST_TEST(refusal->body.find("it is in a file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_token_says_whose_the_request_is) {
  auto who = guarded();
  who.token_user = std::make_shared<user_info>(user_info{"root", {"masters"}});
  who.find_user_by_token = [](std::string_view token) -> user_ptr {
    if (token != "open")
      return nullptr;
    return std::make_shared<user_info>(user_info{"ali", {}});
  };
  struct {
    const char* token;
    const char* user; ///< "": the request is refused.
  } rows[] = {{"Bearer sesame", "root"}, {"Bearer open", "ali"},
              {"bearer open", "ali"},    {"Bearer ope", ""},
              {"Bearer ", ""},           {"open", ""},
              {"Basic open", ""}};
  for (const auto& row : rows) {
    http::request r;
    r.method = "GET";
    r.headers = {{"host", "localhost:8082"}, {"authorization", row.token}};
    auto no = http::refuse_access_or_set_user(who, loopback, r, false);
    BOOST_TEST((no ? no->status : 200) == (*row.user ? 200 : 401), row.token);
    BOOST_TEST((r.user ? r.user->name : "") == row.user, row.token);
  }
}
