#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/mpi_ssh/ssh_pods.hpp"
#include "k8s/text.hpp"
#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace troupe::frameworks::mpi_ssh;

BOOST_AUTO_TEST_SUITE(ssh_pods_test)

namespace {

json worker_pod(const json& spec = ssh_spec(), int index = 1,
                const core::cluster_options& cluster = {}) {
  auto made = make_worker_pod(make_ssh_job(spec), {"worker", index}, cluster);
  BOOST_REQUIRE(made);
  return json::parse(*made);
}

json launcher(const json& spec = ssh_spec(),
              const core::cluster_options& cluster = {}) {
  return json::parse(
      launcher_job_object(make_ssh_job(spec), cluster).body)["spec"];
}

json environment_of(const json& pod_spec) {
  json result = json::object();
  for (const auto& v : pod_spec["containers"][0]["env"])
    result[v["name"].get<std::string>()] = v.value("value", "");
  return result;
}

json with(const char* pointer, json value) {
  auto spec = ssh_spec();
  spec[json::json_pointer{pointer}] = std::move(value);
  return spec;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_worker_runs_sshd_and_can_be_reached) {
  auto pod = worker_pod();
  const auto& spec = pod["spec"];
  BOOST_TEST(pod["metadata"]["name"] == "pi-worker-1");
  BOOST_TEST(pod["metadata"]["labels"]
             == json({{"training.kubeflow.org/operator-name", "mpi-operator"},
                      {"training.kubeflow.org/job-name", "pi"},
                      {"training.kubeflow.org/job-role", "worker"},
                      {"training.kubeflow.org/replica-index", "1"}}));
  BOOST_TEST(spec["hostname"] == "pi-worker-1");
  BOOST_TEST(spec["subdomain"] == "pi");
  BOOST_TEST(spec["restartPolicy"] == "Never");
  BOOST_TEST(spec["dnsConfig"]["searches"]
             == json::array({"pi.default.svc.cluster.local"}));
  const auto& main = spec["containers"][0];
  BOOST_TEST(main["command"] == json::array({"/usr/sbin/sshd", "-De"}));
  BOOST_TEST(environment_of(spec) == json({{"K_MPI_JOB_ROLE", "worker"}}));
  BOOST_TEST(
      main["volumeMounts"]
      == json::array({{{"name", "ssh-auth"}, {"mountPath", "/root/.ssh"}}}));
  const auto& secret = spec["volumes"][0]["secret"];
  BOOST_TEST(secret["secretName"] == "pi-ssh");
  BOOST_TEST(secret["defaultMode"] == 0600);
  BOOST_TEST(secret["items"][2]
             == json({{"key", "ssh-publickey"}, {"path", "authorized_keys"}}));
}

BOOST_AUTO_TEST_CASE(a_worker_with_a_program_keeps_it) {
  const char* main = "/mpiReplicaSpecs/Worker/template/spec/containers/0";
  for (const char* field : {"command", "args"}) {
    auto spec = with((std::string{main} + "/" + field).c_str(),
                     json::array({"-p", "2222"}));
    auto made = worker_pod(spec)["spec"]["containers"][0];
    BOOST_TEST(made[field] == json::array({"-p", "2222"}));
    BOOST_TEST(made.contains("command") == (std::string{field} == "command"));
  }
}

BOOST_AUTO_TEST_CASE(on_the_hosts_network_names_resolve_in_the_cluster) {
  auto spec = with("/mpiReplicaSpecs/Worker/template/spec/hostNetwork", true);
  BOOST_TEST(worker_pod(spec)["spec"]["dnsPolicy"]
             == "ClusterFirstWithHostNet");
  BOOST_TEST(!worker_pod()["spec"].contains("dnsPolicy"));
}

BOOST_AUTO_TEST_CASE(keys_elsewhere_have_the_usual_mode) {
  auto pod = worker_pod(with("/sshAuthMountPath", "/home/mpi/.ssh"));
  BOOST_TEST(!pod["spec"]["volumes"][0]["secret"].contains("defaultMode"));
  BOOST_TEST(pod["spec"]["containers"][0]["volumeMounts"][0]["mountPath"]
             == "/home/mpi/.ssh");
}

BOOST_AUTO_TEST_CASE(the_launcher_is_the_template_of_a_job) {
  auto spec = launcher();
  BOOST_TEST(spec["podReplacementPolicy"] == "Failed");
  BOOST_TEST(!spec.contains("suspend"));
  BOOST_TEST(!spec.contains("backoffLimit"));
  const auto& pod = spec["template"];
  BOOST_TEST(pod["metadata"]["labels"]
             == json({{"training.kubeflow.org/operator-name", "mpi-operator"},
                      {"training.kubeflow.org/job-name", "pi"},
                      {"training.kubeflow.org/job-role", "launcher"}}));
  BOOST_TEST(pod["metadata"]["ownerReferences"][0]["uid"] == "job-uid");
  BOOST_TEST(pod["spec"]["hostname"] == "pi-launcher");
  BOOST_TEST(pod["spec"]["restartPolicy"] == "OnFailure");
  BOOST_TEST(!pod["spec"].contains("dnsConfig"));
  BOOST_TEST(pod["spec"]["volumes"][1]["configMap"]["name"] == "pi-config");
  BOOST_TEST(pod["spec"]["containers"][0]["volumeMounts"][1]["mountPath"]
             == "/etc/mpi");
}

BOOST_AUTO_TEST_CASE(launcher_and_workers_are_told_where_to_report) {
  core::cluster_options cluster;
  cluster.progress_url = "https://host:9443/progress";
  const char* name = "KUBEFLOW_TRAINER_SERVER_URL";
  auto spec = with("/runPolicy/progress/report", true);
  // The first container is the job's own, whatever its name.
  for (const char* type : {"Launcher", "Worker"})
    spec["mpiReplicaSpecs"][type]["template"]["spec"]["containers"][0]["name"] =
        "main";
  for (const auto& pod : {worker_pod(spec, 0, cluster)["spec"],
                          json(launcher(spec, cluster)["template"]["spec"])}) {
    BOOST_TEST(environment_of(pod)[name]
               == "https://host:9443/progress/namespaces/default/mpijobs/pi");
    BOOST_TEST(pod["volumes"].back()["name"] == "kubeflow-trainer-token");
  }
  BOOST_TEST(
      !environment_of(worker_pod(spec, 0)["spec"]).contains(name)); // Nowhere.
  BOOST_TEST(!environment_of(worker_pod(ssh_spec(), 0, cluster)["spec"])
                  .contains(name));
}

// The first container is the job's own, also where another one has the name
// that the kind's containers have in v1.
BOOST_AUTO_TEST_CASE(a_job_is_told_of_pods_that_do_not_know_where_to_report) {
  core::cluster_options cluster;
  cluster.progress_url = "https://host:9443/progress";
  struct row {
    std::vector<const char*> names;
    const char* has_the_variable; ///< The name of a container.
    bool told;
  } rows[] = {{{"mpi"}, "", true},
              {{"mpi"}, "mpi", false},
              {{"main"}, "main", false},
              {{"main", "mpi"}, "main", false},
              {{"main", "mpi"}, "mpi", true},
              {{"mpi", "side"}, "mpi", false},
              {{"mpi", "side"}, "side", true}};
  for (const char* type : {"Launcher", "Worker"})
    for (const auto& r : rows) {
      auto containers = json::array();
      for (std::string name : r.names) {
        json c{{"name", name}, {"image", "reg.example/mpi:1"}};
        if (name == r.has_the_variable)
          c["env"] = json::array(
              {{{"name", "KUBEFLOW_TRAINER_SERVER_URL"}, {"value", "own"}}});
        containers.push_back(std::move(c));
      }
      auto spec = with("/runPolicy/progress/report", true);
      spec["mpiReplicaSpecs"][type]["template"]["spec"]["containers"] =
          containers;
      auto job = make_ssh_job(spec);
      BOOST_TEST(job.find_replica_spec(k8s::lower_case(type))->main_container
                 == r.names[0]);
      auto pod = type == std::string{"Worker"}
                     ? worker_pod(spec, 0, cluster)
                     : launcher(spec, cluster)["template"];
      BOOST_TEST(pod["metadata"]["labels"].contains(core::label::progress)
                 == r.told);
      BOOST_TEST(core::not_told_event(job, cluster).has_value() != r.told);
    }
}

BOOST_AUTO_TEST_CASE(each_implementation_has_its_environment) {
  struct {
    const char* implementation;
    json expected;
  } rows[] = {
      {"OpenMPI",
       {{"K_MPI_JOB_ROLE", "launcher"},
        {"OMPI_MCA_orte_keep_fqdn_hostnames", "true"},
        {"OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile"},
        {"OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"},
        {"OMPI_MCA_orte_set_default_slots", "1"},
        {"NVIDIA_VISIBLE_DEVICES", ""},
        {"NVIDIA_DRIVER_CAPABILITIES", ""}}},
      {"Intel",
       {{"K_MPI_JOB_ROLE", "launcher"},
        {"I_MPI_HYDRA_HOST_FILE", "/etc/mpi/hostfile"},
        {"I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "-o ConnectionAttempts=10"},
        {"I_MPI_PERHOST", "1"},
        {"NVIDIA_VISIBLE_DEVICES", ""},
        {"NVIDIA_DRIVER_CAPABILITIES", ""}}},
      {"MPICH",
       {{"K_MPI_JOB_ROLE", "launcher"},
        {"HYDRA_HOST_FILE", "/etc/mpi/hostfile"},
        {"HYDRA_LAUNCH_EXTRA_ARGS", "-o ConnectionAttempts=10"},
        {"NVIDIA_VISIBLE_DEVICES", ""},
        {"NVIDIA_DRIVER_CAPABILITIES", ""}}}};
  for (const auto& row : rows) {
    auto spec = launcher(with("/mpiImplementation", row.implementation));
    BOOST_TEST(environment_of(spec["template"]["spec"]) == row.expected);
  }
}

BOOST_AUTO_TEST_CASE(a_launcher_that_computes_is_a_host) {
  auto spec = with("/runLauncherAsWorker", true);
  auto pod = launcher(spec)["template"];
  BOOST_TEST(pod["metadata"]["labels"]["training.kubeflow.org/replica-index"]
             == "0");
  BOOST_TEST(!environment_of(pod["spec"]).contains("NVIDIA_VISIBLE_DEVICES"));
  BOOST_TEST(
      worker_pod(
          spec)["metadata"]["labels"]["training.kubeflow.org/replica-index"]
      == "2");
}

BOOST_AUTO_TEST_CASE(the_run_policy_is_the_jobs) {
  auto spec = ssh_spec();
  spec["runPolicy"] = {{"ttlSecondsAfterFinished", 60},
                       {"activeDeadlineSeconds", 3600},
                       {"backoffLimit", 2},
                       {"suspend", true}};
  auto made = launcher(spec);
  BOOST_TEST(made["ttlSecondsAfterFinished"] == 60);
  BOOST_TEST(made["activeDeadlineSeconds"] == 3600);
  BOOST_TEST(made["backoffLimit"] == 2);
  BOOST_TEST(made["suspend"] == true);
}

BOOST_AUTO_TEST_CASE(gangs_are_marked_over_the_users_scheduler) {
  core::cluster_options volcano;
  volcano.scheduling = core::gang::volcano;
  volcano.gang_scheduler = "volcano";
  auto spec =
      with("/mpiReplicaSpecs/Worker/template/spec/schedulerName", "mine");
  auto pod = worker_pod(spec, 0, volcano);
  BOOST_TEST(pod["spec"]["schedulerName"] == "volcano");
  BOOST_TEST(pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"]
             == "pi");
  core::cluster_options plugins;
  plugins.scheduling = core::gang::coscheduling;
  plugins.gang_scheduler = "their-scheduler";
  auto made = launcher(ssh_spec(), plugins)["template"];
  BOOST_TEST(made["spec"]["schedulerName"] == "their-scheduler");
  BOOST_TEST(made["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"]
             == "pi");
}

BOOST_AUTO_TEST_CASE(a_resumed_launcher_has_todays_scheduling_directives) {
  auto spec = with("/mpiReplicaSpecs/Launcher/template/spec/nodeSelector",
                   {{"pool", "a"}});
  spec["mpiReplicaSpecs"]["Launcher"]["template"]["metadata"]["labels"] = {
      {"example.org/team", "x"}};
  auto patch = json::parse(resumption_patch(make_ssh_job(spec), {}));
  auto value_of = [&](const std::string& path) {
    for (const auto& op : patch)
      if (op["path"] == path)
        return op["value"];
    return json("no such operation");
  };
  BOOST_TEST(value_of("/spec/suspend") == false);
  BOOST_TEST(value_of("/spec/template/metadata/labels/example.org~1team")
             == "x");
  BOOST_TEST(value_of("/spec/template/spec/nodeSelector")
             == json({{"pool", "a"}}));
  BOOST_TEST(value_of("/spec/template/spec/tolerations") == json::array());
}

namespace {

std::string attempt_in(const json& container) {
  std::string all;
  for (const auto& v : container.value("env", json::array()))
    if (v["name"] == "TRAINING_RESTART_ATTEMPT")
      all += v.value("value", "?");
  return all;
}

core::job job_with_policy(const core::failure_policy& policy) {
  auto spec = with("/runPolicy/backoffLimit", 2);
  spec["mpiReplicaSpecs"]["Worker"]["restartPolicy"] = "OnFailure";
  for (const char* type : {"Launcher", "Worker"})
    spec["mpiReplicaSpecs"][type]["template"]["spec"]["initContainers"] =
        json::array({{{"name", "prepare"}}});
  return with_failure_policy(make_ssh_job(spec), policy);
}

} // namespace

BOOST_AUTO_TEST_CASE(worker_and_launcher_say_their_attempt) {
  const core::job j = make_ssh_job(ssh_spec());
  const json made[] = {
      json::parse(*make_worker_pod(j, {"worker", 0}, {}, 3)),
      json::parse(launcher_job_object(j, {}, 3).body)["spec"]["template"],
      json::parse(*make_worker_pod(j, {"worker", 0}, {})),
      json::parse(launcher_job_object(j, {}).body)["spec"]["template"]};
  const char* label = "training.kubeflow.org/restart-attempt";
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(made[i]["metadata"]["labels"][label] == "3");
    BOOST_TEST(attempt_in(made[i]["spec"]["containers"][0]) == "3");
    BOOST_TEST(made[i + 2].dump().find("RESTART_ATTEMPT") == std::string::npos);
    BOOST_TEST(!made[i + 2]["metadata"]["labels"].contains(label));
  }
  auto resumed = resumption_patch(j, {}, 3);
  BOOST_TEST(resumed.find("labels/training.kubeflow.org~1restart-attempt")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_policy_takes_restarts_from_the_job_controller) {
  struct row {
    const char* description;
    core::failure_policy policy;
    const char* restart;
    int backoff_limit;
  } rows[] = {
      {"scope Pod", {}, "OnFailure", 2},
      {"a rule", policy_with_a_rule(), "Never", 2},
      {"scope Job", policy_of_scope(core::restart_scope::job), "Never", 0}};
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.description) {
      const auto j = job_with_policy(r.policy);
      auto worker = json::parse(*make_worker_pod(j, {"worker", 0}, {}, 0));
      auto job_spec = json::parse(launcher_job_object(j, {}, 0).body)["spec"];
      BOOST_TEST(worker["spec"]["restartPolicy"] == r.restart);
      BOOST_TEST(job_spec["template"]["spec"]["restartPolicy"] == r.restart);
      BOOST_TEST(job_spec["backoffLimit"] == r.backoff_limit);
      for (const auto& pod : {worker, job_spec["template"]})
        BOOST_TEST(attempt_in(pod["spec"]["initContainers"][0]) == "0");
    }
}

BOOST_AUTO_TEST_SUITE_END()
