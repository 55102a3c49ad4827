#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/mpi_parts.hpp"
#include "tests/frameworks/kind_checks.hpp"

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(mpi_test)

namespace {

job_builder mpi(int workers) {
  return make_job_of("MPIJob", "hvd")
      .ns("ml")
      .type("Launcher", 1)
      .workers(workers);
}

std::map<std::string, json>
auxiliary_objects(const core::job& j,
                  const core::observed_children& seen = {}) {
  std::map<std::string, json> result;
  for (const auto& b : frameworks::mpi_auxiliary_objects(j, seen, {}))
    result[core::resource_of(b.kind).kind + "/" + b.name] = json::parse(b.body);
  return result;
}

json files(const core::job& j, const core::observed_children& seen = {}) {
  return auxiliary_objects(j, seen)["ConfigMap/hvd-config"]["data"];
}

job_builder with_gpu(job_builder b) {
  b.pod_template("Launcher")["spec"]["containers"][0]["resources"]["limits"]
                            ["nvidia.com/gpu"] = 1;
  return b;
}

/// All that pods wait for, as a watcher sees it.
void see_auxiliary_objects(job_fixture& s) {
  for (const auto& b : frameworks::mpi_auxiliary_objects(s.j, s.seen, {})) {
    k8s::object o;
    o.meta.name = b.name;
    o.meta.ns = s.j.ns;
    o.meta.uid = core::resource_of(b.kind).kind;
    o.meta.resource_version = 1;
    o.meta.owners.push_back(
        {"kubeflow.org/v1", "MPIJob", s.j.name, s.j.uid, true});
    o.state = k8s::full_state{b.body, "{}"};
    record_seen(s.seen, b.kind, o, s.j);
  }
}

core::cluster_options with_kubectl_image() {
  core::cluster_options w;
  w.kubectl_image = "kubectl:1";
  return w;
}

} // namespace

BOOST_AUTO_TEST_CASE(hosts_are_workers_with_their_slots) {
  struct row {
    core::job j;
    const char* hosts;
  } rows[] = {
      {mpi(2), "hvd-worker-0 slots=1\nhvd-worker-1 slots=1\n"},
      {mpi(1).with("slotsPerWorker", 4), "hvd-worker-0 slots=4\n"},
      {with_gpu(mpi(1)), "hvd-launcher slots=1\nhvd-worker-0 slots=1\n"},
      {mpi(0), ""},
  };
  for (const auto& r : rows)
    BOOST_TEST(files(r.j)["hostfile"] == r.hosts);
}

BOOST_AUTO_TEST_CASE(discovery_follows_the_running_workers) {
  core::job j = mpi(12).with("slotsPerWorker", 2);
  job_fixture s{j};
  BOOST_TEST(files(j)["discover_hosts.sh"] == "#!/bin/sh");
  s.observe({pod("worker", 10).running(), pod("worker", 2).running(),
             pod("worker", 3), pod("launcher", 0).running()});
  BOOST_TEST(files(j, s.seen)["discover_hosts.sh"]
             == "#!/bin/sh\necho hvd-worker-10:2\necho hvd-worker-2:2");
  core::job gpu = with_gpu(mpi(12).with("slotsPerWorker", 2));
  BOOST_TEST(files(gpu, s.seen)["discover_hosts.sh"]
             == "#!/bin/sh\necho hvd-launcher:2\n\necho hvd-worker-10:2\n"
                "echo hvd-worker-2:2");
}

BOOST_AUTO_TEST_CASE(the_script_execs_into_a_pod) {
  std::string start = "#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n"
                      "/opt/kube/kubectl exec ${POD_NAME}";
  BOOST_TEST(files(mpi(1))["kubexec.sh"] == start + " -- /bin/sh -c \"$*\"");
  BOOST_TEST(files(mpi(1).with("mainContainer", "main"))["kubexec.sh"]
             == start + " --container main -- /bin/sh -c \"$*\"");
}

BOOST_AUTO_TEST_CASE(the_launcher_may_exec_into_the_workers_only) {
  auto all = auxiliary_objects(mpi(2));
  BOOST_TEST(all.size() == 4u);
  BOOST_TEST(all["Role/hvd-launcher"]["rules"][1]["resourceNames"].dump()
             == R"(["hvd-worker-0","hvd-worker-1"])");
  BOOST_TEST(auxiliary_objects(mpi(0))["Role/hvd-launcher"]["rules"].size()
             == 1u);
  BOOST_TEST(all.count("ServiceAccount/hvd-launcher") == 1u);
  auto b = mpi(1);
  b.pod_template("Launcher")["spec"]["serviceAccountName"] = "own";
  auto own = auxiliary_objects(b);
  BOOST_TEST(own.count("ServiceAccount/own") == 1u);
  BOOST_TEST(own["RoleBinding/hvd-launcher"]["subjects"][0]["name"] == "own");
  BOOST_TEST(pod_of(b, "launcher", 0)["spec"]["serviceAccountName"] == "own");
}

