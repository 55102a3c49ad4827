#include "actors/admin/admin.hpp"
#include "config/logging.hpp"
#include "tests/actors/admin/recording_writer.hpp"
#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(admin_test)

namespace {

/// The operator with one job, and its admin endpoint.
struct admin_fixture : cluster_fixture {
  admin_fixture() {
    make("tfjobs", tf_job(2, "mnist"));
    subject = op.system().spawn(admin,
                                admin_config{op.root, op.jobs,
                                             [] {
                                               return json{{"gateways", 1}};
                                             },
                                             [this] { return op.wall_clock(); },
                                             "10.0.0.1:6443"});
  }

  ~admin_fixture() {
    caf::anon_send_exit(subject, caf::exit_reason::user_shutdown);
    subject = nullptr;
    op.run_messages();
  }

  k8s::http::response ask(const std::string& path,
                          const std::string& method = "GET") {
    k8s::http::request q;
    q.method = method;
    q.path = path;
    return send(q)->answer;
  }

  std::shared_ptr<recording_writer> send(const k8s::http::request& q) {
    auto back = std::make_shared<recording_writer>();
    caf::anon_send(subject, admin_request{q, back});
    op.run_until_idle();
    return back;
  }

  k8s::http::response put(const std::string& path, const std::string& body) {
    k8s::http::request q;
    q.method = "PUT";
    q.path = path;
    q.body = body;
    return send(q)->answer;
  }

  std::shared_ptr<recording_writer>
  open_stream(std::map<std::string, std::string> query) {
    k8s::http::request q;
    q.method = "GET";
    q.path = "/admin/v1/stream";
    q.query = std::move(query);
    return send(q);
  }

  json get(const std::string& path) {
    auto r = ask(path);
    BOOST_TEST(r.status == 200, path);
    return json::parse(r.body);
  }

