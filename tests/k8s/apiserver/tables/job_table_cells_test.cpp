#include "k8s/apiserver/tables/job_table_cells.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_table_cells)

namespace {

const auto start = *from_rfc3339("2026-01-01T00:00:00Z");

json with_condition(const char* type, const char* status = "True") {
  return {{"status", {{"conditions", {{{"type", type}, {"status", status}}}}}}};
}

} // namespace

BOOST_AUTO_TEST_CASE(cells_are_those_of_kubernetes) {
  json ended{{"status",
              {{"startTime", to_rfc3339(start)},
               {"completionTime", to_rfc3339(start + 90s)}}}};
  json leaving = with_condition("Suspended");
  leaving["metadata"]["deletionTimestamp"] = to_rfc3339(start);
  json containers{{{"name", "a"}, {"image", "i"}},
                  {{"name", "b"}, {"image", "j"}}};
  json with_template{{"spec",
                      {{"template", {{"spec", {{"containers", containers}}}}},
                       {"selector", {{"matchLabels", {{"k", "v"}}}}}}}};
  struct row {
    const char* column;
    json job;
    const char* cell;
  } rows[] = {
      {"!job_status", json::object(), "Running"},
      {"!job_status", with_condition("Complete"), "Complete"},
      {"!job_status", with_condition("Failed"), "Failed"},
      {"!job_status", with_condition("Suspended"), "Suspended"},
      {"!job_status", with_condition("Suspended", "False"), "Running"},
      {"!job_status", with_condition("FailureTarget"), "FailureTarget"},
      {"!job_status", with_condition("SuccessCriteriaMet"),
       "SuccessCriteriaMet"},
      {"!job_status", leaving, "Terminating"},
      {"!job_completions", {{"spec", {{"completions", 3}}}}, "0/3"},
      {"!job_completions",
       {{"spec", {{"parallelism", 2}}}, {"status", {{"succeeded", 1}}}},
       "1/1 of 2"},
      {"!job_completions", {{"spec", {{"parallelism", 1}}}}, "0/1"},
      {"!job_duration", json::object(), ""},
      {"!job_duration", ended, "90s"},
      {"!job_duration",
       {{"status", {{"startTime", to_rfc3339(start)}}}},
       "30s"},
      {"!job_containers", with_template, "a,b"},
      {"!job_images", with_template, "i,j"},
      {"!job_selector", with_template, "k=v"},
      {"!job_selector", json::object(), "<none>"},
  };
  for (const auto& r : rows)
    BOOST_TEST(job_table_cell(r.column, r.job, start + 30s) == r.cell,
               r.column << " " << r.cell);
}

BOOST_AUTO_TEST_SUITE_END()