BOOST_AUTO_TEST_CASE(workers_sleep_unless_they_have_a_command) {
  auto b = mpi(1);
  b.pod_template("Worker")["spec"]["containers"][0]["args"] = {"lost"};
  auto pod = pod_of(b, "worker", 0);
  const auto& main = pod["spec"]["containers"][0];
  BOOST_TEST(main["command"].dump() == R"(["sleep"])");
  BOOST_TEST(main["args"].dump() == R"(["365d"])");
  BOOST_TEST(main["volumeMounts"].dump()
             == R"([{"mountPath":"/etc/mpi","name":"mpi-job-config"}])");
  BOOST_TEST(!main.contains("env"));
  b.pod_template("Worker")["spec"]["containers"][0]["command"] = {"run"};
  BOOST_TEST(pod_of(b, "worker", 0)["spec"]["containers"][0]["command"].dump()
             == R"(["run"])");
}

BOOST_AUTO_TEST_CASE(the_launcher_gets_kubectl_and_the_files) {
  auto pod = pod_of(mpi(1), "launcher", 0, with_kubectl_image());
  BOOST_TEST(pod["metadata"]["name"] == "hvd-launcher");
  BOOST_TEST(!pod["metadata"]["labels"].contains(
      "training.kubeflow.org/replica-index"));
  BOOST_TEST(role(mpi(1), "launcher", 0) == "master");
  const auto& spec = pod["spec"];
  BOOST_TEST(spec["initContainers"][0]["image"] == "kubectl:1");
  BOOST_TEST(!spec["initContainers"][0].contains("securityContext"));
  BOOST_TEST(spec["volumes"][1]["configMap"]["items"].size() == 3u);
  const std::string open_mpi =
      "OMPI_MCA_plm_rsh_agent=/etc/mpi/kubexec.sh "
      "OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile ";
  const std::string intel = "I_MPI_HYDRA_BOOTSTRAP=rsh "
                            "I_MPI_HYDRA_BOOTSTRAP_EXEC=/etc/mpi/kubexec.sh";
  BOOST_TEST(variables(spec["containers"][0])
             == open_mpi
                    + "NVIDIA_VISIBLE_DEVICES= NVIDIA_DRIVER_CAPABILITIES= "
                    + intel);
  BOOST_TEST(variables(with_gpu(mpi(1)), "launcher", 0) == open_mpi + intel);
}

BOOST_AUTO_TEST_CASE(what_the_template_sets_is_not_set_again) {
  auto b = mpi(1);
  const std::string own = "NVIDIA_VISIBLE_DEVICES=0 OMPI_MCA_plm_rsh_agent=ssh";
  b.pod_template("Launcher")["spec"]["containers"][0]["env"] =
      json::array({{{"name", "NVIDIA_VISIBLE_DEVICES"}, {"value", "0"}},
                   {{"name", "OMPI_MCA_plm_rsh_agent"}, {"value", "ssh"}}});
  BOOST_TEST(variables(b, "launcher", 0)
             == own
                    + " OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile "
                      "NVIDIA_DRIVER_CAPABILITIES= I_MPI_HYDRA_BOOTSTRAP=rsh "
                      "I_MPI_HYDRA_BOOTSTRAP_EXEC=/etc/mpi/kubexec.sh");
}

