#include "actors/jobs/status_writer.hpp"
#include "frameworks/registry.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(status_writer_test)

namespace {

const k8s::time_point noon = *k8s::from_rfc3339("2026-01-31T12:00:00Z");

const k8s::failure forbidden{k8s::ec::forbidden, "no", {}};

bool has_version_7(const k8s::request& r, const char* text) {
  return r.body.find(text) != std::string::npos;
}

bool is_patch_at_version_7(const k8s::request& r) {
  return r.method == k8s::verb::patch
         && has_version_7(r, R"("/metadata/resourceVersion","value":"7")");
}

bool is_put_at_version_7(const k8s::request& r) {
  return r.method == k8s::verb::update
         && has_version_7(r, R"("resourceVersion":"7")");
}

struct writer_fixture {
  std::shared_ptr<const actors::job_reference> job =
      std::make_shared<const actors::job_reference>(
          actors::job_reference{frameworks::find("TFJob"), "ns", "job", "uid"});
  actors::status_writer writer;
  core::job_status wanted;
  k8s::time_point now = noon;

  writer_fixture() { writer.record_server_status({}); }

  void decide(const char* condition) {
    wanted.set_condition(condition, true, "R", "m", now);
  }

  actors::status_step next() {
    return writer.begin_write_if_due(wanted, job, 7, now, 1000ms);
  }

  actors::status_write_outcome
  on_write_ended(const k8s::result<std::string>& answer) {
    return writer.on_write_ended(answer, wanted, *job, now, 0);
  }

