#pragma once

#include "frameworks/core/model/decision.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <string>

// Decisions about the pod of worker 0 or the config map of the job "job", which
// replica groups carry out, and answers of the server.

namespace troupe::fixtures::orders {

inline const std::string pod_name = "job-worker-0";

inline core::decision create() {
  return core::create_child{core::child_kind::pod, {"worker", 0}, ""};
}

inline core::decision create_service() {
  return core::create_child{core::child_kind::service, {"worker", 0}, ""};
}

template <class Operation>
core::decision operate() {
  return Operation{core::child_kind::pod, {"worker", 0}, pod_name, "uid", ""};
}

inline core::decision remove() {
  return operate<core::delete_child>();
}
inline core::decision remove_at_once() {
  auto d = std::get<core::delete_child>(remove());
  d.at_once = true;
  return d;
}
inline core::decision adopt() {
  return operate<core::adopt_child>();
}
inline core::decision release() {
  return operate<core::release_child>();
}

inline core::decision annotate() {
  return core::annotate_pod{{"worker", 0}, pod_name, "uid", "", 2};
}

/// An update that was decided for version 5.
inline core::decision update() {
  core::update_auxiliary d;
  d.name = "job-config";
  d.uid = "uid";
  d.version = "5";
  d.body = "{}";
  return d;
}

/// Of version 5.
inline core::decision patch(bool of_status = false) {
  core::patch_auxiliary d;
  d.kind = core::child_kind::launcher_job;
  d.name = "job-launcher";
  d.uid = "uid";
  d.version = "5";
  d.operations = R"([{"op":"remove","path":"/spec/x"}])";
  d.of_status = of_status;
  return d;
}

inline core::decision look_up() {
  return core::read_auxiliary{core::child_kind::launcher_job, "job-launcher",
                              "", "", 0};
}

/// A read of version 5.
inline core::decision read() {
  return core::read_auxiliary{core::child_kind::config_map, "job-config", "uid",
                              "", 5};
}

inline core::decision read_node() {
  return core::read_node{"n7", ""};
}

/// The pod, as it is on the server.
inline std::string pod_text(const char* uid, int version = 5,
                            json meta = json::object()) {
  return object_text(pod_name, uid, version, std::move(meta));
}

/// Of an answer that is a failure.
inline k8s::result<std::string> failed(k8s::ec code) {
  return k8s::failure{code, "failed"};
}

inline const json deleting{{"deletionTimestamp", "2026-01-01T00:00:00Z"}};

} // namespace troupe::fixtures::orders