BOOST_AUTO_TEST_CASE(what_the_template_says_of_intel_mpi_stays) {
  auto b = mpi(1);
  b.pod_template("Launcher")["spec"]["containers"][0]["env"] =
      json::array({{{"name", "I_MPI_HYDRA_BOOTSTRAP"}, {"value", "ssh"}}});
  auto text = variables(b, "launcher", 0);
  BOOST_TEST(text.find("BOOTSTRAP=rsh") == std::string::npos);
  BOOST_TEST(text.find("BOOTSTRAP_EXEC=/etc/mpi/kubexec.sh")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_template_gives_labels_and_annotations_only) {
  for (const char* type : {"Launcher", "Worker"}) {
    auto b = mpi(1);
    b.pod_template(type)["metadata"] = {{"name", "x"},
                                        {"labels", {{"team", "blue"}}},
                                        {"annotations", {{"note", "x"}}},
                                        {"finalizers", {"a/b"}}};
    auto meta = pod_of(b, type == std::string{"Worker"} ? "worker" : "launcher",
                       0)["metadata"];
    BOOST_TEST(meta["labels"]["team"] == "blue");
    BOOST_TEST(meta["annotations"]["note"] == "x");
    BOOST_TEST(!meta.contains("finalizers"));
  }
}

BOOST_AUTO_TEST_CASE(only_the_launchers_template_is_warned_of) {
  auto b = mpi(1);
  for (const char* type : {"Launcher", "Worker"})
    b.pod_template(type)["spec"]["restartPolicy"] = "Always";
  auto of_launcher = core::pod_template_warnings(b, {"launcher", 0}, {});
  BOOST_REQUIRE_EQUAL(of_launcher.size(), 1u);
  BOOST_TEST(of_launcher[0].reason == "SettedPodTemplateRestartPolicy");
  BOOST_TEST(core::pod_template_warnings(b, {"worker", 0}, {}).empty());
}

BOOST_AUTO_TEST_CASE(the_launcher_decides) {
  auto row = [](const char* kind, const char* policy, child_builder launcher,
                child_builder worker, const char* conditions,
                const char* message) {
    return outcome{kind,
                   mpi(1).restart_policy(policy),
                   {launcher, worker},
                   conditions,
                   message};
  };
  check({
      row("it runs, whatever the workers do", "Never",
          pod("launcher", 0).running(), pod("worker", 0), "Created Running",
          "MPIJob hvd is running."),
      row("it is done", "Never", pod("launcher", 0).succeeded(),
          pod("worker", 0).running(), "Created Succeeded",
          "MPIJob hvd is successfully completed."),
      row("a failed worker is not replaced", "OnFailure",
          pod("launcher", 0).running(), pod("worker", 0).failed(),
          "Created Running=False Failed",
          "MPIJob hvd is failed because 1 Worker replica(s) failed."),
      row("but under ExitCode it may be", "ExitCode",
          pod("launcher", 0).running(), pod("worker", 0).failed(143),
          "Created Restarting",
          "MPIJob hvd is restarting because 1 Worker replica(s) failed."),
  });
}

BOOST_AUTO_TEST_CASE(the_end_is_told_as_ever) {
  job_fixture s{mpi(2).restart_policy("Never")};
  s.pass_and_save();
  s.observe({pod("launcher", 0).succeeded(), pod("worker", 0).running(),
             pod("worker", 1).running()});
  s.pass_and_save();
  BOOST_TEST(s.status.replicas["Launcher"].succeeded == 1);
  BOOST_TEST(s.status.replicas["Worker"].succeeded == 0);
  BOOST_TEST(s.status.replicas["Worker"].active == 0);
  job_fixture f{mpi(1).restart_policy("Never")};
  f.pass_and_save();
  f.observe({pod("launcher", 0).failed(), pod("worker", 0).running()});
  f.pass_and_save();
  BOOST_TEST(f.status.conditions.back().reason == "MPIJobMPIJobFailed");
}

BOOST_AUTO_TEST_CASE(the_controller_tells_of_its_launcher_first) {
  auto evicted = pod("launcher", 0).failed(std::nullopt);
  evicted.state().reason = "Evicted";
  struct row {
    child_builder launcher;
    strings events;
    int launcher_failed;
  } rows[] = {
      {pod("launcher", 0).failed(),
       {"Warning MPIJobFailed MPIJob ml/hvd has failed",
        "Normal MPIJobFailed MPIJob hvd is failed because 1 Launcher "
        "replica(s) failed."},
       1},
      {evicted,
       {"Warning Evicted MPIJob ml/hvd has failed",
        "Normal MPIJobFailed MPIJob hvd is failed because 1 Launcher "
        "replica(s) failed."},
       1},
      {pod("launcher", 0).succeeded(),
       {"Normal mpijobsSucceeded MPIJob ml/hvd successfully completed.",
        "Normal MPIJobSucceeded MPIJob hvd is successfully completed."},
       0},
  };
  for (const auto& r : rows) {
    job_fixture s{mpi(2).restart_policy("Never")};
    s.pass_and_save();
    s.observe(
        {r.launcher, pod("worker", 0).running(), pod("worker", 1).failed()});
    s.pass();
    BOOST_TEST(s.events() == r.events, boost::test_tools::per_element());
    BOOST_TEST(s.status.replicas["Launcher"].failed == r.launcher_failed);
    const auto& workers = s.status.replicas["Worker"];
    BOOST_TEST(workers.active + workers.succeeded + workers.failed == 0);
    s.save();
    s.pass();
    BOOST_TEST(s.events() == strings{}, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_failed_worker_leaves_the_counts) {
  job_fixture s{mpi(2).restart_policy("Never")};
  s.pass_and_save();
  s.observe({pod("launcher", 0).running(), pod("worker", 0).running(),
             pod("worker", 1).failed()});
  s.pass();
  BOOST_TEST(s.events().back()
             == "Normal MPIJobFailed MPIJob hvd is failed because 1 Worker "
                "replica(s) failed.");
  BOOST_TEST(s.status.replicas["Worker"].active == 1);
  BOOST_TEST(s.status.replicas["Worker"].failed == 1);
}

BOOST_AUTO_TEST_CASE(the_launcher_is_made_when_all_workers_exist) {
  auto launcher_next = [](job_fixture& s) {
    s.pass();
    auto all = s.decisions();
    return std::count(all.begin(), all.end(), "create pod launcher-0") == 1;
  };
  job_fixture alone{mpi(0)};
  see_auxiliary_objects(alone);
  BOOST_TEST(launcher_next(alone));
  job_fixture s{mpi(2)};
  see_auxiliary_objects(s);
  BOOST_TEST(!launcher_next(s));
  s.observe({pod("worker", 0).running()});
  BOOST_TEST(!launcher_next(s));
  s.observe({pod("worker", 1)});
  BOOST_TEST(launcher_next(s));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_told_in_the_controllers_words) {
  auto with = [](const char* type, json value) {
    auto b = mpi(1);
    b.types()[type] = std::move(value);
    return b;
  };
  auto container = [](json c) {
    return json{{"template", {{"spec", {{"containers", {std::move(c)}}}}}}};
  };
  auto two = mpi(1);
  two.types()["Launcher"]["replicas"] = 2;
  auto none = mpi(1);
  none.types().erase("Launcher");
  auto no_map = mpi(1);
  no_map.spec().erase("mpiReplicaSpecs");
  struct row {
    job_builder job;
    const char* problem;
  } rows[] = {
      {mpi(1), ""},
      {mpi(0), ""},
      {no_map, "MPIReplicaSpecs is not valid"},
      {with("Worker", nullptr), "MPIReplicaSpecs is not valid: containers "
                                "definition expected in Worker"},
      {with("Launcher",
            {{"template", {{"spec", {{"containers", json::array()}}}}}}),
       "MPIReplicaSpecs is not valid: containers definition expected in "
       "Launcher"},
      {with("Boss", container({{"name", "mpi"}, {"image", "i"}})),
       "MPIReplicaType is Boss but must be one of [Launcher Worker]"},
      {with("Launcher", container({{"name", "mpi"}})),
       "MPIReplicaSpec is not valid: Image is undefined in the container of "
       "Launcher"},
      {with("Worker", container({{"image", "i"}})),
       "MPIReplicaSpec is not valid: ImageName is undefined in the container "
       "of Worker"},
      {two, "MPIReplicaSpec is not valid: There must be only 1 launcher "
            "replica"},
      {none, "MPIReplicaSpec is not valid: Master ReplicaSpec must be present"},
      {mpi(-1), "spec.mpiReplicaSpecs[Worker].replicas: Invalid value: -1: "
                "must be greater than or equal to 0"},
  };
  for (const auto& r : rows)
    BOOST_TEST(r.job.get().validation_error == r.problem);
}

BOOST_AUTO_TEST_CASE(evicted_workers_are_counted) {
  job_fixture s{mpi(2).restart_policy("ExitCode")};
  s.pass_and_save();
  auto evicted = pod("worker", 1).failed(std::nullopt);
  evicted.state().reason = "Evicted";
  s.observe({pod("launcher", 0).running(), pod("worker", 0).running()});
  s.observe(evicted);
  s.pass();
  BOOST_TEST(s.events().front()
             == "Warning MPIJobEvicted 1/2 workers are evicted");
}

BOOST_AUTO_TEST_CASE(either_field_says_what_is_cleaned) {
  BOOST_TEST((mpi(1).get().policy.clean == core::clean_pod_policy::none));
  BOOST_TEST((mpi(1).with("cleanPodPolicy", "All").get().policy.clean
              == core::clean_pod_policy::all));
  BOOST_TEST((mpi(1)
                  .with("cleanPodPolicy", "All")
                  .clean_pod_policy("Running")
                  .get()
                  .policy.clean
              == core::clean_pod_policy::running));
}

BOOST_AUTO_TEST_SUITE_END()
