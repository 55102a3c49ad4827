#include "frameworks/core/queueing/workload_content.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(workload_content_test)

namespace {

using strings = std::vector<std::string>;

json spec_of(const job_builder& b) {
  return core::make_workload_spec(b.whole(), b,
                                  {core::priority_class_of(b.whole(), b), 7});
}

json metadata_of(const job_builder& b) {
  return core::make_workload_metadata(b.whole(), b, "hash");
}

std::string hash(const job_builder& b) {
  return core::hash_of_asked_content(b);
}

job_builder annotated_pods(const char* key, const char* value) {
  auto b = make_queued_job().workers(2);
  b.pod_template("Worker")["metadata"]["annotations"][key] = value;
  return b;
}

} // namespace

// Computed by the rule of Kueue: the beginning of SHA-1 over kind, group, name
// and UID, each on its line; and the generation for a further one.
BOOST_AUTO_TEST_CASE(names_are_those_that_kueue_would_give) {
  auto name = [](const char* kind, const char* job) {
    return core::workload_name(make_queued_job(kind, job));
  };
  BOOST_TEST(name("TFJob", "j0") == "tfjob-j0-8fb4f");
  BOOST_TEST(name("PyTorchJob", "j0") == "pytorchjob-j0-0cb8f");
  BOOST_TEST(name("MPIJob", "j0") == "mpijob-j0-289c3");
  BOOST_TEST(core::workload_slice_name(make_queued_job("TFJob", "j0"))
             == "tfjob-j0-58b9f");
  auto other = make_queued_job("TFJob", "j0").get();
  other.uid = "other-uid";
  BOOST_TEST(core::workload_name(other) == "tfjob-j0-5853e");
  auto long_name =
      core::workload_name(make_queued_job("TFJob", std::string(253, 'x')));
  BOOST_TEST(long_name.size() == 253u);
  BOOST_TEST(long_name.substr(243) == "xxxx-6eaf5");
}

BOOST_AUTO_TEST_CASE(pod_sets_are_in_the_order_of_kueue) {
  struct row {
    const char* kind;
    strings types;
    strings names;
  };
  const row rows[] = {
      {"TFJob",
       {"Worker", "PS", "Chief", "Evaluator"},
       {"chief", "ps", "worker", "evaluator"}},
      {"PyTorchJob", {"Worker", "Master"}, {"master", "worker"}},
      {"XGBoostJob", {"Worker", "Master"}, {"master", "worker"}},
      {"MPIJob", {"Worker", "Launcher"}, {"launcher", "worker"}},
      {"JAXJob", {"Worker"}, {"worker"}},
  };
  for (const auto& r : rows) {
    auto b = make_queued_job(r.kind);
    for (const auto& type : r.types)
      b.type(type, 2);
    strings names;
    auto spec = spec_of(b);
    for (const auto& set : spec["podSets"]) {
      names.push_back(set["name"]);
      BOOST_TEST(set["count"] == 2);
      BOOST_TEST(set["topologyRequest"]["podIndexLabel"]
                 == "training.kubeflow.org/replica-index");
    }
    BOOST_TEST(names == r.names, boost::test_tools::per_element());
    BOOST_TEST(spec["queueName"] == "q");
  }
}

BOOST_AUTO_TEST_CASE(templates_are_as_their_owner_wrote_them) {
  auto b = make_queued_job().workers(1);
  auto& pods = b.pod_template("Worker");
  pods["metadata"] = {{"labels", {{"a", "b"}}},
                      {"annotations", {{"c", "d"}}},
                      {"name", "not-kept"}};
  auto& container = pods["spec"]["containers"][0];
  container["env"] = {{{"name", "A"}, {"value", "1"}},
                      {{"name", "B"}, {"value", "2"}},
                      {{"name", "A"}, {"value", "3"}}};
  pods["spec"]["initContainers"] = pods["spec"]["containers"];
  auto kept = spec_of(b)["podSets"][0]["template"];
  BOOST_TEST(kept["metadata"].dump()
             == R"({"annotations":{"c":"d"},"labels":{"a":"b"}})");
  // Of equal names the last one counts.
  const char* variables =
      R"([{"name":"B","value":"2"},{"name":"A","value":"3"}])";
  BOOST_TEST(kept["spec"]["containers"][0]["env"].dump() == variables);
  BOOST_TEST(kept["spec"]["initContainers"][0]["env"].dump() == variables);
  // The port that the operator adds to the pods is not asked for.
  BOOST_TEST(!kept["spec"]["containers"][0].contains("ports"));
}

