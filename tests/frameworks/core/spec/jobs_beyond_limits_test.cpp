// What becomes of a job that exceeds a limit, and how much of it a pass looks
// at.
#include "frameworks/core/observed/classify.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "tests/frameworks/core/spec/limits_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(jobs_beyond_limits_test)

BOOST_AUTO_TEST_CASE(a_job_that_must_not_begin_fails_before_anything_is_made) {
  for (auto job : {job_of_types("MXJob", 100, 100'000).get(),
                   job_of_types("TFJob", 60, 100'000).get(),
                   make_tasks_job(spec_of_tasks(100, 100'000)),
                   make_dijob(coordinator_with("Now"))}) {
    job_fixture s{job};
    s.pass();
    BOOST_TEST(s.status.is_finished());
    BOOST_TEST(s.decisions().empty());
    BOOST_REQUIRE_EQUAL(s.last.events.back().warning, true);
    BOOST_TEST(s.last.events.back().message.find(job.limit_error)
               != std::string::npos);
    std::size_t slots = 0;
    for (const auto& type : core::classify_children(job, s.seen).types)
      slots += type.slots.size();
    BOOST_TEST(slots <= static_cast<std::size_t>(core::max_replicas));
  }
  job_fixture s{job_of_types("MXJob", 65, 1)};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed");
  BOOST_TEST(s.status.find_condition("Failed")->reason
             == "MXJobFailedValidation");
}

// As left by an operator that had no limits.
BOOST_AUTO_TEST_CASE(a_job_that_has_begun_runs_on) {
  auto odd = make_job().workers(2).restart_policy("Sometimes");
  auto nameless = make_job().workers(1).type("", 1);
  for (auto job : {job_of_types("TFJob", 65, 1), odd, nameless}) {
    job_fixture s{job};
    s.j.limit_error.clear(); // The rules of before.
    s.pass_and_save();
    const auto made = s.decisions();
    BOOST_TEST(made.size() >= 4u);
    s.j = job.get();
    BOOST_TEST(!s.j.limit_error.empty());
    s.pass_and_save();
    BOOST_TEST(s.conditions() == "Created");
    BOOST_TEST(s.decisions() == made, boost::test_tools::per_element());
    s.j = job.suspended().get();
    s.pass_and_save();
    BOOST_TEST(s.conditions() == "Created Suspended");
    s.j = job.suspended(false).get();
    s.pass_and_save();
    BOOST_TEST(!s.status.is_finished());
  }
}

BOOST_AUTO_TEST_CASE(one_with_pods_has_begun_though_its_status_was_not_saved) {
  job_fixture s{make_job().workers(2).restart_policy("Sometimes")};
  s.all_services().observe({pod("worker", 0).running()});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");
}

BOOST_AUTO_TEST_CASE(types_share_what_a_pass_looks_at) {
  struct share_row {
    std::vector<int> replicas;
    int most; ///< Of any type.
    int seen; ///< Of all together.
  } rows[] = {
      {{}, 100'000, 0},
      {{100'000}, 100'000, 100'000},
      {{1, 99'999}, 100'000, 100'000},
      {{1, 100'000}, 99'999, 100'000},
      {{0, 100'000, 2, 100'000}, 49'999, 100'000},
      {{60'000, 60'000}, 50'000, 100'000},
      {std::vector<int>(100, 100'000), 1'000, 100'000},
      {std::vector<int>(3, 100'000), 33'333, 99'999},
  };
  for (const auto& r : rows) {
    auto b = make_job();
    for (std::size_t i = 0; i < r.replicas.size(); ++i)
      b.type(type_name(static_cast<int>(i)), r.replicas[i]);
    auto job = b.get();
    BOOST_TEST(core::most_replicas_of_type_in_pass(job) == r.most);
    std::size_t seen = 0;
    for (const auto& type : core::classify_children(job, {}).types)
      seen += type.slots.size();
    BOOST_TEST(seen == static_cast<std::size_t>(r.seen));
  }
}

BOOST_AUTO_TEST_CASE(of_a_huge_job_that_has_begun_a_pass_looks_at_a_part) {
  auto job = job_of_types("TFJob", 3, 90'000).get();
  BOOST_TEST(core::most_replicas_of_type_in_pass(job) == 33'333);
  job_fixture s{job};
  s.observe({pod("t0", 0).running(), pod("t1", 89'999).running(),
             pod("t2", 90'000).running()});
  s.pass_and_save();
  BOOST_TEST(!s.status.is_finished());
  // What it wants is left alone, what it does not want goes.
  int deletions = 0;
  for (const auto& d : s.decisions())
    if (d.rfind("delete", 0) == 0) {
      ++deletions;
      BOOST_TEST(d == "delete pod job-t2-90000");
    }
  BOOST_TEST(deletions == 1);
}

BOOST_AUTO_TEST_CASE(a_spec_too_deep_to_be_read_fails_the_job) {
  auto b = make_job();
  auto o = b.workers(1).object();
  auto& state = std::get<k8s::spec_and_status_state>(o.state);
  state.spec = "{\"x\":" + std::string(500, '[') + std::string(500, ']') + "}";
  auto j = core::decode_job(row_of_kind("TFJob"), o);
  BOOST_REQUIRE(j);
  BOOST_TEST(j->validation_error.find("is nested 501 levels deep")
             != std::string::npos);
  job_fixture s{*j};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed");
}

// What is no JSON shows that no values are made of it.
BOOST_AUTO_TEST_CASE(of_a_spec_of_too_many_values_none_is_made) {
  auto b = make_job();
  auto o = b.workers(1).object();
  auto& state = std::get<k8s::spec_and_status_state>(o.state);
  state.spec = "{\"x\":[";
  state.spec.append(core::max_read_values, ',');
  auto j = core::decode_job(row_of_kind("TFJob"), o);
  BOOST_REQUIRE(j);
  const std::string sentence = "spec: Too many: has 200003 values";
  BOOST_TEST(j->validation_error.find(sentence) == 0u);
  BOOST_TEST(core::to_string(core::validate_write(row_of_kind("TFJob"), "a",
                                                  {state.spec}, {}))
                 .find(sentence)
             == 0u);
  BOOST_TEST(core::validate_write(row_of_kind("TFJob"), "a", {state.spec},
                                  {state.spec})
                 .empty());
  BOOST_TEST(
      core::find_spec_warnings(row_of_kind("PyTorchJob"), state.spec).empty());
  job_fixture s{*j};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed");
  // One that has begun is left as it is.
  state.status = core::encode_status(s.status);
  j = core::decode_job(row_of_kind("TFJob"), o);
  BOOST_REQUIRE(!j);
  BOOST_TEST(j.error().message.find(sentence) == 0u);
}

// As left by an operator that had no limit.
BOOST_AUTO_TEST_CASE(one_that_has_begun_with_many_values_runs_on) {
  auto b = make_job();
  auto o = b.workers(1).object();
  auto& state = std::get<k8s::spec_and_status_state>(o.state);
  state.spec = spec_of_values(core::max_read_values).dump();
  auto j = core::decode_job(row_of_kind("TFJob"), o);
  BOOST_REQUIRE(j);
  BOOST_TEST(j->validation_error == "");
  BOOST_TEST(j->limit_error.find("spec: Too many: has 200000 values") == 0u);
  state.status = R"({"conditions":[{"type":"Created","status":"True"}]})";
  BOOST_TEST(bool{core::decode_job(row_of_kind("TFJob"), o)});
}

BOOST_AUTO_TEST_SUITE_END()
