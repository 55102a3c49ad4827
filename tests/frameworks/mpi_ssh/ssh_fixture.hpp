#pragma once

#include "tests/frameworks/di/dijob_fixture.hpp"

namespace troupe::fixtures {

inline const core::framework& ssh_kind() {
  static const auto kind = frameworks::mpi_over_ssh();
  return kind;
}

inline json ssh_template() {
  return {{"spec",
           {{"containers", json::array({{{"name", "mpi"},
                                         {"image", "reg.example/mpi:1"}}})}}}};
}

/// A launcher and so many workers.
inline json ssh_spec(int workers = 2) {
  return {
      {"mpiReplicaSpecs",
       {{"Launcher", {{"template", ssh_template()}}},
        {"Worker", {{"replicas", workers}, {"template", ssh_template()}}}}}};
}

/// "default/pi" with this spec.
inline core::job make_ssh_job(const json& spec = ssh_spec()) {
  return make_job_of(ssh_kind(), spec, "pi");
}

/// What a watch shows of an auxiliary object of the job.
inline k8s::object owned_object(const core::job& j, const std::string& name,
                                std::uint64_t version = 1) {
  k8s::object o;
  o.meta.name = name;
  o.meta.ns = j.ns;
  o.meta.uid = "uid-of-" + name;
  o.meta.resource_version = version;
  o.meta.owners.push_back(
      {"kubeflow.org/v2beta1", "MPIJob", j.name, j.uid, true});
  return o;
}

/// The launcher's Job in this state.
inline k8s::object launcher_job(const core::job& j,
                                k8s::batch_job_state state = {},
                                std::uint64_t version = 1) {
  auto o = owned_object(j, j.name + "-launcher", version);
  o.meta.labels = {{"app", j.name},
                   {core::label::operator_name, "mpi-operator"}};
  o.state = std::move(state);
  return o;
}

/// A pod that this Job has made.
inline k8s::object launcher_pod(const core::job& j, k8s::pod_phase phase,
                                const std::string& suffix = "x7k2p",
                                std::uint64_t version = 1) {
  k8s::object o;
  o.meta.name = j.name + "-launcher-" + suffix;
  o.meta.ns = j.ns;
  o.meta.uid = "uid-of-" + o.meta.name;
  o.meta.resource_version = version;
  o.meta.labels = {{core::label::operator_name, "mpi-operator"},
                   {core::label::job_name, j.name},
                   {core::label::job_role, "launcher"}};
  o.meta.owners.push_back({"batch/v1", "Job", j.name + "-launcher",
                           "uid-of-" + j.name + "-launcher", true});
  k8s::pod_state state;
  state.phase = phase;
  o.state = state;
  return o;
}

/// A job whose pods may be made: all that they need is there.
struct ssh_job_fixture : job_fixture {
  explicit ssh_job_fixture(const json& spec = ssh_spec())
      : job_fixture{make_ssh_job(spec)} {}

  void see(core::child_kind kind, const k8s::object& o) {
    record_seen(seen, kind, o, j);
  }

  /// Content that is as desired.
  void see_objects_for_pods() {
    see_whole(core::child_kind::job_service, "pi",
              R"({"spec":{"clusterIP":"None","selector":{)"
              R"("training.kubeflow.org/job-name":"pi",)"
              R"("training.kubeflow.org/operator-name":"mpi-operator"}}})");
    see_whole(core::child_kind::secret, "pi-ssh",
              R"({"data":{"ssh-privatekey":"","ssh-publickey":""},)"
              R"("type":"kubernetes.io/ssh-auth"})");
    see(core::child_kind::config_map, owned_object(j, "pi-config"));
  }

  void see_whole(core::child_kind kind, const std::string& name,
                 std::string body, std::uint64_t version = 1) {
    auto o = owned_object(j, name, version);
    o.state = k8s::full_state{std::move(body), "{}"};
    see(kind, o);
  }

  void see_launcher(k8s::batch_job_state state = {},
                    std::uint64_t version = 1) {
    see(core::child_kind::launcher_job,
        launcher_job(j, std::move(state), version));
  }

  void see_launcher_pod(k8s::pod_phase phase, std::uint64_t version = 1) {
    see(core::child_kind::pod, launcher_pod(j, phase, "x7k2p", version));
  }

  /// The decisions except those about the config map, whose content is read.
  strings decisions_on_pods() const {
    strings result;
    for (auto& d : decisions())
      if (d.find("config map") == std::string::npos)
        result.push_back(d);
    return result;
  }
};

inline child_builder worker(int index) {
  return pod("worker", index);
}

inline child_builder ready_worker(int index) {
  auto w = pod("worker", index);
  w.state().conditions.push_back({"Ready", "True", "", "", {}});
  return w.running();
}

} // namespace troupe::fixtures
