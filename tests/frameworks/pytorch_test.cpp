#include "frameworks/core/spec/validation.hpp"
#include "frameworks/pytorch_parts.hpp"
#include "tests/frameworks/kind_checks.hpp"

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(pytorch_test)

namespace {

job_builder pytorch(int workers) {
  return make_job_of("PyTorchJob", "ddp").ns("ml").workers(workers);
}

job_builder ddp(int workers) {
  return pytorch(workers).type("Master", 1);
}

json cpu_metric() {
  return {
      {"type", "Resource"},
      {"resource",
       {{"name", "cpu"},
        {"target", {{"type", "Utilization"}, {"averageUtilization", 80}}}}}};
}

core::cluster_options with_waiter_image() {
  core::cluster_options w;
  w.master_wait_image = "alpine:3.10";
  w.master_wait_tries = 100;
  return w;
}

} // namespace

BOOST_AUTO_TEST_CASE(ranks_and_the_masters_address) {
  core::job j = ddp(2).with("nprocPerNode", "2");
  auto text = [](int rank) {
    auto r = std::to_string(rank);
    return "PYTHONUNBUFFERED=1 MASTER_PORT=23456 PET_MASTER_PORT=23456 "
           "MASTER_ADDR=ddp-master-0 PET_MASTER_ADDR=ddp-master-0 WORLD_SIZE=6 "
           "RANK="
           + r + " PET_NODE_RANK=" + r + " PET_NPROC_PER_NODE=2 PET_NNODES=3";
  };
  BOOST_TEST(variables(j, "master", 0) == text(0));
  BOOST_TEST(variables(j, "worker", 0) == text(1));
  BOOST_TEST(variables(j, "worker", 1) == text(2));
  BOOST_TEST(role(j, "master", 0) == "master");
  BOOST_TEST(role(j, "worker", 0) == "");
}

BOOST_AUTO_TEST_CASE(a_number_of_processes_multiplies_the_world) {
  struct row {
    const char* processes;
    const char* world_size; // Of three pods.
  } rows[] = {{"4", "12"},
              {"+4", "12"},
              {"0", "0"},
              {"-1", "-3"},
              {"gpu", "3"},
              {"4x", "3"},
              {"+-4", "3"},
              {"", "3"},
              {"9223372036854775807", "9223372036854775807"},
              {"-9223372036854775808", "-9223372036854775808"}};
  for (const auto& r : rows) {
    auto text =
        variables(ddp(2).with("nprocPerNode", r.processes), "master", 0);
    BOOST_TEST(text.find(std::string{" WORLD_SIZE="} + r.world_size + " ")
                   != std::string::npos,
               text);
    BOOST_TEST(text.find(std::string{" PET_NPROC_PER_NODE="} + r.processes
                         + " PET_NNODES=3")
                   != std::string::npos,
               text);
  }
}

BOOST_AUTO_TEST_CASE(workers_alone_know_only_each_other) {
  core::job j = pytorch(2);
  BOOST_TEST(variables(j, "worker", 1)
             == "PYTHONUNBUFFERED=1 PET_NPROC_PER_NODE=auto PET_NNODES=2");
  BOOST_TEST(role(j, "worker", 0) == "master");
  BOOST_TEST(role(j, "worker", 1) == "");
}

