// Which jobs have a supervisor.
#include "tests/actors/jobs/directory_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(directory_test)

BOOST_AUTO_TEST_CASE(one_row_has_a_job_that_two_versions_show) {
  const auto* v1 = frameworks::find("kubeflow.org/v1", "MPIJob");
  const auto* v2 = frameworks::find("kubeflow.org/v2beta1", "MPIJob");
  struct seen {
    const core::framework* kind;
    const char* created_as; ///< "": the spec does not say.
  };
  struct row {
    const char* what;
    std::vector<seen> steps;
    const char* api_version; ///< Of the row that has it.
  };
  const row rows[] = {
      {"the first, if nobody knows",
       {{v2, ""}, {v1, ""}},
       "kubeflow.org/v2beta1"},
      {"the one that is named", {{v2, ""}, {v1, "v1"}}, "kubeflow.org/v1"},
      {"not the one that cannot know",
       {{v1, "v1"}, {v2, ""}},
       "kubeflow.org/v1"},
  };
  for (bool leads : {true, false})
    for (const auto& r : rows)
      BOOST_TEST_CONTEXT(r.what) {
        directory_fixture f{leads};
        f.listed();
        for (const auto& s : r.steps) {
          auto o = directory_fixture::job_object("pi");
          o.state = k8s::spec_and_status_state{
              *s.created_as == '\0' ? "{}"
                                    : json{{"createdAs", s.created_as}}.dump(),
              "null"};
          f.send(f.subject,
                 job_seen{s.kind, std::make_shared<k8s::object>(o), 1});
        }
        if (!leads)
          f.send(f.subject, atom::lead::value);
        auto report = f.ask(f.subject, get_job_report{"ns", "MPIJob", "pi"});
        BOOST_TEST(report["apiVersion"] == r.api_version);
      }
}

BOOST_AUTO_TEST_CASE(an_old_job_of_the_name_does_not_end_the_new_one) {
  directory_fixture f;
  f.listed();
  f.see(directory_fixture::job_object("j", "new", 9));
  f.see(directory_fixture::job_object("j", "old", 5));
  BOOST_TEST(f.report_of("j")["uid"] == "new");
  f.see(directory_fixture::job_object("j", "newer", 10));
  BOOST_TEST(f.report_of("j")["uid"] == "newer");
}

BOOST_AUTO_TEST_CASE(no_job_is_started_before_all_is_listed_and_we_lead) {
  struct row {
    bool leads;
    const char* steps; ///< 'p', 's': pods, services listed; 'l': it leads.
    bool started;
  };
  // clang-format off
  const row rows[] = {
      {true,  "",    false},
      {true,  "p",   false},
      {true,  "pp",  false},
      {true,  "ps",  true},
      {false, "ps",  false},
      {false, "l",   false},
      {false, "psl", true},
      {false, "lsp", true},
  };
  // clang-format on
  for (const auto& r : rows)
    for (bool seen_first : {true, false}) {
      directory_fixture f{r.leads};
      if (seen_first)
        f.see(f.job_object("a"));
      for (char step : std::string{r.steps})
        if (step == 'l')
          f.send(f.subject, atom::lead::value);
        else
          f.complete_list(step == 'p' ? child_kind::pod : child_kind::service);
      if (!seen_first)
        f.see(f.job_object("a"));
      BOOST_TEST_CONTEXT(r.steps) {
        BOOST_TEST(f.has_supervisor("a") == r.started);
        BOOST_TEST(f.report()["jobsHeld"] == (r.started ? 0 : 1));
        BOOST_TEST(f.waits("create pods a-worker-0") == r.started);
      }
    }
}

BOOST_AUTO_TEST_CASE(a_list_of_another_namespace_is_not_the_awaited_one) {
  directory_fixture f{true, "ns"};
  f.see(f.job_object("a"));
  f.complete_list(child_kind::pod, 1, 1, "ns");
  f.complete_list(child_kind::service, 1, 1, "other");
  BOOST_TEST(!f.has_supervisor("a"));
  f.complete_list(child_kind::service, 1, 1, "ns");
  BOOST_TEST(f.has_supervisor("a"));
}

BOOST_AUTO_TEST_CASE(a_held_job_starts_as_it_was_seen_last) {
  directory_fixture f;
  f.see(f.job_object("a"));
  auto newer = make_job("a").workers(2).object();
  newer.meta.uid = "a-uid";
  newer.meta.resource_version = 2;
  f.see(newer);
  f.see(f.job_object("gone"));
  f.forget("gone");
  f.see(f.job_object("unlisted"));
  f.complete_list_of_jobs(2, 1); // Only "a" is newer than this list.
  f.listed();
  BOOST_TEST(f.waits("create pods a-worker-1"));
  BOOST_TEST(f.report()["jobs"] == 1);
}

