#pragma once

#include "actors/jobs/job_supervisor.hpp"
#include "tests/actors/jobs/tf_kind.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <algorithm>

namespace troupe::fixtures {

/// The supervisor of a TFJob, with its replica groups.
struct supervisor_fixture : single_actor_fixture {
  explicit supervisor_fixture(bool recover = false,
                              const core::framework* kind = tf_kind)
      : subject(
          spawn(actors::job_supervisor, context,
                actors::supervisor_config{
                    std::make_shared<actors::job_reference>(
                        actors::job_reference{kind, "ns", "job", "job-uid"}),
                    recover})) {
    run();
  }

  static actors::job_seen seen(const job_builder& job, int version = 1,
                               const char* status = "null") {
    auto o = job.object();
    o.meta.resource_version = static_cast<std::uint64_t>(version);
    o.meta.generation = version;
    std::get<k8s::spec_and_status_state>(o.state).status = status;
    return {tf_kind, std::make_shared<k8s::object>(o), 1};
  }

  static actors::child_seen seen(const child_builder& child) {
    return {child.what(),
            std::make_shared<k8s::object>(child.object(make_job().workers(9))),
            1};
  }

  /// Answers calls of this verb until none waits; what they were.
  strings accept_all(const std::string& verb) {
    strings result;
    for (;;) {
      auto all = waiting();
      auto i = std::find_if(all.begin(), all.end(), [&](const auto& c) {
        return c.rfind(verb, 0) == 0;
      });
      if (i == all.end())
        return result;
      result.push_back(*i);
      accept(*i);
    }
  }

  bool recorded(const std::string& reason) {
    return std::count(events.begin(), events.end(), reason) > 0;
  }

  json report() { return ask(subject, actors::get_report{}); }

  std::string last_condition() {
    auto all = report()["status"]["conditions"];
    return all.empty() ? "" : all.back()["type"].get<std::string>();
  }

  actors::job_supervisor_actor subject;
};

/// The job, as a read of it is answered.
inline std::string job_text(const job_builder& job, int version) {
  return json{{"metadata",
               {{"name", "job"},
                {"namespace", "ns"},
                {"uid", "job-uid"},
                {"generation", version},
                {"resourceVersion", std::to_string(version)}}},
              {"spec", const_cast<job_builder&>(job).spec()}}
      .dump();
}

/// The status of a job that has succeeded_status.
inline constexpr const char* succeeded_status = R"({"conditions":[
  {"type":"Created","status":"True"},{"type":"Succeeded","status":"True"}],
  "startTime":"2026-02-02T02:40:00Z","completionTime":"2026-02-02T02:40:00Z"})";

} // namespace troupe::fixtures
