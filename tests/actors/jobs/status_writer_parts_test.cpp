#include "actors/jobs/status_writer.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "frameworks/registry.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

// Where the definition of the kind lacks fields: they are in annotations.

using namespace troupe;
using namespace std::chrono_literals;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(status_writer_parts_test)

namespace {

const k8s::time_point noon = *k8s::from_rfc3339("2026-01-31T12:00:00Z");

/// A server with one job, whose definition lacks some fields.
struct pruning_server {
  core::kept_parts drops;
  bool refuses_annotations = false;
  int version = 7;
  json status = json::object();
  json annotations = json::object();
  std::vector<std::string> writes; ///< "status", "annotations".

  k8s::result<std::string> answer(const k8s::request& r) {
    auto body = json::parse(r.body);
    if (body.is_array()) {
      writes.push_back("status");
      if (body[1]["value"] != std::to_string(version))
        return k8s::failure{k8s::ec::conflict, "modified", {}};
      auto given = core::decode_status(body[2]["value"].dump());
      status = json::parse(
          core::encode_status(with_parts_of(given, drops, core::job_status{})));
    } else {
      writes.push_back("annotations");
      const auto& meta = body["metadata"];
      if (refuses_annotations)
        return k8s::failure{k8s::ec::forbidden, "may not", {}};
      if (meta.contains("resourceVersion")
          && meta["resourceVersion"] != std::to_string(version))
        return k8s::failure{k8s::ec::conflict, "modified", {}};
      annotations.merge_patch(meta["annotations"]);
    }
    ++version;
    return object_text();
  }

  std::string object_text() const {
    json meta{{"name", "job"},
              {"namespace", "ns"},
              {"uid", "uid"},
              {"resourceVersion", std::to_string(version)},
              {"annotations", annotations}};
    return json{{"apiVersion", "kubeflow.org/v1"},
                {"kind", "TFJob"},
                {"metadata", meta},
                {"status", status}}
        .dump();
  }

  core::job_status read() const {
    k8s::object o;
    for (const auto& [name, value] : annotations.items())
      o.meta.annotations[name] = value;
    o.state = k8s::spec_and_status_state{"{}", status.dump()};
    return core::decode_job_status(o);
  }
};

struct parts_fixture {
  std::shared_ptr<const actors::job_reference> job =
      std::make_shared<const actors::job_reference>(
          actors::job_reference{frameworks::find("TFJob"), "ns", "job", "uid"});
  pruning_server server;
  actors::status_writer writer;
  core::job_status wanted;
  k8s::time_point now = noon;
  core::kept_parts told;
  std::vector<std::string> events;

  parts_fixture() {
    server.drops = {true, true, true};
    writer.record_server_status({});
    wanted.set_condition("Running", true, "R", "m", noon);
    wanted.replicas["Worker"] = {};
  }

  void restart(std::int32_t attempt) {
    auto r = *wanted.recovery;
    r.attempt = r.counted = attempt;
    r.last.time = now;
    r.last.pod = "job-worker-1";
    r.completed.clear();
    wanted.recovery = r;
  }

  void complete(std::int32_t index) {
    auto r = *wanted.recovery;
    r.completed["Worker"].insert(index);
    wanted.recovery = r;
    wanted.replicas["Worker"].succeeded += 1;
  }

  /// Writes until nothing is due. Before each answer, what is saved is on the
  /// server.
  std::vector<std::string> write_all() {
    server.writes.clear();
    for (int i = 0; i < 10; ++i) {
      now += 2s;
      auto step = writer.begin_write_if_due(
          wanted, job, static_cast<std::uint64_t>(server.version), now, 1000ms);
      if (!step.write)
        return server.writes;
      auto done = writer.on_write_ended(
          server.answer(*step.write->make_request()), wanted, *job, now, 0);
      told = told | done.drops;
      for (const auto& e : done.events)
        events.push_back(e.reason);
      if (!server.refuses_annotations)
        BOOST_TEST((writer.saved_status() == server.read()));
    }
    BOOST_ERROR("it never ends");
    return {};
  }

