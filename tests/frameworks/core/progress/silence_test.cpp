#include "frameworks/core/progress/silence.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::silence_clock;
using core::silence_facts;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(silence_test)

namespace {

constexpr auto never = k8s::time_point{};
const auto at_start = base_time;

/// Ten minutes, and half an hour at first.
core::progress_policy policy() {
  core::progress_policy p;
  p.report = true;
  p.stalled_after = 10min;
  p.start_within = 30min;
  return p;
}

/// What one process sees of a job, whose pods began at `at_start`.
struct watch {
  core::progress_policy policy = silence_test::policy();
  silence_clock clock{};
  silence_facts facts = all_run_at(at_start);

  static silence_facts all_run_at(k8s::time_point now) {
    silence_facts f;
    f.all_run = true;
    f.latest_start = at_start;
    f.now = now;
    return f;
  }

  bool is_stalled_at(std::chrono::seconds passed) {
    facts.now = at_start + passed;
    clock = follow_silence(policy, clock, facts);
    return clock.is_stalled;
  }
  std::chrono::seconds due() const {
    return std::chrono::duration_cast<std::chrono::seconds>(clock.due
                                                            - at_start);
  }
  void tell_at(std::chrono::seconds passed) { facts.told = at_start + passed; }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_table_of_silences) {
  struct row {
    const char* what;
    bool has_first_time;
    std::chrono::seconds told; ///< 0: never.
    std::chrono::seconds due;
  } rows[] = {
      {"nothing at first", true, 0s, 30min},
      {"nothing, without a time for the first", false, 0s, 10min},
      {"one report at once", true, 1s, 10min + 2s},
      {"one report late", true, 29min, 39min + 1s},
      {"one report, without a time for the first", false, 9min, 19min + 1s},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      watch w;
      if (!r.has_first_time)
        w.policy.start_within.reset();
      BOOST_TEST(!w.is_stalled_at(0s));
      if (r.told > 0s) {
        w.tell_at(r.told);
        BOOST_TEST(!w.is_stalled_at(r.told));
      }
      BOOST_TEST(!w.is_stalled_at(r.due - 1s));
      BOOST_TEST(w.due().count() == r.due.count());
      BOOST_TEST(w.is_stalled_at(r.due));
    }
}

BOOST_AUTO_TEST_CASE(a_job_that_reports_in_time_is_never_stalled) {
  watch w;
  for (auto t = 0s; t < 24h; t += 599s) {
    w.tell_at(t);
    BOOST_TEST(!w.is_stalled_at(t));
    BOOST_TEST(!w.is_stalled_at(t + 598s));
  }
}

BOOST_AUTO_TEST_CASE(without_a_time_nothing_is_kept) {
  watch w;
  w.policy = {};
  w.policy.report = true;
  BOOST_TEST(!w.is_stalled_at(0s));
  BOOST_TEST(!w.is_stalled_at(24h));
  BOOST_TEST((w.clock == silence_clock{}));
}

BOOST_AUTO_TEST_CASE(the_time_stands_still_unless_all_run) {
  watch w;
  w.is_stalled_at(0s);
  w.facts.all_run = false;
  BOOST_TEST(!w.is_stalled_at(30min));
  BOOST_TEST((w.clock == silence_clock{}));
  w.facts.all_run = true;
  BOOST_TEST(!w.is_stalled_at(31min));
  BOOST_TEST(w.due().count() == std::chrono::seconds{61min}.count());
  BOOST_TEST(w.is_stalled_at(61min));
}

BOOST_AUTO_TEST_CASE(a_report_of_before_all_ran_is_not_the_first_one) {
  watch w;
  w.tell_at(20s);
  w.facts.all_run = false;
  w.is_stalled_at(20s);
  w.facts.all_run = true;
  w.is_stalled_at(60s);
  BOOST_TEST(!w.clock.has_told);
  BOOST_TEST(w.due().count() == std::chrono::seconds{31min}.count());
}

BOOST_AUTO_TEST_CASE(a_container_that_is_restarted_begins_again) {
  watch w;
  w.is_stalled_at(0s);
  w.tell_at(60s);
  w.is_stalled_at(60s);
  w.facts.container_restarts = 1;
  w.is_stalled_at(5min);
  BOOST_TEST(!w.clock.has_told);
  BOOST_TEST(w.due().count() == std::chrono::seconds{35min}.count());
}

BOOST_AUTO_TEST_CASE(a_new_process_begins_anew_and_knows_the_saved_report) {
  struct row {
    k8s::time_point saved;
    std::chrono::seconds due;
  } rows[] = {
      {never, 6h + 30min},
      {at_start - 1min, 6h + 30min}, // Of other pods.
      {at_start + 1h, 6h + 10min},
  };
  for (const auto& r : rows) {
    watch w;
    w.facts.told_as_saved = r.saved;
    BOOST_TEST(!w.is_stalled_at(6h));
    BOOST_TEST(w.due().count() == r.due.count());
    BOOST_TEST(!w.is_stalled_at(r.due - 1s));
    BOOST_TEST(w.is_stalled_at(r.due));
  }
}

BOOST_AUTO_TEST_CASE(while_no_report_can_be_taken_nobody_is_silent) {
  watch w;
  w.is_stalled_at(0s);
  w.tell_at(1min);
  w.is_stalled_at(1min);
  w.facts.missed = at_start + 9min;
  BOOST_TEST(!w.is_stalled_at(11min + 1s));
  BOOST_TEST(w.due().count() == std::chrono::seconds{19min}.count());
  BOOST_TEST(w.is_stalled_at(19min));
}

BOOST_AUTO_TEST_CASE(a_process_that_slept_says_nothing_of_its_jobs) {
  watch w;
  w.is_stalled_at(0s);
  w.tell_at(1min);
  w.is_stalled_at(1min);
  // The lid of a laptop was closed, or its clock was set.
  BOOST_TEST(!w.is_stalled_at(11min + 32s));
  BOOST_TEST(w.due().count() == std::chrono::seconds{21min + 32s}.count());
  BOOST_TEST(w.clock.has_told);
  BOOST_TEST(w.is_stalled_at(21min + 60s));
  BOOST_TEST(w.is_stalled_at(6h)); // It stays so.
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_begins_anew) {
  watch w;
  w.is_stalled_at(2h);
  w.is_stalled_at(1h);
  BOOST_TEST(w.due().count() == std::chrono::seconds{90min}.count());
}

BOOST_AUTO_TEST_CASE(a_report_ends_a_stall) {
  watch w;
  w.is_stalled_at(0s);
  BOOST_TEST(w.is_stalled_at(30min));
  w.tell_at(40min);
  BOOST_TEST(!w.is_stalled_at(40min));
  BOOST_TEST(w.due().count() == std::chrono::seconds{50min + 1s}.count());
}

BOOST_AUTO_TEST_SUITE_END()