  admin_actor subject;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(jobs_are_listed, admin_fixture) {
  auto all = get("/admin/v1/jobs");
  BOOST_REQUIRE(all["jobs"].size() == 1u);
  BOOST_TEST(all["jobs"][0]["name"] == "mnist");
  BOOST_TEST(all["jobs"][0]["state"] == "Created");
  BOOST_TEST(all["jobs"][0]["replicas"] == 2);
  api->erase("tfjobs", "ns/mnist");
  op.run_until_idle();
  BOOST_TEST(get("/admin/v1/jobs")["jobs"].empty());
}

BOOST_FIXTURE_TEST_CASE(a_job_is_shown_as_json_and_explained, admin_fixture) {
  BOOST_TEST(get("/admin/v1/jobs/ns/TFJob/mnist")["pods"].size() == 2u);
  auto text = ask("/admin/v1/jobs/ns/TFJob/mnist/explanation");
  BOOST_TEST(text.status == 200);
  BOOST_TEST(text.content_type == "text/plain; charset=utf-8");
  BOOST_TEST(text.body.find("TFJob ns/mnist: ") == 0u);
  for (const char* path : {"/admin/v1/jobs/ns/TFJob/other",
                           "/admin/v1/jobs/ns/TFJob/other/explanation"}) {
    auto missing = ask(path);
    BOOST_TEST(missing.status == 404, path);
    BOOST_TEST(missing.body.find("TFJob ns/other not found")
                   != std::string::npos,
               missing.body);
  }
}

BOOST_FIXTURE_TEST_CASE(actors_watchers_and_settings_are_shown, admin_fixture) {
  BOOST_TEST(get("/admin/v1/actors")["actor"] == "root");
  BOOST_TEST(get("/admin/v1/watchers")["watchers"].size() > 5u);
  BOOST_TEST(get("/admin/v1/settings")["gateways"] == 1);
  BOOST_TEST(get("/admin/v1/cluster")["apiServer"] == "10.0.0.1:6443");
  BOOST_TEST(get("/admin/v1")["paths"].size() >= 7u);
}

BOOST_FIXTURE_TEST_CASE(the_page_is_inside_the_program, admin_fixture) {
  const std::pair<const char*, const char*> files[] = {
      {"/", "text/html; charset=utf-8"},
      {"/page.css", "text/css; charset=utf-8"},
      {"/page.js", "text/javascript; charset=utf-8"},
      {"/timeline.js", "text/javascript; charset=utf-8"},
      {"/icon.svg", "image/svg+xml"}};
  for (const auto& [path, type] : files) {
    auto r = ask(path);
    BOOST_TEST(r.status == 200, path);
    BOOST_TEST(r.content_type == type);
    BOOST_TEST(r.body.size() > 100u);
    BOOST_TEST(r.headers.count("Content-Security-Policy") == 1u);
  }
  BOOST_TEST(ask("/").body.find("<!doctype html>") == 0u);
}

BOOST_FIXTURE_TEST_CASE(other_paths_and_methods_are_errors, admin_fixture) {
  BOOST_TEST(ask("/admin/v2").status == 404);
  BOOST_TEST(ask("/favicon.ico").status == 404);
  for (const char* path : {"/", "/admin/v1/jobs", "/admin/v1/actors"}) {
    auto r = ask(path, "POST");
    BOOST_TEST(r.status == 405, path);
    BOOST_TEST(r.headers["Allow"] == "GET, HEAD");
  }
  BOOST_TEST(ask("/admin/v1/jobs", "HEAD").status == 200);
}

BOOST_FIXTURE_TEST_CASE(log_levels_are_read_and_changed, admin_fixture) {
  auto before = log::current_levels().general;
  log::set_level_of_all_components(log::level::info);
  BOOST_TEST(get("/admin/v1/log-level")["level"] == "info");
  auto changed = put("/admin/v1/log-level",
                     R"({"component": "watcher", "level": "error"})");
  BOOST_TEST(changed.status == 200);
  BOOST_TEST(json::parse(changed.body)["components"]["watcher"] == "error");
  BOOST_TEST(get("/admin/v1/log-level")["components"]["watcher"] == "error");
  auto refused = put("/admin/v1/log-level", R"({"level": "loud"})");
  BOOST_TEST(refused.status == 400);
  BOOST_TEST(refused.body.find("choose one of debug") != std::string::npos);
  log::set_level_of_all_components(before);
  BOOST_TEST(ask("/admin/v1/log-level", "POST").headers["Allow"]
             == "GET, HEAD, PUT");
}

BOOST_FIXTURE_TEST_CASE(pages_of_other_sites_are_refused, admin_fixture) {
  auto status = [&](std::map<std::string, std::string> headers,
                    const char* method) {
    k8s::http::request q;
    q.method = method;
    q.path = "/admin/v1/log-level";
    q.headers = std::move(headers);
    q.body = R"({"level": "info"})";
    return send(q)->answer.status;
  };
  for (const char* site : {"cross-site", "same-site"})
    for (const char* method : {"GET", "PUT"}) {
      BOOST_TEST(status({{"sec-fetch-site", site}}, method) == 403);
      BOOST_TEST(status({{"sec-fetch-site", site},
                         {"sec-fetch-mode", "navigate"},
                         {"sec-fetch-dest", "iframe"}},
                        method)
                 == 403);
    }
  BOOST_TEST(status({{"sec-fetch-site", "cross-site"},
                     {"sec-fetch-mode", "navigate"},
                     {"sec-fetch-dest", "document"}},
                    "PUT")
             == 403);
  BOOST_TEST(status({{"sec-fetch-site", "cross-site"},
                     {"sec-fetch-mode", "navigate"},
                     {"sec-fetch-dest", "document"}},
                    "GET")
             == 200);
  BOOST_TEST(status({{"sec-fetch-site", "same-origin"}}, "PUT") == 200);
  BOOST_TEST(status({}, "PUT") == 200);
}

BOOST_FIXTURE_TEST_CASE(a_stream_tells_what_changes_in_the_list,
                        admin_fixture) {
  auto stream = open_stream({});
  BOOST_TEST(stream->answer.content_type == "text/event-stream");
  op.advance(1s);
  BOOST_TEST(stream->written.find("event: jobs\ndata: ") == 0u);
  BOOST_TEST(stream->written.find("\"name\":\"mnist\"") != std::string::npos);
  stream->written.clear();
  op.advance(2s);
  BOOST_TEST(stream->written == "");
  api->erase("tfjobs", "ns/mnist");
  op.advance(1s);
  BOOST_TEST(stream->written.find("\"removed\":[\"") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_stream_tells_what_happens_to_one_job, admin_fixture) {
  auto stream = open_stream({{"job", "ns/TFJob/mnist"}});
  op.advance(1s);
  BOOST_TEST(stream->written.find("event: job\ndata: ") == 0u);
  stream->written.clear();
  op.advance(2s);
  BOOST_TEST(stream->written == "");
  api->erase("tfjobs", "ns/mnist");
  op.advance(1s);
  BOOST_TEST(stream->written == "event: gone\ndata: null\n\n");
}

BOOST_FIXTURE_TEST_CASE(streams_are_limited, admin_fixture) {
  std::vector<std::shared_ptr<recording_writer>> all;
  for (std::size_t i = 0; i < event_streams::most_streams; ++i)
    all.push_back(open_stream({}));
  auto refused = open_stream({});
  BOOST_TEST(!refused->started);
  BOOST_TEST(refused->answer.status == 503);
  BOOST_TEST(refused->answer.headers["Retry-After"] == "5");
  all[0]->gone(); // The client left.
  op.run_messages();
  BOOST_TEST(open_stream({})->started);
  all[0]->written.clear();
  op.advance(10s);
  BOOST_TEST(all[0]->written == "");
  BOOST_TEST(all[1]->written.find(": alive") != std::string::npos);
  for (auto& s : all)
    s->gone();
  BOOST_TEST(open_stream({{"job", "mnist"}})->answer.status == 400);
}

BOOST_AUTO_TEST_SUITE_END()