BOOST_AUTO_TEST_CASE(topology_is_asked_for_by_annotations) {
  struct row {
    const char* key;
    const char* value;
    const char* request;
  };
  const row rows[] = {
      {"podset-required-topology", "rack", R"({"required":"rack"})"},
      {"podset-preferred-topology", "rack", R"({"preferred":"rack"})"},
      {"podset-unconstrained-topology", "true", R"({"unconstrained":true})"},
      {"podset-unconstrained-topology", "false", R"({"unconstrained":false})"},
      // Both or none.
      {"podset-slice-required-topology", "host", "{}"},
      {"podset-slice-size", "2", "{}"},
      // Only with one of the first two.
      {"podset-group-name", "g", "{}"},
  };
  for (const auto& r : rows) {
    auto key = std::string{"kueue.x-k8s.io/"} + r.key;
    auto request = spec_of(
        annotated_pods(key.c_str(), r.value))["podSets"][0]["topologyRequest"];
    request.erase("podIndexLabel");
    BOOST_TEST(request.dump() == r.request);
  }
  auto b = annotated_pods("kueue.x-k8s.io/podset-required-topology", "rack");
  auto& all = b.pod_template("Worker")["metadata"]["annotations"];
  all["kueue.x-k8s.io/podset-preferred-topology"] = "block";
  all["kueue.x-k8s.io/podset-group-name"] = "g";
  all["kueue.x-k8s.io/podset-slice-required-topology"] = "host";
  all["kueue.x-k8s.io/podset-slice-size"] = "2";
  BOOST_TEST(spec_of(b)["podSets"][0]["topologyRequest"].dump()
             == R"({"podIndexLabel":"training.kubeflow.org/replica-index",)"
                R"("podSetGroupName":"g",)"
                R"("podSetSliceRequiredTopology":"host",)"
                R"("podSetSliceSize":2,"required":"rack"})");
  for (const char* wrong : {"0", "-1", "two", "2x", "", "99999999999"}) {
    all["kueue.x-k8s.io/podset-slice-size"] = wrong;
    auto request = spec_of(b)["podSets"][0]["topologyRequest"];
    BOOST_TEST(!request.contains("podSetSliceSize"));
    BOOST_TEST(!request.contains("podSetSliceRequiredTopology"));
  }
}

BOOST_AUTO_TEST_CASE(elastic_workers_may_be_fewer) {
  auto b = make_queued_job("PyTorchJob").type("Master", 1).workers(5);
  auto least = [&] { return spec_of(b)["podSets"][1].value("minCount", 0); };
  BOOST_TEST(least() == 0);
  for (auto [asked, granted] : {std::pair{2, 2}, {5, 0}, {6, 0}, {0, 0}}) {
    b.with("elasticPolicy", {{"minReplicas", asked}});
    BOOST_TEST(least() == granted);
  }
  b.with("elasticPolicy", {{"minReplicas", 2}});
  BOOST_TEST(!spec_of(b)["podSets"][0].contains("minCount"));
  // Such a job grows by further Workloads, which excludes it.
  b.annotation("kueue.x-k8s.io/elastic-job", "true");
  BOOST_TEST(least() == 0);
}

BOOST_AUTO_TEST_CASE(priority_is_that_of_the_first_that_names_a_class) {
  auto b = make_queued_job().workers(1).chief();
  auto priority = [&] {
    auto spec = spec_of(b);
    return spec.contains("priorityClassRef")
               ? spec["priorityClassRef"].dump() + spec["priority"].dump()
               : "none";
  };
  BOOST_TEST(priority() == "none");
  b.pod_template("Worker")["spec"]["priorityClassName"] = "of-workers";
  BOOST_TEST(priority()
             == R"({"group":"scheduling.k8s.io","kind":"PriorityClass",)"
                R"("name":"of-workers"}7)");
  b.pod_template("Chief")["spec"]["priorityClassName"] = "of-chief";
  BOOST_TEST(priority().find("of-chief") != std::string::npos);
  b.policy("schedulingPolicy", {{"priorityClass", "of-gang"}});
  BOOST_TEST(priority().find("of-gang") != std::string::npos);
  b.label("kueue.x-k8s.io/priority-class", "own");
  BOOST_TEST(priority()
             == R"({"group":"kueue.x-k8s.io","kind":"WorkloadPriorityClass",)"
                R"("name":"own"}7)");
}

