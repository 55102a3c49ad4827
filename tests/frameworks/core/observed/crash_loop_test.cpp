#include "frameworks/core/observed/crash_loop.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(crash_loop_test)

namespace {

using kind = k8s::container_status::state_kind;
using run = k8s::container_status::ended_run;

const auto noon = *k8s::from_rfc3339("2026-01-31T12:00:00Z");

/// Of a run that ended at `end` seconds.
run ended(int exit_code, int begin, int end, const char* reason = "Error") {
  return {exit_code, reason, noon + std::chrono::seconds{begin},
          noon + std::chrono::seconds{end}};
}

k8s::container_status waits(int restarts, const char* reason,
                            const char* message, std::optional<run> last) {
  k8s::container_status c;
  c.name = "tensorflow";
  c.restarts = restarts;
  c.state = kind::waiting;
  c.reason = reason;
  c.message = message;
  c.last = std::move(last);
  return c;
}

k8s::container_status runs(int restarts, int since, std::optional<run> last) {
  k8s::container_status c;
  c.name = "tensorflow";
  c.restarts = restarts;
  c.state = kind::running;
  c.started = noon + std::chrono::seconds{since};
  c.last = std::move(last);
  return c;
}

k8s::container_status has_ended(int restarts, const run& r) {
  k8s::container_status c;
  c.name = "tensorflow";
  c.restarts = restarts;
  c.state = kind::terminated;
  c.exit_code = r.exit_code;
  c.reason = r.reason;
  c.started = r.started;
  c.finished = r.finished;
  return c;
}

/// What is said of a running pod with these containers at `at` seconds.
std::string said_of(std::vector<k8s::container_status> containers, int at,
                    const char* restart = "OnFailure",
                    std::vector<k8s::container_status> init = {}) {
  job_fixture s{make_job().workers(1).restart_policy(restart)};
  auto p = pod("worker", 0).in(k8s::pod_phase::running);
  p.state().containers = std::move(containers);
  p.state().init_containers = std::move(init);
  s.observe(p);
  auto loop = core::find_crash_loop(*s.seen.pods().begin(),
                                    noon + std::chrono::seconds{at});
  return loop ? core::describe_crash_loop(*loop) : "";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_container_that_ends_again_and_again) {
  struct row {
    const char* description;
    k8s::container_status container;
    const char* restart;
    int at;
    std::string said;
  };
  const char* back_off = "CrashLoopBackOff";
  const row rows[] = {
      {"waits",
       waits(5, back_off, "back-off 2m40s restarting failed c",
             ended(7, 10, 20)),
       "OnFailure", 30,
       "crash loop, 5 restarts of tensorflow, last exit code 7, next try at "
       "12:03:00 UTC"},
      {"waits after its first restart",
       waits(1, back_off, "back-off 10s restarting failed c",
             ended(137, 10, 20, "OOMKilled")),
       "OnFailure", 21,
       "crash loop, 1 restart of tensorflow, last exit code 137 (OOMKilled), "
       "next try at 12:00:30 UTC"},
      {"waits, and it is not known for how long",
       waits(5, back_off, "", ended(7, 10, 20)), "OnFailure", 30,
       "crash loop, 5 restarts of tensorflow, last exit code 7, the next try "
       "is about to begin"},
      {"waits, and nothing is known of its last run",
       waits(5, back_off, "back-off 10s restarting", std::nullopt), "OnFailure",
       30,
       "crash loop, 5 restarts of tensorflow, the next try is about to begin"},
      {"runs again", runs(5, 30, ended(7, 10, 20)), "OnFailure", 31,
       "crash loop, 5 restarts of tensorflow, last exit code 7, runs again "
       "since 12:00:30 UTC"},
      {"has just ended once more", has_ended(5, ended(7, 30, 33)), "OnFailure",
       33,
       "crash loop, 5 restarts of tensorflow, last exit code 7, the next try "
       "is about to begin"},
      {"ends well, and is always restarted",
       has_ended(2, ended(0, 30, 33, "Completed")), "Always", 33,
       "crash loop, 2 restarts of tensorflow, last exit code 0, the next try "
       "is about to begin"},
      {"has run well for a while", runs(5, 30, ended(7, 10, 20)), "OnFailure",
       630, ""},
      {"was restarted after a long run", runs(5, 3630, ended(7, 10, 3620)),
       "OnFailure", 3631, ""},
      {"ends after a long run", has_ended(5, ended(7, 10, 3620)), "OnFailure",
       3620, ""},
      {"was restarted once", runs(1, 30, ended(7, 10, 20)), "OnFailure", 31,
       ""},
      {"has succeeded at last", has_ended(5, ended(0, 30, 33, "Completed")),
       "OnFailure", 33, ""},
      {"is not restarted", has_ended(5, ended(7, 30, 33)), "Never", 33, ""},
      {"waits for its image",
       waits(5, "ImagePullBackOff", "Back-off pulling image", std::nullopt),
       "OnFailure", 30, ""},
      {"is new", runs(0, 30, std::nullopt), "OnFailure", 31, ""},
  };
  for (const auto& r : rows)
    BOOST_TEST(said_of({r.container}, r.at, r.restart) == r.said,
               r.description);
}

BOOST_AUTO_TEST_CASE(the_back_off_is_read_from_the_kubelets_words) {
  struct row {
    const char* message;
    const char* next;
  } rows[] = {
      {"back-off 10s restarting failed container=c",
       "next try at 12:00:30 UTC"},
      {"back-off 5m0s restarting failed container=c",
       "next try at 12:05:20 UTC"},
      {"back-off 1h0m5s restarting", "next try at 13:00:25 UTC"},
      {"back-off 99999999999999999999s restarting", "about to begin"},
      {"back-off 0s restarting", "about to begin"},
      {"back-off 10 restarting", "about to begin"},
      {"back-off s", "about to begin"},
      {"back-off ", "about to begin"},
      {"10s", "about to begin"},
  };
  for (const auto& r : rows) {
    auto said = said_of(
        {waits(2, "CrashLoopBackOff", r.message, ended(1, 10, 20))}, 20);
    BOOST_TEST(said.find(r.next) != std::string::npos,
               r.message << ": " << said);
  }
}

BOOST_AUTO_TEST_CASE(the_container_that_was_restarted_most_often_is_named) {
  auto often = runs(7, 30, ended(7, 10, 20));
  auto seldom = runs(3, 30, ended(1, 10, 20));
  seldom.name = "mesh";
  BOOST_TEST(said_of({seldom, often}, 31).find("7 restarts of tensorflow")
             != std::string::npos);
  auto init = often;
  init.name = "download";
  BOOST_TEST(said_of({}, 31, "OnFailure", {init})
             == "crash loop, 7 restarts of download, last exit code 7, runs "
                "again since 12:00:30 UTC");
  // Init containers that end well are not started again.
  auto ready = has_ended(7, ended(0, 30, 33));
  BOOST_TEST(said_of({}, 33, "Always", {ready}) == "");
}

BOOST_AUTO_TEST_CASE(pods_that_replace_each_other) {
  struct row {
    const char* description;
    k8s::pod_phase phase;
    int before; ///< Early failures before this pod.
    std::optional<int> started;
    bool failed_early;
    int at;
    const char* said;
  } rows[] = {
      {"waits for its replacement", k8s::pod_phase::failed, 2, 0, true, 6,
       "crash loop, 3 pods in a row failed within 10 s of their start, last "
       "exit code 7, next try at 12:00:25 UTC"},
      {"the first failure", k8s::pod_phase::failed, 0, 0, true, 6, ""},
      {"a late failure", k8s::pod_phase::failed, 2, 0, false, 60, ""},
      {"the next one is pending", k8s::pod_phase::pending, 3, std::nullopt,
       false, 6,
       "crash loop, 3 pods in a row failed within 10 s of their start, the "
       "next try is about to begin"},
      {"the next one runs", k8s::pod_phase::running, 3, 0, false, 9,
       "crash loop, 3 pods in a row failed within 10 s of their start, runs "
       "again since 12:00:00 UTC"},
      {"the next one runs on", k8s::pod_phase::running, 3, 0, false, 10, ""},
      {"the next one has succeeded", k8s::pod_phase::succeeded, 3, 0, false, 9,
       ""},
      {"one failure before it", k8s::pod_phase::running, 1, 0, false, 9, ""},
  };
  for (const auto& r : rows) {
    core::child_view pod;
    pod.phase = r.phase;
    pod.early_failures = r.before;
    pod.failed_early = r.failed_early;
    if (r.started)
      pod.started = noon + std::chrono::seconds{*r.started};
    if (r.phase == k8s::pod_phase::failed) {
      pod.exit_code = 7;
      pod.ended = noon + 5s;
    }
    auto now = noon + std::chrono::seconds{r.at};
    auto loop = core::find_crash_loop(pod, now);
    BOOST_TEST((loop ? core::describe_crash_loop(*loop) : "") == r.said,
               r.description);
    pod.terminating = true;
    BOOST_TEST(!core::find_crash_loop(pod, now), r.description);
  }
}

BOOST_AUTO_TEST_CASE(a_pass_looks_again_when_the_loop_is_over) {
  job_fixture s{make_job().workers(1).restart_policy("OnFailure")};
  s.all_services();
  auto p = pod("worker", 0).in(k8s::pod_phase::running);
  p.state().containers = {runs(5, 0, ended(7, -20, -10))};
  s.observe(p);
  s.now = noon + 9min;
  s.pass();
  BOOST_TEST(s.last.summary
             == "1 of 1 replicas run; job-worker-0: crash loop, 5 restarts of "
                "tensorflow, last exit code 7, runs again since 12:00:00 UTC");
  BOOST_REQUIRE(s.last.requeue_at);
  BOOST_TEST(k8s::to_rfc3339(*s.last.requeue_at) == "2026-01-31T12:10:00Z");
  s.now = *s.last.requeue_at;
  s.pass();
  BOOST_TEST(s.last.summary == "1 of 1 replicas run");
  BOOST_TEST(!s.last.requeue_at);
}

BOOST_AUTO_TEST_SUITE_END()
