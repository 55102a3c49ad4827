#include "frameworks/core/model/kept_parts.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;
using namespace std::chrono_literals;
using troupe::fixtures::base_time;
using troupe::fixtures::json;

BOOST_AUTO_TEST_SUITE(kept_parts_test)

namespace {

constexpr kept_parts all_parts{true, true, true};

recovery_status attempt(std::int32_t number, const char* done = "") {
  recovery_status r;
  r.attempt = number;
  if (number > 0) {
    r.last.time = base_time + number * 1s;
    r.last.pod = "job-worker-" + std::to_string(number);
    r.counted = number;
  }
  if (auto indices = index_ranges::parse(done).value(); !indices.is_empty())
    r.completed["Worker"] = indices;
  return r;
}

job_status status_with(recovery_status r) {
  job_status s;
  s.replicas["Worker"] = {};
  s.recovery = std::move(r);
  return s;
}

job_status finished(job_status s) {
  s.set_condition("Succeeded", true, "R", "m", base_time);
  return s;
}

std::string names_of(const kept_parts& p) {
  return std::string{p.restarts ? "restarts " : ""}
         + (p.attempts ? "attempts " : "") + (p.completed ? "completed " : "");
}

json patched_metadata(const job_status& s, const kept_parts& which) {
  return json::parse(kept_parts_patch(s, which, "job-uid", 7))["metadata"];
}

/// The status as it is read where the server has dropped these parts, and the
/// annotations have what was written of others.
job_status read_back(const job_status& in_status, const kept_parts& dropped,
                     const job_status& noted, const kept_parts& in_notes) {
  auto job = fixtures::make_job().object();
  auto text = with_parts_of(in_status, dropped, job_status{});
  std::get<k8s::spec_and_status_state>(job.state).status = encode_status(text);
  const auto meta = patched_metadata(noted, in_notes);
  for (const auto& [name, value] : meta["annotations"].items())
    if (value.is_string())
      job.meta.annotations[name] = value;
  return decode_job_status(job);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_status_has_the_parts_of_which_something_is_written) {
  auto restarted = status_with({});
  restarted.restarts = {{"job-worker-0", "u", 1}};
  struct row {
    job_status s;
    const char* parts;
  } rows[] = {{status_with({}), ""},
              {restarted, "restarts "},
              {status_with(attempt(1)), "attempts "},
              {status_with(attempt(0, "3")), "completed "},
              {status_with(attempt(2, "3")), "attempts completed "},
              {finished(status_with(attempt(2, "3"))), "attempts "}};
  for (const auto& r : rows)
    BOOST_TEST(names_of(parts_of_status(r.s)) == r.parts);
}

BOOST_AUTO_TEST_CASE(parts_differ_if_the_server_does_not_know_them) {
  auto recovered = attempt(1);
  recovered.last.recovered = base_time;
  auto later = attempt(1);
  later.last.time += 300ms;
  struct row {
    const char* description;
    job_status saved, wanted;
    const char* parts;
  } rows[] = {
      {"nothing", status_with({}), status_with({}), ""},
      {"an attempt", status_with({}), status_with(attempt(1)), "attempts "},
      {"its recovery", status_with(attempt(1)), status_with(recovered),
       "attempts "},
      {"a fraction of a second", status_with(attempt(1)), status_with(later),
       ""},
      {"a replica is done", status_with(attempt(1, "0")),
       status_with(attempt(1, "0-1")), "completed "},
      {"an attempt that forgets", status_with(attempt(1, "0")),
       status_with(attempt(2)), "attempts completed "},
      {"the last replica is done", status_with(attempt(1, "0")),
       finished(status_with(attempt(1, "0-1"))), ""},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.description)
  BOOST_TEST(names_of(different_parts(r.saved, r.wanted)) == r.parts);
}

BOOST_AUTO_TEST_CASE(what_the_answer_lacks_is_dropped) {
  auto written = status_with(attempt(2, "0-3"));
  written.restarts = {{"job-worker-0", "u", 1}};
  auto half = attempt(2);
  half.last = {};
  struct row {
    const char* description;
    job_status stored;
    const char* dropped;
  } rows[] = {
      {"nothing", written, ""},
      {"everything", status_with({}), "restarts attempts completed "},
      // An older definition of ours.
      {"restarts are kept",
       with_parts_of(status_with({}), {true, false, false}, written),
       "attempts completed "},
      {"half of a restart is kept",
       with_parts_of(status_with(half), {true, false, true}, written),
       "attempts "},
      {"the types keep what they have no field for",
       with_parts_of(written, {false, false, true}, status_with({})),
       "completed "},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.description)
  BOOST_TEST(names_of(dropped_parts(written, r.stored)) == r.dropped);
  BOOST_TEST(!dropped_parts(status_with({}), status_with({})).any());
}

BOOST_AUTO_TEST_CASE(one_patch_has_all_annotations) {
  auto s = status_with(attempt(2, "0-3"));
  s.restarts = {{"job-worker-0", "u0", 4}, {"job-worker-1", "u1", 1}};
  auto meta = patched_metadata(s, all_parts);
  BOOST_TEST(meta["uid"] == "job-uid"); // A precondition.
  BOOST_TEST(meta["resourceVersion"] == "7");
  BOOST_TEST(meta["annotations"].size() == 2u);
  BOOST_TEST(
      json::parse(meta["annotations"][label::recovery].get<std::string>())
      == json::parse(R"({"restartAttempt":2,"countedRestarts":2,
          "lastRestart":{"attempt":2,"pod":"job-worker-2",
                         "time":"2026-02-02T02:40:02Z"},
          "replicaStatuses":{"Worker":{"completedIndexes":"0-3"}}})"));
  BOOST_TEST((read_back(s, all_parts, s, all_parts) == s));
}

BOOST_AUTO_TEST_CASE(restarts_alone_are_written_as_ever) {
  auto s = status_with({});
  s.restarts = {{"job-worker-0", "u0", 4}};
  BOOST_TEST(kept_parts_patch(s, {true, false, false}, "job-uid", 7)
             == R"({"metadata":{"annotations":{)"
                R"("training.kubeflow.org/restarts":)"
                R"("[{\"count\":4,\"pod\":\"job-worker-0\",\"uid\":\"u0\"}]"},)"
                R"("uid":"job-uid"}})");
}

BOOST_AUTO_TEST_CASE(an_annotation_without_content_is_removed) {
  auto meta = patched_metadata(status_with({}), {false, true, true});
  BOOST_TEST(meta["annotations"][label::recovery].is_null());
}

BOOST_AUTO_TEST_CASE(an_annotation_stands_for_what_was_dropped) {
  constexpr kept_parts attempts_and_completed{false, true, true};
  constexpr kept_parts completed{false, false, true};
  struct row {
    const char* description;
    recovery_status in_status;
    kept_parts dropped;
    recovery_status noted;
    kept_parts in_notes;
    std::int32_t attempt;
    const char* done;
  } rows[] = {
      {"both", attempt(3, "0"), attempts_and_completed, attempt(3, "0"),
       attempts_and_completed, 3, "0"},
      {"the first attempt", attempt(0, "0"), attempts_and_completed,
       attempt(0, "0"), attempts_and_completed, 0, "0"},
      {"only what is done", attempt(3, "0"), completed, attempt(3, "0"),
       completed, 3, "0"},
      // The annotation is written first.
      {"the status is not yet written", attempt(2, "0-7"),
       attempts_and_completed, attempt(3), attempts_and_completed, 3, ""},
      {"what is done is of the attempt before",
       attempt(3),
       {},
       attempt(2, "0-7"),
       attempts_and_completed,
       3,
       ""},
      {"the same without a note on attempts",
       attempt(3),
       {},
       attempt(2, "0-7"),
       completed,
       3,
       ""},
      {"a definition that is renewed",
       attempt(3, "0-7"),
       {},
       attempt(3, "0"),
       attempts_and_completed,
       3,
       "0-7"},
      {"a note on an attempt that nobody knows",
       attempt(2, "0"),
       {},
       attempt(3, "0-7"),
       completed,
       2,
       "0"},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.description) {
      auto s = read_back(status_with(r.in_status), r.dropped,
                         status_with(r.noted), r.in_notes);
      BOOST_TEST(s.recovery->attempt == r.attempt);
      BOOST_TEST(s.recovery->completed_of("Worker").text() == r.done);
      if (r.attempt > 0)
        BOOST_TEST(s.recovery->last.pod
                   == "job-worker-" + std::to_string(r.attempt));
    }
}

BOOST_AUTO_TEST_CASE(a_finished_job_reads_no_replicas_that_are_done) {
  const auto s = finished(status_with(attempt(2)));
  auto read = read_back(s, {false, true, true}, status_with(attempt(2, "0")),
                        {false, true, true});
  BOOST_TEST(read.recovery->completed.empty());
  BOOST_TEST((read == s));
}

BOOST_AUTO_TEST_CASE(any_annotation_can_be_read) {
  std::string many = "{\"restartAttempt\":1,\"x\":[0";
  for (std::size_t i = 0; i < max_status_values; ++i)
    many += ",0";
  for (const std::string& text :
       {std::string{}, std::string{"null"}, std::string{"[]"}, std::string{"{"},
        std::string{R"({"restartAttempt":"x"})"},
        std::string{R"({"replicaStatuses":7})"}, many + "]}"}) {
    auto job = fixtures::make_job().object();
    job.meta.annotations[label::recovery] = text;
    BOOST_TEST((*decode_job_status(job).recovery == recovery_status{}));
    BOOST_TEST(!parts_of_annotations(job.meta.annotations).any());
  }
}

BOOST_AUTO_TEST_CASE(it_is_no_concern_of_the_pod_group) {
  auto job = fixtures::make_job().workers(1).object();
  job.meta.annotations = {{label::recovery, "{}"}, {label::restarts, "[]"}};
  BOOST_TEST(decode_job(fixtures::row_of_kind("TFJob"), job)->annotations
             == "");
}

BOOST_AUTO_TEST_CASE(the_annotation_is_bounded) {
  auto r = attempt(1);
  for (int type = 0; type < 4; ++type)
    for (int i = 0; i < 9'000; ++i)
      r.completed["T" + std::to_string(type)].insert(1'000'000 + 2 * i);
  for (int i = 0; i < 5'000; ++i)
    r.counted_times.push_back(base_time);
  r.last.reason = r.last.pod = r.last.node = std::string(100'000, 'x');
  auto text =
      patched_metadata(status_with(r),
                       {false, true, true})["annotations"][label::recovery]
          .get<std::string>();
  // An API server takes 256 KiB for all annotations together.
  BOOST_TEST(text.size() < 128u * 1024);
}

BOOST_AUTO_TEST_SUITE_END()