  static k8s::result<std::string> stored(int version) {
    return R"({"apiVersion":"kubeflow.org/v1","kind":"TFJob","metadata":)"
           R"({"name":"job","namespace":"ns","uid":"uid","resourceVersion":")"
           + std::to_string(version) + "\"}}";
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(what_is_saved_is_not_written_again, writer_fixture) {
  BOOST_TEST(!next().write);
  decide("Created");
  auto step = next();
  BOOST_REQUIRE(step.write);
  BOOST_TEST(is_patch_at_version_7(*step.write->make_request()));
  BOOST_TEST(!next().write); // One at a time.
  BOOST_TEST(on_write_ended(stored(8)).version == 8u);
  BOOST_TEST(!next().write);
}

BOOST_FIXTURE_TEST_CASE(nothing_but_the_status_is_written, writer_fixture) {
  decide("Created");
  auto request = *next().write->make_request();
  BOOST_TEST(request.content_type == "application/json-patch+json");
  const auto body = nlohmann::json::parse(request.body);
  std::vector<std::string> paths;
  for (const auto& operation : body) {
    BOOST_TEST(operation["op"] == "add");
    paths.push_back(operation["path"]);
  }
  const std::vector<std::string> expected{
      "/metadata/uid", "/metadata/resourceVersion", "/status"};
  BOOST_TEST(paths == expected, boost::test_tools::per_element());
  BOOST_TEST(body[0]["value"] == "uid");
  BOOST_TEST(body[2]["value"]["conditions"].size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(who_may_not_patch_gets_a_put, writer_fixture) {
  decide("Created");
  writer.queue_events_until_status_saved({{false, "JobCreated", "m"}});
  BOOST_TEST(is_patch_at_version_7(*next().write->make_request()));
  BOOST_TEST(on_write_ended(forbidden).events.empty());
  BOOST_TEST(!next().write); // It may be that the server is starting.
  now += 10min;
  BOOST_TEST(is_patch_at_version_7(*next().write->make_request()));
  BOOST_TEST(on_write_ended(forbidden).events.empty());
  auto step = next(); // At once.
  BOOST_REQUIRE(step.write);
  BOOST_TEST(is_put_at_version_7(*step.write->make_request()));
  auto done = on_write_ended(stored(8));
  BOOST_TEST(done.had_to_put);
  BOOST_TEST(done.events.size() == 1u);
  decide("Running"); // The right is not asked for each time.
  BOOST_TEST(is_put_at_version_7(*next().write->make_request()));
  on_write_ended(stored(9));
  now += 10min;
  decide("Succeeded");
  BOOST_TEST(is_patch_at_version_7(*next().write->make_request()));
  BOOST_TEST(!on_write_ended(stored(10)).had_to_put);
}

BOOST_FIXTURE_TEST_CASE(who_may_neither_is_asked_to_patch_again,
                        writer_fixture) {
  decide("Created");
  next();
  on_write_ended(forbidden);
  now += 10min;
  next();
  on_write_ended(forbidden);
  BOOST_TEST(is_put_at_version_7(*next().write->make_request()));
  on_write_ended(forbidden);
  BOOST_TEST(!next().write); // It waits.
  now += 10min;
  BOOST_TEST(is_patch_at_version_7(*next().write->make_request()));
}

BOOST_FIXTURE_TEST_CASE(events_are_recorded_after_the_write, writer_fixture) {
  decide("Created");
  writer.queue_events_until_status_saved({{false, "JobCreated", "m"}});
  BOOST_TEST(next().events.empty());
  auto done = on_write_ended(stored(8));
  BOOST_REQUIRE(done.events.size() == 1u);
  BOOST_TEST(done.events[0].reason == "JobCreated");
  writer.queue_events_until_status_saved({{false, "Other", "m"}});
  BOOST_TEST(next().events.size() == 1u); // There is nothing to save.
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_job_is_reported_once, writer_fixture) {
  decide("Succeeded");
  next();
  BOOST_TEST(on_write_ended(stored(8)).became_succeeded);
  decide("Created");
  next();
  auto done = on_write_ended(stored(9));
  BOOST_TEST(!done.became_succeeded);
  BOOST_TEST(!done.became_failed);
}

BOOST_FIXTURE_TEST_CASE(the_end_is_reported_though_the_watch_was_faster,
                        writer_fixture) {
  decide("Succeeded");
  writer.queue_events_until_status_saved({{false, "JobSucceeded", "m"}});
  next();
  auto seen = writer.record_server_status(wanted);
  BOOST_TEST((!seen.foreign && !seen.became_succeeded));
  auto done = on_write_ended(stored(8));
  BOOST_TEST(done.became_succeeded);
  BOOST_TEST(done.events.size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_write_whose_answer_is_lost_is_recognized,
                        writer_fixture) {
  decide("Failed");
  writer.queue_events_until_status_saved({{false, "JobFailed", "m"}});
  next();
  on_write_ended(k8s::failure{k8s::ec::timeout, "no", {}});
  auto seen = writer.record_server_status(wanted);
  BOOST_TEST((!seen.foreign && seen.became_failed));
  now += 10s;
  auto step = next();
  BOOST_TEST(!step.write);
  BOOST_TEST(step.events.size() == 1u);
  BOOST_TEST(!writer.record_server_status(wanted).became_failed); // Once.
}

BOOST_AUTO_TEST_CASE(a_foreign_status_is_taken_whatever_came_first) {
  core::job_status theirs;
  theirs.set_condition("Suspended", true, "R", "m", noon);
  const k8s::failure conflict{k8s::ec::conflict, "no", {}};
  for (bool watch_first : {true, false}) {
    writer_fixture f;
    f.decide("Created");
    f.next();
    bool foreign = false;
    if (watch_first)
      foreign = f.writer.record_server_status(theirs).foreign;
    BOOST_TEST(!foreign);
    foreign = f.on_write_ended(conflict).foreign_status;
    foreign |= f.writer.record_server_status(theirs).foreign; // It was read.
    BOOST_TEST(foreign);
    BOOST_TEST((f.writer.saved_status() == theirs));
  }
}

BOOST_FIXTURE_TEST_CASE(a_foreign_status_after_ours_is_kept, writer_fixture) {
  core::job_status theirs;
  theirs.set_condition("Suspended", true, "R", "m", noon);
  decide("Created");
  next();
  writer.record_server_status(wanted);
  writer.record_server_status(theirs);
  BOOST_TEST(on_write_ended(stored(8)).foreign_status);
  BOOST_TEST((writer.saved_status() == theirs));
}

BOOST_FIXTURE_TEST_CASE(failures_say_what_to_do_next, writer_fixture) {
  const struct {
    k8s::ec code;
    bool reads;
    bool waits;
  } rows[] = {{k8s::ec::conflict, true, false},
              {k8s::ec::timeout, true, true},
              {k8s::ec::server_error, false, true},
              {k8s::ec::not_found, false, true}};
  for (const auto& r : rows) {
    writer_fixture f;
    f.decide("Created");
    f.writer.queue_events_until_status_saved({{false, "JobCreated", "m"}});
    f.next();
    auto done = f.on_write_ended(k8s::failure{r.code, "no", {}});
    BOOST_TEST_CONTEXT(k8s::to_string(r.code)) {
      BOOST_TEST(done.must_read_job == r.reads);
      BOOST_TEST(done.events.empty()); // They wait for the write that holds.
      auto step = f.next();
      BOOST_TEST(!step.write);
      BOOST_TEST(step.next_at.has_value() == r.waits);
      f.writer.record_server_status({});
      f.now += 10s;
      BOOST_TEST(f.next().write.has_value());
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_clock_that_is_set_back_ends_the_wait_after_a_failure,
                        writer_fixture) {
  decide("Created");
  next();
  on_write_ended(k8s::failure{k8s::ec::server_error, "no", {}});
  BOOST_TEST(!next().write);
  now -= 1h;
  BOOST_TEST(next().write.has_value());
}

BOOST_FIXTURE_TEST_CASE(restarts_that_are_dropped_go_into_an_annotation,
                        writer_fixture) {
  decide("Running");
  wanted.restarts = {{"job-worker-0", "old", 1}};
  next();
  auto done = on_write_ended(stored(8));
  BOOST_TEST(done.drops.restarts);
  auto step = next();
  BOOST_REQUIRE(step.write);
  BOOST_TEST(
      step.write->make_request()->body.find("training.kubeflow.org/restarts")
      != std::string::npos);
  done = on_write_ended(k8s::failure{k8s::ec::forbidden, "no patch", {}});
  BOOST_REQUIRE(done.events.size() == 1u);
  BOOST_TEST(done.events[0].reason == "RestartsNotSaved");
  BOOST_TEST(!next().write);
}

BOOST_FIXTURE_TEST_CASE(how_far_a_job_is_waits_for_other_writes,
                        writer_fixture) {
  auto report = [&](int percent) {
    core::progress_status told;
    told.percent = percent;
    told.time = now;
    wanted.progress = told;
  };
  auto priority = [&](int version) {
    now += 2s;
    auto step = next();
    BOOST_REQUIRE(step.write);
    BOOST_TEST(bool(step.write->make_request()));
    on_write_ended(k8s::failure{k8s::ec::unreachable, "gone", {}});
    now += 1h;
    auto again = next(); // Of the same importance.
    BOOST_REQUIRE(again.write);
    BOOST_TEST((again.write->priority == step.write->priority));
    auto body = nlohmann::json::parse(again.write->make_request()->body);
    on_write_ended(
        nlohmann::json{{"apiVersion", "kubeflow.org/v1"},
                       {"kind", "TFJob"},
                       {"metadata",
                        {{"name", "job"},
                         {"namespace", "ns"},
                         {"uid", "uid"},
                         {"resourceVersion", std::to_string(version)}}},
                       {"status", body[2]["value"]}}
            .dump());
    BOOST_TEST(!next().write);
    return step.write->priority;
  };
  decide("Created");
  BOOST_TEST((priority(8) == actors::call_priority::low)); // The first one.
  report(1);
  BOOST_TEST((priority(9) == actors::call_priority::low));
  decide("Running");
  report(2);
  BOOST_TEST((priority(10) == actors::call_priority::normal));
  report(3);
  BOOST_TEST((priority(11) == actors::call_priority::low));
}

BOOST_AUTO_TEST_SUITE_END()
