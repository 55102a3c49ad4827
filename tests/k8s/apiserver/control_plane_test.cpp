#include "k8s/apiserver/control_plane.hpp"
#include "k8s/apiserver/local_api.hpp"
#include "k8s/calls.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

#include <boost/asio.hpp>

#include <deque>
#include <future>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
using namespace std::chrono_literals;

namespace {

/// A client that sends bytes as they are.
struct caller {
  explicit caller(const control_plane& p)
      : port{p.local_http_url().substr(p.local_http_url().rfind(':') + 1)}
      , token{p.token()} {}

  /// What is right for `request` ("GET /api"), but for `headers`: "" leaves
  /// one out.
  std::string text(const std::string& request,
                   std::map<std::string, std::string> headers = {},
                   const std::string& body = "") const {
    headers.insert({{"Host", "127.0.0.1:" + port},
                    {"Authorization", "Bearer " + token},
                    {"Content-Type", "application/json"},
                    {"Content-Length", std::to_string(body.size())}});
    auto out = request + " HTTP/1.1\r\n";
    for (const auto& [name, value] : headers)
      if (!value.empty())
        out += name + ": " + value + "\r\n";
    return out + "\r\n" + body;
  }

  /// What the server answers, up to `end` or until it closes.
  std::string fetch(const std::string& said,
                    const std::string& end = {}) const {
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket s{io};
    s.connect({boost::asio::ip::address_v4::loopback(),
               static_cast<std::uint16_t>(std::stoi(port))});
    boost::asio::write(s, boost::asio::buffer(said));
    timeval limit{20, 0};
    ::setsockopt(s.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit,
                 sizeof limit);
    std::string heard;
    boost::system::error_code over;
    while ((end.empty() || heard.find(end) == heard.npos) && !over) {
      char piece[65536];
      auto n = s.read_some(boost::asio::buffer(piece), over);
      heard.append(piece, n);
    }
    return heard;
  }

