#include "actors/admin/admin_responses.hpp"
#include "k8s/json.hpp"
#include "tests/actors/admin/job_rows.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(admin_responses_test)

namespace {

const k8s::time_point noon = *k8s::from_rfc3339("2026-03-01T12:00:00Z");

} // namespace

BOOST_AUTO_TEST_CASE(no_other_site_may_use_or_show_a_response) {
  auto r = make_json_response(200, {{"a", 1}});
  auto& csp = r.headers["Content-Security-Policy"];
  for (const char* part :
       {"default-src 'none'", "script-src 'self'", "style-src 'self'",
        "connect-src 'self'", "img-src 'self'", "frame-ancestors 'none'"})
    BOOST_TEST(csp.find(part) != std::string::npos, part);
  BOOST_TEST(csp.find("unsafe") == std::string::npos);
  BOOST_TEST(r.headers["X-Content-Type-Options"] == "nosniff");
  BOOST_TEST(r.headers["Referrer-Policy"] == "no-referrer");
  BOOST_TEST(r.headers["Cross-Origin-Resource-Policy"] == "same-origin");
}

BOOST_AUTO_TEST_CASE(an_error_is_json_with_its_reason) {
  auto r = make_error_response(404, "no such \"job\"");
  BOOST_TEST(r.status == 404);
  BOOST_TEST(json::parse(r.body) == (json{{"error", "no such \"job\""}}));
  BOOST_TEST(make_method_not_allowed_response("GET, HEAD").headers["Allow"]
             == "GET, HEAD");
}

BOOST_AUTO_TEST_CASE(a_job_that_was_restarted_says_its_attempt_and_why) {
  auto row = row_of("mnist", 2);
  auto first = to_json(job_changes{7, true, {row}, {}}, noon)["jobs"][0];
  BOOST_TEST(!first.contains("attempt"));
  row.attempt = 3;
  row.restart_reason = "OOMKilled";
  auto later = to_json(job_changes{8, true, {row}, {}}, noon)["jobs"][0];
  BOOST_TEST(later["attempt"] == 3);
  BOOST_TEST(later["restartReason"] == "OOMKilled");
}

BOOST_AUTO_TEST_CASE(a_list_of_jobs_has_all_columns) {
  auto row = row_of("mnist", 1);
  row.created = noon - std::chrono::minutes{2};
  row.summary = "1 of 2 replicas runs";
  row.failed = 1;
  BOOST_TEST(to_json(job_changes{7, true, {row}, {}}, noon)
             == (json{{"at", "2026-03-01T12:00:00Z"},
                      {"revision", 7},
                      {"jobs",
                       {{{"kind", "TFJob"},
                         {"namespace", "ns"},
                         {"name", "mnist"},
                         {"uid", "mnist"},
                         {"created", "2026-03-01T11:58:00Z"},
                         {"ageSeconds", 120},
                         {"state", "Running"},
                         {"summary", "1 of 2 replicas runs"},
                         {"finished", false},
                         {"replicas", 2},
                         {"running", 1},
                         {"succeeded", 0},
                         {"failed", 1}}}}}));
}

BOOST_AUTO_TEST_CASE(changes_name_the_removed_jobs) {
  auto changes = to_json(job_changes{8, false, {}, {"uid-1"}}, noon);
  BOOST_TEST(changes["removed"] == json::array({"uid-1"}));
  BOOST_TEST(changes["jobs"] == json::array());
}

BOOST_AUTO_TEST_CASE(watchers_are_found_wherever_they_are_in_the_tree) {
  json pods{{"actor", "watcher"}, {"resource", "pods"}};
  json services{{"actor", "watcher"}, {"resource", "services"}};
  json tree{{"actor", "root"},
            {"at", "2026-03-01T12:00:00Z"},
            {"children",
             {pods,
              {{"actor", "gateway"}},
              {{"actor", "x"}, {"children", {services}}}}}};
  BOOST_TEST(watcher_reports_in(tree)
             == (json{{"at", "2026-03-01T12:00:00Z"},
                      {"watchers", {pods, services}}}));
}

BOOST_AUTO_TEST_SUITE_END()