BOOST_AUTO_TEST_CASE(
    children_reach_the_job_that_owns_them_or_that_labels_name) {
  struct row {
    const char* what;
    child_builder child;
    const char* named; ///< The job that its labels name.
    strings a, b;
    int unclaimed;
  };
  const strings none, one{"pod-worker-0"};
  auto worker = [] { return pod("worker", 0); };
  // clang-format off
  const row rows[] = {
      {"owned",               worker(),                   "a", one,  none, 0},
      {"owner before labels", worker().owned_by("b-uid", "b"), "a", none, one, 0},
      {"orphan",              worker().orphan(),          "b", none, one,  0},
      {"unknown owner",       worker().owned_by("x"),     "a", none, none, 1},
      {"UID of b, name of a", worker().owned_by("b-uid"), "a", none, none, 1},
      {"in another namespace", worker().in_namespace("b"), "a", none, none, 1},
      {"orphan there",        worker().orphan().in_namespace("b"), "b", none,
       none, 1},
      {"orphan of unknown",   worker().orphan(),          "x", none, none, 1},
  };
  // clang-format on
  for (const auto& r : rows)
    for (bool jobs_first : {true, false})
      BOOST_TEST_CONTEXT(r.what << ", jobs first: " << jobs_first) {
        directory_fixture f;
        f.listed();
        if (!jobs_first)
          f.see(r.child, r.named);
        f.see(f.job_object("a"));
        f.see(f.job_object("b"));
        if (jobs_first)
          f.see(r.child, r.named);
        BOOST_TEST(f.pods_of("a") == r.a, per_element());
        BOOST_TEST(f.pods_of("b") == r.b, per_element());
        BOOST_TEST(f.report()["childrenUnclaimed"] == r.unclaimed);
      }
}

BOOST_AUTO_TEST_CASE(a_list_removes_what_was_not_in_it_and_is_not_newer) {
  struct row {
    std::uint64_t seen_in, version; ///< Of the object.
    std::uint64_t list_number, list_version;
    const char* ns; ///< Of the list.
    bool kept;
  };
  // clang-format off
  const row rows[] = {
      {1, 5, 2, 9, "",      false},
      {1, 5, 2, 5, "",      false},
      {1, 5, 2, 4, "",      true},  // Newer than the list.
      {2, 5, 2, 9, "",      true},  // It was in it.
      {1, 5, 2, 0, "",      true},  // A list that was refused.
      {1, 5, 2, 9, "ns",    false},
      {1, 5, 2, 9, "other", true},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.seen_in << " " << r.list_version << " " << r.ns) {
      for (bool held : {false, true}) {
        directory_fixture f;
        if (!held)
          f.listed();
        f.see(f.job_object("a", "", r.version), r.seen_in);
        f.complete_list_of_jobs(r.list_number, r.list_version, r.ns);
        BOOST_TEST(f.report()[held ? "jobsHeld" : "jobs"] == (r.kept ? 1 : 0));
        f.listed();
        BOOST_TEST(f.has_supervisor("a") == r.kept);
      }
      directory_fixture f;
      f.listed();
      f.see(f.job_object("a"));
      f.see(pod("worker", 0).version(r.version), "a", r.seen_in);
      f.complete_list(child_kind::pod, r.list_number, r.list_version, r.ns);
      BOOST_TEST(f.report()["childrenKnown"] == (r.kept ? 1 : 0));
      BOOST_TEST(f.pods_of("a").size() == (r.kept ? 1u : 0u));
    }
}

BOOST_AUTO_TEST_CASE(a_new_job_takes_the_name_of_one_whose_end_was_not_seen) {
  directory_fixture f;
  f.listed();
  f.see(f.job_object("a"));
  f.see(f.job_object("a", "second"));
  BOOST_TEST(f.report()["jobs"] == 1);
  BOOST_TEST(f.report_of("a")["uid"] == "second");
  f.forget("a"); // The end of the first, late.
  BOOST_TEST(f.report_of("a")["uid"] == "second");
}

BOOST_AUTO_TEST_CASE(a_deleted_job_ends_its_supervisor) {
  directory_fixture f;
  f.listed();
  f.see(f.job_object("a"));
  f.forget("a");
  BOOST_TEST(!f.has_supervisor("a"));
  f.advance(1h); // It is not started again.
  BOOST_TEST(f.ask(f.subject, get_tree{})["children"].empty());
}

BOOST_AUTO_TEST_CASE(a_failed_supervisor_is_started_again_and_reads_its_job) {
  directory_fixture f;
  f.listed();
  f.see(f.job_object("a"));
  f.see(f.job_object("b"));
  auto delays = {100ms, 200ms, 400ms};
  f.fail_supervisor("a");
  for (auto delay : delays) {
    BOOST_TEST(!f.has_supervisor("a"));
    BOOST_TEST(f.has_supervisor("b"));
    f.see(pod("worker", 0), "a"); // Nobody hears this.
    f.advance(delay - 1ms);
    BOOST_TEST(!f.has_supervisor("a"));
    f.advance(1ms);
    BOOST_REQUIRE(f.waits("get tfjobs a"));
    BOOST_TEST(f.report_of("a")["recovering"] == true);
    f.fail(f.find_call("get tfjobs a").caller);
    f.calls.clear();
  }
}

BOOST_AUTO_TEST_CASE(a_job_deleted_before_its_restart_is_not_started) {
  directory_fixture f;
  f.listed();
  f.see(f.job_object("a"));
  f.fail_supervisor("a");
  f.forget("a");
  f.calls.clear();
  f.advance(1h);
  BOOST_TEST(f.calls.empty());
  BOOST_TEST(f.report()["jobs"] == 0);
}

BOOST_AUTO_TEST_SUITE_END()
