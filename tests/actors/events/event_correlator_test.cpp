#include "actors/events/event_correlator.hpp"
#include "frameworks/registry.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using namespace troupe;
using namespace troupe::actors;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(event_correlator_test)

namespace {

const std::string combined = "(combined from similar events): ";

std::shared_ptr<const job_reference> job_named(const std::string& name) {
  job_reference result;
  result.kind = frameworks::find("TFJob");
  result.ns = "ns";
  result.name = name;
  result.uid = name + "-uid";
  return std::make_shared<const job_reference>(std::move(result));
}

/// A correlator at some time.
struct correlation {
  event_correlator::series_write
  record_occurrence(const std::string& message,
                    const std::string& reason = "Reason",
                    bool warning = false) {
    return correlator.record_occurrence(job, {warning, reason, message}, now);
  }

  /// Begins a write that is expected.
  event_write begin(std::uint64_t series) {
    auto result = correlator.take_pending_write(series);
    BOOST_REQUIRE(result);
    return *result;
  }

  /// Records an event and writes it; the message that was written.
  std::string write(const std::string& message,
                    const std::string& reason = "Reason",
                    bool warning = false) {
    auto series = record_occurrence(message, reason, warning).series;
    auto result = begin(series).event.message;
    correlator.record_write_result(series, nullptr);
    return result;
  }

  write_time fail(std::uint64_t series, k8s::ec code) {
    k8s::failure why{code, "", {}};
    return correlator.record_write_result(series, &why);
  }