BOOST_AUTO_TEST_CASE(elastic_jobs_have_every_setting_of_the_rendezvous) {
  struct row {
    json policy;
    const char* text;
  } rows[] = {
      {{{"minReplicas", 1},
        {"maxReplicas", 3},
        {"maxRestarts", 5},
        {"rdzvConf", json::array({{{"key", "timeout"}, {"value", "60"}}})}},
       "PET_NPROC_PER_NODE=auto PET_RDZV_ENDPOINT=ddp-worker-0:23456 "
       "PET_RDZV_BACKEND=c10d PET_NNODES=1:3 PET_MAX_RESTARTS=5 "
       "PET_RDZV_CONF=timeout=60"},
      {json::object(),
       "PET_NPROC_PER_NODE=auto PET_RDZV_ENDPOINT=ddp-worker-0:23456 "
       "PET_RDZV_BACKEND=c10d PET_NNODES=2:2"},
      {{{"maxReplicas", 4}, {"rdzvConf", json::array()}},
       "PET_NPROC_PER_NODE=auto PET_RDZV_ENDPOINT=ddp-worker-0:23456 "
       "PET_RDZV_BACKEND=c10d PET_NNODES=4:4"},
      {{{"rdzvHost", ""}},
       "PET_NPROC_PER_NODE=auto PET_RDZV_ENDPOINT=:23456 "
       "PET_RDZV_BACKEND=c10d PET_NNODES=2:2"},
      {{{"rdzvBackend", "etcd"},
        {"rdzvHost", "etcd.ml"},
        {"rdzvPort", 2379},
        {"rdzvId", "one"},
        {"nProcPerNode", 2},
        {"standalone", true}},
       "PET_RDZV_ENDPOINT=etcd.ml:2379 PET_RDZV_BACKEND=etcd PET_NNODES=2:2 "
       "PET_NPROC_PER_NODE=2 PET_RDZV_ID=one PET_STANDALONE="},
  };
  for (const auto& r : rows)
    BOOST_TEST(
        variables(pytorch(2).with("elasticPolicy", r.policy), "worker", 0)
        == std::string{"PYTHONUNBUFFERED=1 "} + r.text);
}

BOOST_AUTO_TEST_CASE(workers_wait_for_the_masters_name) {
  auto spec = pod_of(ddp(1), "worker", 0, with_waiter_image())["spec"];
  const auto& waiter = spec["initContainers"][0];
  BOOST_TEST(waiter["name"] == "init-pytorch");
  BOOST_TEST(waiter["image"] == "alpine:3.10");
  BOOST_TEST(waiter["command"][2]
             == "err=1;for i in $(seq 100); do if nslookup ddp-master-0; then "
                "err=0 && break; fi;echo waiting for master; sleep 2; done; "
                "exit $err");
  BOOST_TEST(!pod_of(ddp(1), "master", 0, with_waiter_image())["spec"].contains(
      "initContainers"));
  BOOST_TEST(
      !pod_of(pytorch(1), "worker", 0, with_waiter_image())["spec"].contains(
          "initContainers"));
  auto own = with_waiter_image();
  own.master_wait_template = "[]"; // None at all.
  BOOST_TEST(
      !pod_of(ddp(1), "worker", 0, own)["spec"].contains("initContainers"));
  own.master_wait_template = std::string{R"([{"name":"w","args":[")"}
                             + frameworks::master_address_placeholder
                             + R"("]}])";
  BOOST_TEST(pod_of(ddp(1), "worker", 0, own)["spec"]["initContainers"].dump()
             == R"([{"args":["ddp-master-0"],"name":"w"}])");
}

BOOST_AUTO_TEST_CASE(metrics_bring_an_autoscaler) {
  auto b = pytorch(2).with("elasticPolicy",
                           {{"minReplicas", 1},
                            {"maxReplicas", 3},
                            {"metrics", json::array({cpu_metric()})}});
  auto wanted = [](const core::job& j) {
    return frameworks::pytorch_autoscaler_if_elastic(j, {}, {});
  };
  auto made = wanted(b);
  BOOST_REQUIRE_EQUAL(made.size(), 1u);
  BOOST_TEST(made[0].name == "ddp");
  BOOST_TEST(
      made[0].body
      == R"({"spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu",)"
         R"("target":{"averageUtilization":80,"type":"Utilization"}},)"
         R"("type":"Resource"}],"minReplicas":1,"scaleTargetRef":)"
         R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob",)"
         R"("name":"ddp"}}})");
  // In a queue another size would stop it, unless it may grow.
  core::cluster_options with_kueue;
  with_kueue.queueing.on = true;
  auto in_queue = [&](job_builder queued) {
    return frameworks::pytorch_autoscaler_if_elastic(
               queued.label("kueue.x-k8s.io/queue-name", "q"), {}, with_kueue)
        .size();
  };
  BOOST_TEST(in_queue(b) == 0u);
  BOOST_TEST(
      in_queue(job_builder{b}.annotation("kueue.x-k8s.io/elastic-job", "true"))
      == 1u);
  with_kueue.queueing.left_to_kueue = {"v1/pytorchjobs"};
  BOOST_TEST(in_queue(b) == 1u);
  BOOST_TEST(wanted(b.suspended()).empty());
  BOOST_TEST(
      wanted(pytorch(2).with("elasticPolicy", {{"minReplicas", 1}})).empty());
}