  bool is_saved() const {
    return writer.saved_status() == wanted && server.read() == wanted;
  }
};

using texts = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(each_definition_has_what_it_can_keep) {
  struct row {
    const char* description;
    core::kept_parts drops;
    bool has_restarts, has_recovery; ///< As annotations.
  } rows[] = {
      {"ours", {}, false, false},
      {"of before attempts", {false, true, true}, false, true},
      {"the training operator's", {true, true, true}, true, true},
      {"without what is done", {false, false, true}, false, true},
      {"without attempts", {false, true, false}, false, true},
      {"without restarts", {true, false, false}, true, false},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.description) {
      parts_fixture f;
      f.server.drops = r.drops;
      f.wanted.restarts = {{"job-worker-0", "old", 1}};
      f.restart(1);
      f.write_all();
      BOOST_TEST(f.is_saved());
      f.complete(0);
      f.write_all();
      BOOST_TEST(f.is_saved());
      f.restart(2);
      f.write_all();
      BOOST_TEST(f.is_saved());
      f.complete(1);
      f.write_all();
      BOOST_TEST(f.is_saved());
      BOOST_TEST(f.server.annotations.contains(core::label::restarts)
                 == r.has_restarts);
      BOOST_TEST(f.server.annotations.contains(core::label::recovery)
                 == r.has_recovery);
      BOOST_TEST(f.told.restarts == r.drops.restarts);
      BOOST_TEST(f.told.attempts == r.drops.attempts);
    }
}

BOOST_FIXTURE_TEST_CASE(how_far_a_job_is_is_in_no_annotation, parts_fixture) {
  server.drops = {};
  server.drops.progress = true;
  auto report = [&](int percent) {
    core::progress_status p;
    p.percent = percent;
    p.time = now;
    wanted.progress = p;
  };
  report(1);
  BOOST_TEST(write_all() == texts{"status"}, boost::test_tools::per_element());
  report(2); // It is known now that it would be dropped.
  BOOST_TEST(write_all() == texts{}, boost::test_tools::per_element());
  wanted.set_condition("Succeeded", true, "R", "m", now);
  report(3);
  BOOST_TEST(write_all() == texts{"status"}, boost::test_tools::per_element());
  BOOST_TEST(server.annotations.empty());
  BOOST_TEST(events.empty());
}

BOOST_FIXTURE_TEST_CASE(an_attempt_is_saved_before_the_status_says_so,
                        parts_fixture) {
  restart(1);
  // The first answer shows that it is not.
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  restart(2);
  wanted.set_condition("Restarting", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"annotations", "status"}),
             boost::test_tools::per_element());
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(both_annotations_are_one_patch, parts_fixture) {
  wanted.restarts = {{"job-worker-0", "old", 1}};
  restart(1);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST(server.annotations.size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(without_any_there_is_no_annotation, parts_fixture) {
  wanted.replicas["Worker"].active = 1;
  BOOST_TEST(write_all() == (texts{"status"}),
             boost::test_tools::per_element());
  BOOST_TEST(!told.any());
  BOOST_TEST(server.annotations.empty());
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_job_needs_no_annotation, parts_fixture) {
  complete(0);
  write_all();
  complete(1);
  wanted.set_condition("Succeeded", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"status"}),
             boost::test_tools::per_element());
  BOOST_TEST(is_saved());
}

BOOST_AUTO_TEST_CASE(a_job_that_ends_at_once_has_no_annotation) {
  parts_fixture f;
  f.complete(0);
  f.wanted.set_condition("Succeeded", true, "R", "m", f.now);
  BOOST_TEST(f.write_all() == (texts{"status"}),
             boost::test_tools::per_element());
  BOOST_TEST(f.server.annotations.empty());
}

