#include "actors/status_writer.hpp"
#include "frameworks/registry.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(status_writer_test)

namespace {

const k8s::time_point noon = *k8s::from_rfc3339("2026-01-31T12:00:00Z");

struct writer_fixture {
  actors::job_reference job{frameworks::find("TFJob"), "ns", "job", "uid"};
  actors::status_writer writer;
  core::job_status wanted;
  k8s::time_point now = noon;

  writer_fixture() { writer.server_holds({}); }

  void decide(const char* condition) {
    wanted.set_condition(condition, true, "R", "m", now);
  }

  actors::status_step next() {
    return writer.next(wanted, job, 7, now, 1000ms);
  }

  actors::status_written written(const k8s::result<std::string>& answer) {
    return writer.written(answer, wanted, job, now, 0);
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
  BOOST_TEST(step.write->request.body.find("\"resourceVersion\":\"7\"")
             != std::string::npos);
  BOOST_TEST(!next().write); // One at a time.
  BOOST_TEST(written(stored(8)).version == 8u);
  BOOST_TEST(!next().write);
}

BOOST_FIXTURE_TEST_CASE(events_are_recorded_after_the_write, writer_fixture) {
  decide("Created");
  writer.record_after_saving({{false, "JobCreated", "m"}});
  BOOST_TEST(next().events.empty());
  auto done = written(stored(8));
  BOOST_REQUIRE(done.events.size() == 1u);
  BOOST_TEST(done.events[0].reason == "JobCreated");
  writer.record_after_saving({{false, "Other", "m"}});
  BOOST_TEST(next().events.size() == 1u); // There is nothing to save.
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_job_is_reported_once, writer_fixture) {
  decide("Succeeded");
  next();
  BOOST_TEST(written(stored(8)).became_succeeded);
  decide("Created");
  next();
  auto done = written(stored(9));
  BOOST_TEST(!done.became_succeeded);
  BOOST_TEST(!done.became_failed);
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
    f.writer.record_after_saving({{false, "JobCreated", "m"}});
    f.next();
    auto done = f.written(k8s::failure{r.code, "no", {}});
    BOOST_TEST_CONTEXT(k8s::to_string(r.code)) {
      BOOST_TEST(done.must_read_job == r.reads);
      BOOST_TEST(done.events.empty()); // They wait for the write that holds.
      auto step = f.next();
      BOOST_TEST(!step.write);
      BOOST_TEST(step.next_at.has_value() == r.waits);
      f.writer.server_holds({});
      f.now += 10s;
      BOOST_TEST(f.next().write.has_value());
    }
  }
}

BOOST_FIXTURE_TEST_CASE(restarts_that_are_dropped_go_into_an_annotation,
                        writer_fixture) {
  decide("Running");
  wanted.restarts = {{"job-worker-0", "old", 1}};
  next();
  auto done = written(stored(8));
  BOOST_TEST(done.drops_restarts);
  auto step = next();
  BOOST_REQUIRE(step.write);
  BOOST_TEST(step.write->request.body.find("training.kubeflow.org/restarts")
             != std::string::npos);
  done = written(k8s::failure{k8s::ec::forbidden, "no patch", {}});
  BOOST_REQUIRE(done.events.size() == 1u);
  BOOST_TEST(done.events[0].reason == "RestartsNotSaved");
  BOOST_TEST(!next().write);
}

BOOST_AUTO_TEST_SUITE_END()