BOOST_AUTO_TEST_CASE(the_master_or_else_the_workers_decide) {
  json elastic{{"minReplicas", 1}};
  check({
      {"workers are done, the master is not",
       ddp(1),
       {pod("master", 0).running(), pod("worker", 0).succeeded()},
       "Created Running",
       "PyTorchJob ddp is running."},
      {"the master is done",
       ddp(1),
       {pod("master", 0).succeeded(), pod("worker", 0).running()},
       "Created Succeeded",
       "PyTorchJob ddp is successfully completed."},
      {"the master counts before a failed worker",
       ddp(1).restart_policy("Never"),
       {pod("master", 0).succeeded(), pod("worker", 0).failed()},
       "Created Succeeded",
       "PyTorchJob ddp is successfully completed."},
      {"some workers are done",
       pytorch(2),
       {pod("worker", 0).succeeded(), pod("worker", 1).running()},
       "Created Running",
       "PyTorchJob ml/ddp is running."},
      {"one is enough for an elastic job",
       pytorch(2).with("elasticPolicy", elastic),
       {pod("worker", 0).running(), pod("worker", 1).succeeded()},
       "Created Succeeded",
       "PyTorchJob ml/ddp successfully completed."},
      {"a worker fails for good",
       ddp(1).restart_policy("Never"),
       {pod("master", 0).running(), pod("worker", 0).failed()},
       "Created Running=False Failed",
       "PyTorchJob ddp is failed because 1 Worker replica(s) failed."},
      {"a worker is replaced",
       ddp(1),
       {pod("master", 0).running(), pod("worker", 0).failed()},
       "Created Restarting",
       "PyTorchJob ddp is restarting because 1 Worker replica(s) failed."},
  });
}

BOOST_AUTO_TEST_CASE(a_deprecated_field_is_warned_of) {
  auto warnings = [](job_builder b) {
    return core::find_spec_warnings(*frameworks::find("PyTorchJob"),
                                    b.spec().dump());
  };
  BOOST_TEST(warnings(pytorch(1)).empty());
  auto found =
      warnings(pytorch(1).with("elasticPolicy", {{"nProcPerNode", 2}}));
  BOOST_REQUIRE_EQUAL(found.size(), 1u);
  BOOST_TEST(found[0]
             == "spec.elasticPolicy.nProcPerNode is deprecated, use "
                "spec.nprocPerNode instead");
  BOOST_TEST(
      core::find_spec_warnings(*frameworks::find("TFJob"), "{}").empty());
}

BOOST_AUTO_TEST_CASE(its_own_rules) {
  BOOST_TEST(problems(ddp(1)) == "");
  BOOST_TEST(problems(pytorch(0))
             == "spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: must be "
                "at least 1");
  // `kubectl scale` goes round that, and is no reason to fail a job.
  BOOST_TEST(pytorch(0).get().validation_error == "");
  auto alone = make_job_of("PyTorchJob").type("Master", 1);
  BOOST_TEST(problems(alone.with("elasticPolicy", json::object()))
             == "spec.pytorchReplicaSpecs[Worker]: Required value: must be "
                "configured if elastic policy is used");
  BOOST_TEST(problems(pytorch(1)
                          .with("elasticPolicy", {{"nProcPerNode", 2}})
                          .with("nprocPerNode", "2"))
             == "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used "
                "with spec.nprocPerNode");
  BOOST_TEST(problems(pytorch(1).type("worker", 1))
                 .find("spec.pytorchReplicaSpecs[worker]: Unsupported value: "
                       "\"worker\": supported values: \"Master\", \"Worker\"")
             != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