// Another process wrote the annotation; what it says is not wanted any more.
BOOST_FIXTURE_TEST_CASE(what_is_done_is_forgotten_in_the_annotation_too,
                        parts_fixture) {
  complete(0);
  write_all();
  writer = {};
  writer.record_server_status(server.read());
  wanted.recovery = core::recovery_status{};
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST(server.annotations.empty());
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(another_process_goes_on_from_the_annotation,
                        parts_fixture) {
  restart(1);
  complete(0);
  write_all();
  writer = {};
  writer.record_server_status(server.read());
  BOOST_TEST(is_saved());
  restart(2);
  write_all();
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(an_attempt_is_not_counted_over_another, parts_fixture) {
  restart(1);
  write_all();
  restart(2);
  now += 2s;
  auto step = writer.begin_write_if_due(
      wanted, job, static_cast<std::uint64_t>(server.version), now, 1000ms);
  BOOST_REQUIRE(step.write);
  ++server.version; // Somebody else was faster.
  auto done = writer.on_write_ended(server.answer(*step.write->make_request()),
                                    wanted, *job, now, 0);
  BOOST_TEST(done.must_read_job);
  BOOST_TEST(writer.saved_status()->recovery->attempt == 1);
  BOOST_TEST(write_all().empty()); // Until the job is read.
  writer.record_server_status(server.read());
  write_all();
  BOOST_TEST(is_saved());
}

BOOST_FIXTURE_TEST_CASE(what_nobody_keeps_is_known_here_only, parts_fixture) {
  server.refuses_annotations = true;
  wanted.restarts = {{"job-worker-0", "old", 1}};
  complete(0);
  write_all();
  BOOST_TEST(events == (texts{"RestartsNotSaved", "RecoveryNotSaved"}),
             boost::test_tools::per_element());
  BOOST_TEST((writer.saved_status() == wanted));
  // A watch shows the job without it.
  BOOST_TEST(!writer.record_server_status(server.read()).foreign);
  BOOST_TEST((writer.saved_status() == wanted));
  BOOST_TEST(write_all().empty());
}

BOOST_FIXTURE_TEST_CASE(an_attempt_that_nobody_keeps_waits, parts_fixture) {
  server.refuses_annotations = true;
  wanted.replicas["Worker"].active = 2;
  write_all();
  wanted.replicas["Worker"].active = 1;
  restart(1);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST(events == texts{"RecoveryNotSaved"},
             boost::test_tools::per_element());
  BOOST_TEST(writer.saved_status()->recovery->attempt == 0);
  BOOST_TEST(writer.write_state().attempt_refused);
  BOOST_TEST(writer.write_state().failures_in_a_row == 1);
  BOOST_TEST(writer.write_state().last_failure.message == "may not");
  now += 10s;
  BOOST_TEST(write_all() == texts{"annotations"},
             boost::test_tools::per_element());
  BOOST_TEST(writer.write_state().failures_in_a_row == 2);
  BOOST_TEST(events.size() == 1u); // It is told once.
  // Another process would still see that a pod was lost.
  BOOST_TEST(server.read().replicas.at("Worker").active == 2);
  server.refuses_annotations = false;
  now += 1min;
  BOOST_TEST(write_all() == (texts{"annotations", "status"}),
             boost::test_tools::per_element());
  BOOST_TEST(is_saved());
  BOOST_TEST(!writer.write_state().attempt_refused);
}

BOOST_FIXTURE_TEST_CASE(what_else_changes_is_written_while_an_attempt_waits,
                        parts_fixture) {
  wanted.replicas["Worker"].active = 2;
  restart(1);
  write_all();
  server.refuses_annotations = true;
  restart(2);
  wanted.replicas["Worker"].active = 1;
  write_all();
  wanted.set_condition("Suspended", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  auto there = server.read();
  BOOST_TEST(there.is_condition_true("Suspended"));
  BOOST_TEST(there.replicas.at("Worker").active == 1);
  BOOST_TEST(there.recovery->attempt == 1);
  BOOST_TEST((writer.saved_status() == there));
}

BOOST_FIXTURE_TEST_CASE(a_job_that_ends_waits_for_no_attempt, parts_fixture) {
  server.refuses_annotations = true;
  restart(1);
  write_all();
  wanted.set_condition("Failed", true, "R", "m", now);
  BOOST_TEST(write_all() == (texts{"status", "annotations"}),
             boost::test_tools::per_element());
  BOOST_TEST(server.read().is_condition_true("Failed"));
  BOOST_TEST((writer.saved_status() == wanted));
  BOOST_TEST(!writer.write_state().attempt_refused);
  now += 1min;
  BOOST_TEST(write_all().empty());
}

BOOST_FIXTURE_TEST_CASE(an_answer_that_cannot_be_read_saves_nothing,
                        parts_fixture) {
  restart(1);
  now += 2s;
  auto step = writer.begin_write_if_due(wanted, job, 7, now, 1000ms);
  BOOST_REQUIRE(step.write);
  (void)server.answer(*step.write->make_request());
  auto done =
      writer.on_write_ended(std::string{"garbage"}, wanted, *job, now, 0);
  BOOST_TEST(done.must_read_job);
  BOOST_TEST(writer.saved_status()->recovery->attempt == 0);
  BOOST_TEST(write_all().empty());
  writer.record_server_status(server.read());
  write_all();
  BOOST_TEST(is_saved());
}

BOOST_AUTO_TEST_SUITE_END()