  k8s::time_point now{std::chrono::seconds{1'770'000'000}};
  std::shared_ptr<const job_reference> job = job_named("job");
  event_correlator correlator;
};

} // namespace

BOOST_AUTO_TEST_CASE(a_first_event_is_created_at_once) {
  correlation c;
  auto [series, when] = c.record_occurrence("message", "Reason", true);
  BOOST_TEST((when == write_time::now));
  auto w = c.begin(series);
  BOOST_TEST(w.create);
  BOOST_TEST(w.name.rfind("job.", 0) == 0u);
  BOOST_TEST(w.name.size() == std::string{"job."}.size() + 16);
  BOOST_TEST(w.about == c.job);
  BOOST_TEST(w.event.warning);
  BOOST_TEST(w.event.reason == "Reason");
  BOOST_TEST(w.event.message == "message");
  BOOST_TEST(w.count == 1);
  BOOST_TEST((w.first == c.now));
  BOOST_TEST((w.last == c.now));
}

BOOST_AUTO_TEST_CASE(repetitions_raise_the_count_of_one_object) {
  correlation c;
  auto began = c.now;
  auto [series, when] = c.record_occurrence("message");
  auto name = c.begin(series).name;
  c.correlator.record_write_result(series, nullptr);
  c.now += 5s;
  auto second = c.record_occurrence("message");
  BOOST_TEST(second.series == series);
  BOOST_TEST((second.when == write_time::later));
  c.now += 5s;
  BOOST_TEST((c.record_occurrence("message").when == write_time::never));
  auto w = c.begin(series);
  BOOST_TEST(!w.create);
  BOOST_TEST(w.name == name);
  BOOST_TEST(w.event.message == "message");
  BOOST_TEST(w.count == 3);
  BOOST_TEST((w.first == began));
  BOOST_TEST((w.last == c.now));
  BOOST_TEST(c.correlator.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_comes_before_the_first_write_goes_with_it) {
  correlation c;
  auto series = c.record_occurrence("message").series;
  BOOST_TEST((c.record_occurrence("message").when == write_time::never));
  auto w = c.begin(series);
  BOOST_TEST(w.create);
  BOOST_TEST(w.count == 2);
}

BOOST_AUTO_TEST_CASE(what_comes_during_a_write_is_written_after_it) {
  correlation c;
  auto series = c.record_occurrence("message").series;
  c.begin(series);
  BOOST_TEST((c.record_occurrence("message").when == write_time::later));
  BOOST_TEST(
      (c.correlator.record_write_result(series, nullptr) == write_time::never));
  auto w = c.begin(series);
  BOOST_TEST(!w.create);
  BOOST_TEST(w.count == 2);
  BOOST_TEST(w.event.message == "message");
}

BOOST_AUTO_TEST_CASE(job_type_reason_and_message_tell_series_apart) {
  correlation c;
  std::set<std::uint64_t> series{
      c.record_occurrence("message", "Reason").series,
      c.record_occurrence("message", "Reason", true).series,
      c.record_occurrence("message", "Other").series,
      c.record_occurrence("other", "Reason").series,
      c.record_occurrence("Reason", "message").series,
  };
  c.job = job_named("other");
  series.insert(c.record_occurrence("message", "Reason").series);
  BOOST_TEST(series.size() == 6u);
  BOOST_TEST(c.correlator.size() == 6u);
  std::set<std::string> names;
  for (auto s : series)
    names.insert(c.begin(s).name);
  BOOST_TEST(names.size() == 6u);
}

BOOST_AUTO_TEST_CASE(more_than_ten_messages_of_one_reason_are_combined) {
  correlation c;
  for (int i = 0; i < 10; ++i)
    BOOST_TEST(c.write(std::to_string(i)) == std::to_string(i));
  auto eleventh = c.record_occurrence("10");
  BOOST_TEST((eleventh.when == write_time::now));
  auto w = c.begin(eleventh.series);
  BOOST_TEST(w.create);
  BOOST_TEST(w.event.message == combined + "10");
  c.correlator.record_write_result(eleventh.series, nullptr);
  auto twelfth = c.record_occurrence("11");
  BOOST_TEST(twelfth.series == eleventh.series);
  BOOST_TEST((twelfth.when == write_time::later));
  w = c.begin(twelfth.series);
  BOOST_TEST(!w.create);
  BOOST_TEST(w.count == 2);
  BOOST_TEST(w.event.message == combined + "11");
  // Not those that have a series, nor other reasons, types and jobs.
  BOOST_TEST(c.write("3") == "3");
  BOOST_TEST(c.write("10", "Other") == "10");
  BOOST_TEST(c.write("10", "Reason", true) == "10");
  c.job = job_named("other");
  BOOST_TEST(c.write("10") == "10");
}

BOOST_AUTO_TEST_CASE(messages_are_counted_anew_after_ten_minutes) {
  struct row {
    std::chrono::seconds after;
    const char* prefix;
  } rows[] = {
      {60s, combined.c_str()},
      {600s, combined.c_str()},
      {601s, ""},
  };
  for (const auto& r : rows) {
    correlation c;
    for (int i = 0; i < 11; ++i)
      c.write(std::to_string(i));
    c.now += r.after - 30s;
    c.write("unrelated", "Other");
    c.now += 30s;
    BOOST_TEST(c.write("new") == r.prefix + std::string{"new"});
  }
}

BOOST_AUTO_TEST_CASE(a_write_that_failed_is_tried_again_or_dropped) {
  struct row {
    k8s::ec code;
    int writes; ///< Until the series is dropped; 0: it is not.
  } rows[] = {
      {k8s::ec::timeout, 4},    {k8s::ec::unreachable, 4},
      {k8s::ec::overloaded, 4}, {k8s::ec::server_error, 4},
      {k8s::ec::garbage, 4},    {k8s::ec::forbidden, 1},
      {k8s::ec::not_found, 1},  {k8s::ec::unauthenticated, 1},
      {k8s::ec::invalid, 1},    {k8s::ec::conflict, 1},
      {k8s::ec::exists, 0},
  };
  for (const auto& r : rows) {
    correlation c;
    auto series = c.record_occurrence("message").series;
    BOOST_TEST_CONTEXT(k8s::to_string(r.code)) {
      for (int i = 1; i < r.writes; ++i) {
        BOOST_TEST(c.begin(series).create);
        BOOST_TEST((c.fail(series, r.code) == write_time::now));
      }
      BOOST_TEST(c.begin(series).create);
      BOOST_TEST((c.fail(series, r.code) == write_time::never));
      BOOST_TEST(c.correlator.size() == (r.writes == 0 ? 1u : 0u));
      BOOST_TEST(c.correlator.dropped_count() == (r.writes == 0 ? 0u : 1u));
      if (r.writes > 0)
        BOOST_TEST(!c.correlator.take_pending_write(series));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_count_that_failed_is_written_by_a_creation) {
  correlation c;
  auto series = c.record_occurrence("message").series;
  c.begin(series);
  c.correlator.record_write_result(series, nullptr);
  c.record_occurrence("message");
  BOOST_TEST(!c.begin(series).create);
  BOOST_TEST((c.fail(series, k8s::ec::timeout) == write_time::now));
  auto w = c.begin(series);
  BOOST_TEST(w.create);
  BOOST_TEST(w.count == 2);
  // It is there after all: what comes next is a patch.
  BOOST_TEST((c.fail(series, k8s::ec::exists) == write_time::never));
  BOOST_TEST((c.record_occurrence("message").when == write_time::later));
  w = c.begin(series);
  BOOST_TEST(!w.create);
  BOOST_TEST(w.count == 3);
}

BOOST_AUTO_TEST_CASE(what_is_written_already_is_not_written_without_a_text) {
  correlation c;
  auto series = c.record_occurrence("message").series;
  c.begin(series);
  c.record_occurrence("message"); // Held for later.
  c.fail(series, k8s::ec::not_found);
  c.write("message"); // A new series of the same key.
  BOOST_TEST(!c.correlator.take_pending_write(series));
}

BOOST_AUTO_TEST_CASE(a_failure_does_not_schedule_twice_what_waits_already) {
  correlation c;
  auto series = c.record_occurrence("message").series;
  c.begin(series);
  BOOST_TEST((c.record_occurrence("message").when == write_time::later));
  BOOST_TEST((c.fail(series, k8s::ec::timeout) == write_time::never));
  auto w = c.begin(series);
  BOOST_TEST(w.create);
  BOOST_TEST(w.count == 2);
}

BOOST_AUTO_TEST_CASE(a_series_is_forgotten_ten_minutes_after_its_last_event) {
  struct row {
    std::chrono::seconds after;
    bool forgotten;
  } rows[] = {{599s, false}, {600s, false}, {601s, true}};
  for (const auto& r : rows) {
    correlation c;
    c.write("old");
    c.record_occurrence("waits");
    c.now += r.after;
    c.write("new", "Other");
    BOOST_TEST(c.correlator.size() == (r.forgotten ? 2u : 3u));
    auto again = c.record_occurrence("old");
    BOOST_TEST(
        (again.when == (r.forgotten ? write_time::now : write_time::later)));
    BOOST_TEST(c.begin(again.series).count == (r.forgotten ? 1 : 2));
    BOOST_TEST((c.record_occurrence("waits").when == write_time::never));
  }
}

BOOST_AUTO_TEST_CASE(so_many_series_are_remembered_and_the_latest_used) {
  correlation c;
  auto write_of = [&](int job) {
    c.job = job_named(std::to_string(job));
    c.write("message");
  };
  for (int i = 0; i < 4096; ++i)
    write_of(i);
  write_of(0); // Used again.
  for (int i = 4096; i < 4100; ++i)
    write_of(i);
  BOOST_TEST(c.correlator.size() == 4096u);
  auto is_known = [&](int job) {
    c.job = job_named(std::to_string(job));
    auto [series, when] = c.record_occurrence("message");
    c.begin(series);
    return when == write_time::later;
  };
  BOOST_TEST(is_known(0));
  BOOST_TEST(is_known(4099));
  BOOST_TEST(is_known(5));
  for (int job : {1, 2, 3, 4})
    BOOST_TEST(!is_known(job), job);
}

BOOST_AUTO_TEST_CASE(what_waits_is_kept_up_to_a_limit) {
  correlation c;
  for (int i = 0; i < 40'000; ++i) {
    c.job = job_named(std::to_string(i));
    auto when = c.record_occurrence("message").when;
    BOOST_REQUIRE((when == (i < 32'768 ? write_time::now : write_time::never)));
  }
  BOOST_TEST(c.correlator.size() == 32'768u);
  BOOST_TEST(c.correlator.dropped_count() == 40'000u - 32'768u);
  c.job = job_named("0");
  c.record_occurrence("message");
  BOOST_TEST(c.correlator.dropped_count() == 40'000u - 32'768u);
}

BOOST_AUTO_TEST_CASE(one_of_two_writes_in_flight_may_fail) {
  correlation c;
  auto series = c.record_occurrence("message").series;
  c.begin(series);
  c.record_occurrence("message");
  c.begin(series);
  c.correlator.record_write_result(series, nullptr);
  BOOST_TEST((c.fail(series, k8s::ec::server_error) == write_time::now));
  BOOST_TEST(c.begin(series).event.message == "message");
}

BOOST_AUTO_TEST_CASE(all_is_forgotten_without_a_further_event) {
  correlation c;
  for (int i = 0; i < 20; ++i)
    c.write(std::to_string(i));
  c.now += 600s;
  c.correlator.forget_expired_series(c.now);
  BOOST_TEST(!c.correlator.empty());
  c.now += 1s;
  c.correlator.forget_expired_series(c.now);
  BOOST_TEST(c.correlator.empty());
}

// With a known key a tenant could search texts that hide the events of others.
BOOST_AUTO_TEST_CASE(series_depend_on_a_secret) {
  correlation a, b, c;
  b.correlator = event_correlator{{1, 2}};
  auto series = a.record_occurrence("message").series;
  BOOST_TEST(b.record_occurrence("message").series != series);
  BOOST_TEST(c.record_occurrence("message").series == series);
}

BOOST_AUTO_TEST_SUITE_END()