BOOST_AUTO_TEST_CASE(the_longest_run_is_a_positive_number) {
  struct row {
    const char* label;
    int seconds; ///< 0: none.
  };
  for (const auto& r : {row{"60", 60}, row{"0", 0}, row{"-5", 0}, row{"x", 0},
                        row{"6s", 0}, row{"99999999999999999999", 0}}) {
    auto b = make_queued_job().workers(1).label(
        "kueue.x-k8s.io/max-exec-time-seconds", r.label);
    BOOST_TEST(spec_of(b).value("maximumExecutionTimeSeconds", 0) == r.seconds);
  }
}

BOOST_AUTO_TEST_CASE(a_workload_belongs_to_its_job) {
  auto b = make_queued_job()
               .workers(1)
               .annotation("provreq.kueue.x-k8s.io/x", "1")
               .annotation("kueue.x-k8s.io/admission-gated-by", "a,b")
               .annotation("other", "no");
  auto m = metadata_of(b);
  BOOST_TEST(m["namespace"] == "ns");
  BOOST_TEST(m["labels"]["kueue.x-k8s.io/job-uid"] == "job-uid");
  BOOST_TEST(m["labels"]["training.kubeflow.org/queueing"] == "operator");
  BOOST_TEST(m["finalizers"].dump() == R"(["kueue.x-k8s.io/resource-in-use"])");
  BOOST_REQUIRE_EQUAL(m["ownerReferences"].size(), 1u);
  const auto& owner = m["ownerReferences"][0];
  BOOST_TEST(owner["kind"] == "TFJob");
  BOOST_TEST(owner["uid"] == "job-uid");
  BOOST_TEST(owner["controller"] == true);
  BOOST_TEST(owner["blockOwnerDeletion"] == true);
  BOOST_TEST(m["annotations"].dump()
             == R"({"kueue.x-k8s.io/admission-gated-by":"a,b",)"
                R"("provreq.kueue.x-k8s.io/x":"1",)"
                R"("training.kubeflow.org/workload-content":"hash"})");
  b.annotation("kueue.x-k8s.io/elastic-job", "true");
  m = metadata_of(b);
  BOOST_TEST(m["annotations"]["kueue.x-k8s.io/elastic-job"] == "true");
  BOOST_TEST(m["annotations"]["kueue.x-k8s.io/workload-slice-name"]
             == m["name"]);
}

BOOST_AUTO_TEST_CASE(the_hash_changes_with_what_is_asked_for) {
  const auto plain = make_queued_job().workers(2);
  const auto before = hash(plain);
  auto with = [&](auto change) {
    auto b = plain;
    change(b);
    return hash(b);
  };
  const std::string different[] = {
      with([](auto& b) { b.workers(3); }),
      with([](auto& b) { b.servers(1); }),
      with([](auto& b) { b.label("kueue.x-k8s.io/queue-name", "r"); }),
      with([](auto& b) { b.label("kueue.x-k8s.io/priority-class", "p"); }),
      with([](auto& b) {
        b.pod_template("Worker")["spec"]["containers"][0]["image"] = "other";
      }),
      with([](auto& b) {
        b.pod_template("Worker")["spec"]["nodeSelector"]["a"] = "b";
      }),
      with([](auto& b) {
        b.policy("schedulingPolicy", {{"priorityClass", "p"}});
      }),
      with([](auto& b) {
        b.annotation("kueue.x-k8s.io/admission-gated-by", "g");
      }),
  };
  for (const auto& one : different)
    BOOST_TEST(one != before);
  const std::string equal[] = {
      with([](auto&) {}),
      with([](auto& b) { b.suspended(); }),
      with([](auto& b) { b.backoff_limit(3); }),
      with([](auto& b) { b.annotation("other", "a"); }),
      with([](auto& b) {
        b.pod_template("Worker")["spec"]["nodeSelector"] = json::object();
      }),
      with([](auto& b) {
        b.pod_template("Worker")["metadata"]["labels"] = json::object();
      }),
  };
  for (const auto& one : equal)
    BOOST_TEST(one == before);
}

BOOST_AUTO_TEST_SUITE_END()