  std::string port;
  std::string token;
};

std::string pod_text(const std::string& name) {
  return pod(name).dump();
}

struct fixed_log : log_source {
  std::function<void()> stream_log(const std::string&, const std::string& pod,
                                   const std::string& container,
                                   const log_options& o, log_sink to) override {
    if (pod == "silent") {
      to.end(failure{ec::not_found, "nothing yet"});
      return [] {};
    }
    to.chunk(container + " says " + std::to_string(o.tail_lines.value_or(-1)));
    to.end(nothing{});
    return [] {};
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(local)

BOOST_AUTO_TEST_CASE(a_synchronous_api_answers_inside_the_call) {
  server_fixture s;
  auto a = make_local_api(s.core);
  std::string seen;
  auto session = a->watch(watch({resources::pods, "", "", ""}, 0, 60s), 1s,
                          {[&](auto text) { seen += text; }, [](auto) {}});
  bool done = false;
  a->send(create(resources::pods, "default", pod_text("a")), 1s, [&](auto r) {
    BOOST_TEST(bool(r));
    done = true;
  });
  BOOST_TEST(done);
  BOOST_TEST(seen.find("ADDED") != seen.npos);
  seen.clear();
  session.reset();
  a->send(remove({resources::pods, "default", "a"}, ""), 1s, [](auto) {});
  BOOST_TEST(seen.empty());
}

BOOST_AUTO_TEST_CASE(failures_arrive_by_their_code) {
  server_fixture s;
  auto a = make_local_api(s.core);
  auto code = [&](request r) {
    auto out = ec::bug;
    a->send(std::move(r), 1s, [&](result<std::string> x) {
      out = x ? ec::cancelled : x.error().code;
    });
    return out;
  };
  auto make = create(resources::pods, "default", pod_text("a"));
  BOOST_TEST((code(make) == ec::cancelled)); // It worked.
  BOOST_TEST((code(make) == ec::exists));
  BOOST_TEST((code(get({resources::pods, "default", "b"})) == ec::not_found));
  BOOST_TEST((code(remove({resources::pods, "default", "a"}, "other"))
              == ec::conflict));
  BOOST_TEST((code(create(resources::pods, "default", "{}")) == ec::invalid));
  BOOST_TEST((code(create(resources::pods, "nowhere", pod_text("a")))
              == ec::not_found));
}

BOOST_AUTO_TEST_CASE(a_queued_api_waits_for_its_turn) {
  server_fixture s;
  std::deque<std::function<void()>> queue;
  auto a = make_local_api(s.core,
                          [&](auto task) { queue.push_back(std::move(task)); });
  int done = 0;
  a->send(create(resources::pods, "default", pod_text("a")), 1s,
          [&](auto) { ++done; });
  BOOST_TEST(done == 0);
  queue.front()();
  BOOST_TEST(done == 1);
}

BOOST_AUTO_TEST_CASE(a_session_may_end_from_inside_its_sink) {
  server_fixture s;
  auto a = make_local_api(s.core);
  std::unique_ptr<watch_session> session;
  int heard = 0;
  session = a->watch(watch({resources::pods, "", "", ""}, 1, 60s), 1s,
                     {[&](auto) {
                        ++heard;
                        session.reset();
                      },
                      [](auto) {}});
  for (auto name : {"a", "b"})
    a->send(create(resources::pods, "default", pod_text(name)), 1s,
            [](auto) {});
  BOOST_TEST(heard == 1);
}

BOOST_AUTO_TEST_CASE(logs_come_from_their_source) {
  server_fixture s;
  fixed_log logs;
  for (auto name : {"a", "silent"})
    s.post(pods, pod(name));
  auto read = [&](const std::string& path) {
    auto e = std::make_shared<server_fixture::watch_recorder>();
    s.core.serve(s.request("GET", path), e);
    return e->refused ? std::to_string(e->refused) : e->text;
  };
  BOOST_TEST(read(pods + "/a/log") == "400");
  s.core.set_log_source(&logs);
  BOOST_TEST(read(pods + "/a/log?tailLines=3") == "c says 3");
  BOOST_TEST(read(pods + "/a/log?container=x") == "400");
  BOOST_TEST(read(pods + "/silent/log") == "400");
  BOOST_TEST(read(pods + "/none/log") == "404");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(over_http)

BOOST_AUTO_TEST_CASE(a_control_plane_serves_and_stops) {
  auto p = start_control_plane({});
  BOOST_REQUIRE(p);
  caller c{**p};
  BOOST_TEST(c.fetch(c.text("GET /readyz"), "ok").find("200 OK")
             != std::string::npos);
  for (const auto& part : {(*p)->server_url(), (*p)->token()})
    BOOST_TEST((*p)->kubeconfig().find(part) != std::string::npos);
  auto a = (*p)->make_local_api();
  std::promise<bool> made;
  a->send(create(resources::pods, "default", pod_text("a")), 1s,
          [&](auto r) { made.set_value(bool(r)); });
  BOOST_TEST(made.get_future().get());
  auto text = c.fetch(c.text("GET /api/v1/pods?watch=1"), "\"ADDED\"");
  BOOST_TEST(text.find("Transfer-Encoding: chunked") != std::string::npos);
  BOOST_TEST(text.find("\"ADDED\"") != std::string::npos);
  a.reset();
}

BOOST_AUTO_TEST_CASE(a_page_of_somebody_else_starts_nothing) {
  auto p = start_control_plane({});
  BOOST_REQUIRE(p);
  caller c{**p};
  auto make = [&](const std::string& name,
                  std::map<std::string, std::string> headers) {
    headers["Connection"] = "close"; // The end of the answer is its end.
    return c.fetch(c.text("POST " + pods, headers, pod_text(name)));
  };
  auto count = [&] {
    std::size_t n = 0;
    (*p)->run_on_server_thread_and_wait([&](api_server& core) {
      http::request r;
      r.method = "GET";
      r.path = pods;
      n = json::parse(core.handle(r).body)["items"].size();
    });
    return n;
  };
  const std::map<std::string, std::string> page{
      {"Content-Type", "text/plain"},
      {"Origin", "http://evil.example"},
      {"Host", "evil.example"},
      {"Authorization", ""}};
  struct {
    const char *status, *reason;
    std::map<std::string, std::string> headers;
  } rows[] = {
      {"421", "MisdirectedRequest", page},
      {"421", "MisdirectedRequest", {{"Host", "evil.example:" + c.port}}},
      {"421", "MisdirectedRequest", {{"Host", "localhost:1"}}},
      {"403", "Forbidden", {{"Origin", "http://evil.example"}}},
      {"403", "Forbidden", {{"Origin", "null"}}},
      {"401", "Unauthorized", {{"Authorization", ""}}},
      {"401", "Unauthorized", {{"Authorization", "Bearer guess"}}},
      {"401",
       "Unauthorized",
       {{"Authorization", ""}, {"Content-Type", "text/plain"}}},
      {"415", "UnsupportedMediaType", {{"Content-Type", "text/plain"}}},
      {"415", "UnsupportedMediaType", {{"Content-Type", ""}}},
      {"415",
       "UnsupportedMediaType",
       {{"Content-Type", "application/merge-patch+json"}}},
  };
  for (const auto& row : rows) {
    auto text = make("page", row.headers);
    BOOST_TEST(text.substr(9, 3) == row.status, text);
    auto status = json::parse(text.substr(text.find("\r\n\r\n")));
    BOOST_TEST(status["kind"] == "Status");
    BOOST_TEST(status["reason"] == row.reason);
  }
  BOOST_TEST(count() == 0u);
  for (const auto& headers : std::vector<std::map<std::string, std::string>>{
           {},
           {{"Host", "localhost:" + c.port}},
           {{"Origin", "http://127.0.0.1:" + c.port}},
           {{"Content-Type", "application/yaml"}}}) {
    auto before = count();
    auto text = make("right-" + std::to_string(before), headers);
    BOOST_TEST(text.substr(9, 3) == "201", text);
    BOOST_TEST(count() == before + 1);
  }
}

BOOST_AUTO_TEST_CASE(each_run_has_a_token_of_its_own) {
  auto one = start_control_plane({});
  auto two = start_control_plane({});
  BOOST_REQUIRE(one);
  BOOST_REQUIRE(two);
  BOOST_TEST((*one)->token() != (*two)->token());
  caller c{**one};
  c.token = (*two)->token();
  BOOST_TEST(c.fetch(c.text("GET /version"), "}\n").find(" 401 ")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_administrator_is_told_where_the_operator_is) {
  auto p = start_control_plane({});
  BOOST_REQUIRE(p);
  caller c{**p};
  auto ask = [&] {
    return c.fetch(c.text("GET " + std::string{operator_path}), "}");
  };
  BOOST_TEST(ask().find(R"("operator":false)") != std::string::npos);
  (*p)->set_local_operator({true, "http://127.0.0.1:8082"});
  auto answer = ask();
  BOOST_TEST(answer.find(R"("operator":true)") != std::string::npos);
  BOOST_TEST(answer.find(R"("admin":"http://127.0.0.1:8082")")
             != std::string::npos);
  c.token = *(*p)->make_service_account_token("default", "default", 1h);
  BOOST_TEST(ask().find("8082") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(tokens_of_accounts_are_accepted) {
  control_plane_options o;
  o.environment.authorization = authorization_mode::rbac;
  auto p = start_control_plane(std::move(o));
  BOOST_REQUIRE(p);
  auto token = (*p)->make_service_account_token("default", "default", 1h);
  BOOST_REQUIRE(token);
  caller c{**p};
  auto status_of = [&](const std::string& request) {
    return c.fetch(c.text(request), "}\n").substr(9, 3);
  };
  BOOST_TEST(status_of("GET /api/v1/nodes") == "200");
  c.token = *token;
  BOOST_TEST(status_of("GET /version") == "200");
  BOOST_TEST(status_of("GET /api/v1/nodes") == "403");
  c.token.pop_back();
  BOOST_TEST(status_of("GET /version") == "401");
  BOOST_TEST(!(*p)->make_service_account_token("default", "nobody", 1h));
}

BOOST_AUTO_TEST_CASE(an_account_of_the_process_has_its_rights) {
  control_plane_options o;
  o.environment.authorization = authorization_mode::rbac;
  auto p = start_control_plane(std::move(o));
  BOOST_REQUIRE(p);
  auto ask = [&](user_ptr who) {
    auto a = (*p)->make_local_api(std::move(who));
    std::promise<result<std::string>> answer;
    a->send(list({resources::pods, "", "", ""}, 0, ""), 1s,
            [&](auto text) { answer.set_value(std::move(text)); });
    return answer.get_future().get();
  };
  BOOST_TEST(static_cast<bool>(ask(nullptr)));
  auto no = ask(std::make_shared<user_info>(user_info{"jane"}));
  BOOST_REQUIRE(!no);
  BOOST_TEST((no.error().code == ec::forbidden));
}

BOOST_AUTO_TEST_CASE(garbage_goes_by_itself) {
  control_plane_options o;
  o.garbage_collection_period = 1ms;
  auto p = start_control_plane(std::move(o));
  BOOST_REQUIRE(p);
  auto a = (*p)->make_local_api();
  auto orphan = pod("a");
  orphan["metadata"]["ownerReferences"] = {{{"apiVersion", "v1"},
                                            {"kind", "ConfigMap"},
                                            {"name", "j"},
                                            {"uid", "u"}}};
  std::promise<void> gone;
  std::string seen;
  auto session = a->watch(watch({resources::pods, "", "", ""}, 1, 60s), 1s,
                          {[&](auto text) {
                             seen += text;
                             if (text.find("DELETED") != text.npos)
                               gone.set_value();
                           },
                           [](auto) {}});
  a->send(create(resources::pods, "default", orphan.dump()), 1s, [](auto) {});
  BOOST_TEST((gone.get_future().wait_for(20s) == std::future_status::ready));
  session.reset();
}

BOOST_AUTO_TEST_CASE(a_bad_definition_is_named) {
  control_plane_options o;
  o.crds = {R"({"metadata":{"name":"x"}})"};
  auto p = start_control_plane(std::move(o));
  BOOST_REQUIRE(!p);
  BOOST_TEST(p.error().message.find("\"x\" is invalid") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
