#include "actors/admin/admin_paths.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(admin_paths_test)

BOOST_AUTO_TEST_CASE(paths_name_what_is_asked_for) {
  auto subject = [](const char* path) {
    auto target = parse_admin_path(path);
    return target ? static_cast<int>(target->subject) : -1;
  };
  const std::pair<const char*, admin_subject> rows[] = {
      {"/admin/v1", admin_subject::index},
      {"/admin/v1/", admin_subject::index},
      {"/admin/v1/jobs", admin_subject::job_list},
      {"/admin/v1/jobs/team/TFJob/mnist", admin_subject::job},
      {"/admin/v1/jobs/a/TFJob/b/explanation", admin_subject::explanation},
      {"/admin/v1/actors", admin_subject::actors},
      {"/admin/v1/watchers", admin_subject::watchers},
      {"/admin/v1/settings", admin_subject::settings},
      {"/admin/v1/cluster", admin_subject::cluster},
      {"/admin/v1/log-level", admin_subject::log_level},
      {"/admin/v1/stream", admin_subject::stream},
  };
  for (const auto& [path, expected] : rows)
    BOOST_TEST(subject(path) == static_cast<int>(expected), path);
  for (const char* path :
       {"/", "/admin", "/admin/v2", "/admin/v1/job", "/admin/v1/jobs/a",
        "/admin/v1/jobs/a/TFJob", "/admin/v1/jobs/a/TFJob/b/c", "/healthz"})
    BOOST_TEST(subject(path) == -1, path);
}

BOOST_AUTO_TEST_CASE(a_job_has_three_names) {
  auto target = parse_admin_path("/admin/v1/jobs/team/TFJob/mnist");
  BOOST_REQUIRE(target);
  BOOST_TEST(target->ns == "team");
  BOOST_TEST(target->kind == "TFJob");
  BOOST_TEST(target->name == "mnist");
}

BOOST_AUTO_TEST_CASE(the_index_lists_paths_that_are_served) {
  auto index = admin_path_index();
  BOOST_TEST(index["paths"].size() >= 7u);
  for (const auto& row : index["paths"])
    BOOST_TEST(!!parse_admin_path(row["path"]), row.dump());
}

BOOST_AUTO_TEST_SUITE_END()
