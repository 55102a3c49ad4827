#pragma once

#include "actors/jobs/status_writer.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "frameworks/registry.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace troupe::pruning {

using namespace std::chrono_literals;
using nlohmann::json;

inline const k8s::time_point noon = *k8s::from_rfc3339("2026-01-31T12:00:00Z");

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
  std::vector<core::job_event> last_events; ///< Without a write.

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
      last_events = step.events;
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

} // namespace troupe::pruning
