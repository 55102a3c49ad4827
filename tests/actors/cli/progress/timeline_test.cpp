#include "actors/cli/progress/timeline.hpp"
#include "actors/cli/progress/timeline_page.hpp"

#include <boost/test/unit_test.hpp>

namespace cli = troupe::cli;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(timeline_)

namespace {

const auto start = *troupe::k8s::from_rfc3339("2026-01-01T00:00:00Z");

cli::replica_view replica(const char* slot, const char* phase,
                          std::int64_t restarts = 0) {
  cli::replica_view v;
  v.uid = v.slot = slot;
  v.type = v.slot.substr(0, v.slot.find('-'));
  v.index = std::stoi(v.slot.substr(v.slot.find('-') + 1));
  v.phase = phase;
  v.restarts = restarts;
  return v;
}

cli::job_view job_timeline_row(const char* state) {
  cli::job_view v;
  v.state = state;
  return v;
}

/// "Pending 0-1, Running 1-": seconds since the start.
std::string spans(const cli::timeline_row& row) {
  auto second = [](troupe::k8s::time_point t) {
    return std::to_string((t - start) / 1s);
  };
  std::string out;
  for (const auto& s : row.spans)
    out += (out.empty() ? "" : ", ") + s.state + " " + second(s.begin) + "-"
           + (s.end ? second(*s.end) : "");
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(states_begin_when_they_are_seen_first) {
  cli::timeline t("TFJob", "j");
  t.record_job(job_timeline_row(""), start);
  t.record_job(job_timeline_row("Created"), start);
  t.record_job(job_timeline_row("Running"), start + 2s);
  t.record_job(job_timeline_row("Running"), start + 3s);
  t.record_pod(replica("worker-0", "Pending"), start + 1s);
  t.record_pod(replica("worker-0", "Running"), start + 2s);
  t.record_pod(replica("worker-0", "Running"), start + 3s);
  t.record_pod(replica("worker-0", "Running", 1), start + 4s);
  t.record_pod(replica("worker-0", "Succeeded", 1), start + 5s);
  t.record_pod_deleted("worker-0", start + 6s);
  t.record_pod_deleted("never seen", start + 6s);
  BOOST_TEST(spans(t.job_timeline_row()) == "Created 0-2, Running 2-");
  BOOST_REQUIRE(t.pod_rows().size() == 1u);
  BOOST_TEST(t.pod_rows()[0].name == "worker-0");
  BOOST_TEST(spans(t.pod_rows()[0])
             == "Pending 1-2, Running 2-4, Running 4-5, Succeeded 5-6");
}

BOOST_AUTO_TEST_CASE(pods_are_sorted_by_type_and_index) {
  cli::timeline t("TFJob", "j");
  for (auto slot : {"worker-10", "worker-2", "ps-0"})
    t.record_pod(replica(slot, "Running"), start);
  std::vector<std::string> names;
  for (const auto& row : t.pod_rows())
    names.push_back(row.name);
  const std::vector<std::string> sorted{"ps-0", "worker-2", "worker-10"};
  BOOST_TEST(names == sorted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_page_shows_jobs_pods_and_warnings) {
  cli::timeline t("TFJob", "j");
  t.record_job(job_timeline_row("Running"), start);
  t.record_pod(replica("worker-0", "Running"), start + 5s);
  t.record_pod(replica("worker-0", "Failed"), start + 10s);
  t.record_warning("a < b & \"c\"", start + 7s);
  auto page = cli::make_timeline_page({&t}, start + 10s);
  for (auto part : {
           "<title>TFJob j</title>",
           "<h1>TFJob j: Running</h1>",
           ">worker-0</text>",
           // From the middle to the end of 800 units that begin at 170.
           "<rect class=\"Running\" x=\"570\" y=\"23\" width=\"400\"",
           "<title>Running from 5 s for 5 s",
           "<td>7 s</td><td>a &lt; b &amp; &quot;c&quot;</td>",
           "Seconds since 2026-01-01T00:00:00Z",
       })
    BOOST_TEST(page.find(part) != std::string::npos, part);
  // Nothing is fetched.
  for (auto part : {"http:", "https:", "src=", "href=", "<script"})
    BOOST_TEST(page.find(part) == std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(a_page_of_nothing_is_a_page) {
  cli::timeline t("TFJob", "j");
  auto page = cli::make_timeline_page({&t}, start);
  BOOST_TEST(page.find("<h1>TFJob j</h1>") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
