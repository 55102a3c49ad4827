#pragma once

#include "actors/jobs/directory.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "tests/actors/jobs/tf_kind.hpp"
#include "tests/actors/single_actor_fixture.hpp"

namespace troupe::fixtures {

/// A directory with real supervisors. Jobs have one worker each.
struct directory_fixture : single_actor_fixture {
  explicit directory_fixture(bool leading = true, const char* ns = "")
      : subject(spawn(actors::directory, context,
                      std::vector<actors::watch_target>{
                          {nullptr, core::child_kind::pod, ns},
                          {nullptr, core::child_kind::service, ns}},
                      leading)) {}

  static k8s::object job_object(const std::string& name,
                                const std::string& uid = "",
                                std::uint64_t version = 1) {
    auto o = make_job(name).workers(1).object();
    o.meta.uid = uid.empty() ? name + "-uid" : uid;
    o.meta.resource_version = version;
    return o;
  }

  void see(const k8s::object& job, std::uint64_t list_number = 1) {
    send(subject, actors::job_seen{tf_kind, std::make_shared<k8s::object>(job),
                                   list_number});
  }

  void forget(const std::string& name) {
    send(subject, actors::job_deleted{tf_kind, std::make_shared<k8s::object>(
                                                   job_object(name))});
  }

  /// The child, made of a job of that name.
  static k8s::object child_object(const child_builder& child,
                                  const std::string& job) {
    return child.object(*core::decode_job(*tf_kind, job_object(job)));
  }

  void see(const child_builder& child, const std::string& job,
           std::uint64_t list_number = 1) {
    send(subject, actors::child_seen{
                      child.what(),
                      std::make_shared<k8s::object>(child_object(child, job)),
                      list_number});
  }

  void forget(const child_builder& child, const std::string& job) {
    send(subject,
         actors::child_deleted{child.what(), std::make_shared<k8s::object>(
                                                 child_object(child, job))});
  }

  void complete_list(core::child_kind what, std::uint64_t list_number = 1,
                     std::uint64_t version = 1, const char* ns = "") {
    send(subject,
         actors::list_complete{{nullptr, what, ns}, list_number, version});
  }

  void complete_list_of_jobs(std::uint64_t list_number, std::uint64_t version,
                             const char* ns = "") {
    send(subject, actors::list_complete{{tf_kind, core::child_kind::pod, ns},
                                        list_number,
                                        version});
  }

  /// All that must be listed.
  directory_fixture& listed() {
    complete_list(core::child_kind::pod);
    complete_list(core::child_kind::service);
    return *this;
  }

  json report() { return ask(subject, actors::get_report{}); }

  json report_of(const std::string& job) {
    return ask(subject, actors::get_job_report{"ns", "TFJob", job});
  }

  /// UIDs of the pods that the job's supervisor knows.
  strings pods_of(const std::string& job) {
    strings result;
    auto report = report_of(job);
    for (const auto& p : report["pods"])
      result.push_back(p["uid"]);
    return result;
  }

  bool has_supervisor(const std::string& job) {
    return !report_of(job).is_null();
  }

  /// The supervisor fails; its status write shows which it is.
  void fail_supervisor(const std::string& job) {
    fail(find_call("patch tfjobs/status " + job).caller);
  }

  actors::directory_actor subject;
};

} // namespace troupe::fixtures
