#include "actors/admin/admin.hpp"
#include "tests/actors/admin/recording_writer.hpp"
#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(admin_test)

namespace {

/// The operator with one job, and its admin endpoint.
struct admin_fixture : cluster_fixture {
  admin_fixture() {
    make("tfjobs", manifest_of("TFJob",
                               {{"tfReplicaSpecs",
                                 {{"Worker", replica_spec(2, "tensorflow")}}}},
                               "mnist"));
    subject = op.system().spawn(
        admin, admin_config{op.root, op.jobs,
                            [] {
                              return json{{"gateways", 1}};
                            },
                            [this] { return op.wall_clock(); }});
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
    auto back = std::make_shared<recording_writer>();
    caf::anon_send(subject, admin_request{q, back});
    op.run_until_idle();
    return back->answer;
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
    BOOST_TEST(missing.body.find("no TFJob ns/other") != std::string::npos,
               missing.body);
  }
}

BOOST_FIXTURE_TEST_CASE(actors_watchers_and_settings_are_shown, admin_fixture) {
  BOOST_TEST(get("/admin/v1/actors")["actor"] == "root");
  BOOST_TEST(get("/admin/v1/watchers")["watchers"].size() > 5u);
  BOOST_TEST(get("/admin/v1/settings")["gateways"] == 1);
  BOOST_TEST(get("/admin/v1")["paths"].size() >= 7u);
}

BOOST_FIXTURE_TEST_CASE(the_page_is_inside_the_program, admin_fixture) {
  const std::pair<const char*, const char*> files[] = {
      {"/", "text/html; charset=utf-8"},
      {"/page.css", "text/css; charset=utf-8"},
      {"/page.js", "text/javascript; charset=utf-8"},
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

BOOST_AUTO_TEST_SUITE_END()
