#include "actors/cli/manifest/workload.hpp"
#include "frameworks/core/model/names.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::cli;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(workload_)

namespace {

const std::vector<std::string> kinds{"TFJob", "PyTorchJob"};

k8s::yaml_document object(const char* version, const char* kind,
                          const char* name, const char* where = "f:1") {
  return {
      {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}},
      where};
}

k8s::yaml_document job(const char* name, const char* where = "f:1") {
  return object("kubeflow.org/v1", "TFJob", name, where);
}

std::int32_t suffix_index() {
  return core::index_from_letter_suffix("7x2bq");
}

k8s::result<workload> extract(std::vector<k8s::yaml_document> all,
                              const std::string& ns = "") {
  return extract_workload(std::move(all), ns, kinds, suffix_index);
}

std::string complaint(std::vector<k8s::yaml_document> all,
                      const std::string& ns = "") {
  auto chosen = extract(std::move(all), ns);
  return chosen ? "" : chosen.error().message;
}

} // namespace

BOOST_AUTO_TEST_CASE(one_job_and_what_it_needs_are_separated) {
  auto w = extract(
      {object("v1", "ConfigMap", "c"), job("j"), object("v1", "Secret", "s")});
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs[0].name == "j");
  BOOST_TEST(w->jobs[0].kind == "TFJob");
  BOOST_TEST(w->jobs[0].ns == "default");
  BOOST_TEST(w->supporting.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_template_of_aggregators_is_no_job) {
  const char* version = "diengine.opendilab.org/v1alpha1";
  auto w = extract_workload({object(version, "AggregatorConfig", "c", "f:1"),
                             object(version, "DIJob", "j", "f:2")},
                            "", {"TFJob", "DIJob"}, suffix_index);
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs.size() == 1u);
  BOOST_TEST(w->jobs[0].kind == "DIJob");
  BOOST_TEST(w->supporting.size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_namespace_asked_for_is_filled_in) {
  auto w = extract({object("v1", "ConfigMap", "c"), job("j")}, "ml");
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs[0].ns == "ml");
  BOOST_TEST(w->supporting[0].value["metadata"]["namespace"] == "ml");
}

BOOST_AUTO_TEST_CASE(a_list_of_objects_is_spelled_out) {
  k8s::yaml_document list{
      {{"apiVersion", "v1"}, {"kind", "List"}, {"items", {job("j").value}}},
      "f:1"};
  auto w = extract({list});
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs[0].name == "j");
}

BOOST_AUTO_TEST_CASE(several_jobs_keep_their_order) {
  auto w = extract({job("b"), object("v1", "Secret", "s"), job("a")});
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs.size() == 2u);
  BOOST_TEST(w->jobs[0].name == "b");
  BOOST_TEST(w->jobs[1].name == "a");
  BOOST_TEST(w->supporting.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_error_says_what_to_do) {
  BOOST_TEST(complaint({object("v1", "ConfigMap", "c")})
             == "there is no job in what was given; name a file with one of "
                "TFJob, PyTorchJob");
  BOOST_TEST(complaint({object("kubeflow.org/v1", "MPIJob", "m", "f:3")})
             == "f:3: MPIJob is not supported yet; this troupe runs TFJob, "
                "PyTorchJob");
  BOOST_TEST(complaint({{json::object(), "f:2"}})
             == "f:2: apiVersion is missing or no text");
  BOOST_TEST(complaint({{{{"apiVersion", "v1"}, {"kind", "Pod"}}, "f:2"}})
             == "f:2: metadata.name is missing or no text");
  auto elsewhere = job("j");
  elsewhere.value["metadata"]["namespace"] = "a";
  BOOST_TEST(complaint({elsewhere}, "b")
             == "f:1: metadata.namespace is a, but --namespace b was asked "
                "for; drop one of them");
}

BOOST_AUTO_TEST_CASE(odd_shapes_do_not_throw) {
  for (const auto& odd :
       {json(nullptr), json(5), json::array(),
        json{{"metadata", 5}, {"kind", {1}}},
        json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", 5}}})
    BOOST_TEST(complaint({{odd, "f:1"}}) != "");
}

BOOST_AUTO_TEST_CASE(kinds_are_found_in_what_the_server_lists) {
  json list{{"resources",
             {{{"name", "pods/log"}, {"kind", "Pod"}, {"namespaced", true}},
              {{"name", "pods"}, {"kind", "Pod"}, {"namespaced", true}},
              {{"name", "nodes"}, {"kind", "Node"}, {"namespaced", false}}}}};
  BOOST_TEST(find_served_kind(list, "Pod")->plural == "pods");
  BOOST_TEST(find_served_kind(list, "Pod")->namespaced);
  BOOST_TEST(!find_served_kind(list, "Node")->namespaced);
  BOOST_TEST(!find_served_kind(list, "Job"));
  BOOST_TEST(!find_served_kind(json(nullptr), "Job"));
  BOOST_TEST(discovery_path("v1") == "/api/v1");
  BOOST_TEST(discovery_path("kubeflow.org/v1") == "/apis/kubeflow.org/v1");
}

BOOST_AUTO_TEST_CASE(what_is_left_out_here_is_told) {
  auto w = extract({object("apps/v1", "Deployment", "web", "f:1"), job("j"),
                    object("extensions/v1beta1", "Ingress", "way", "f:9"),
                    object("trainer.kubeflow.org/v1", "TrainJob", "t", "f:20"),
                    object("kueue.x-k8s.io/v1beta1", "LocalQueue", "q"),
                    object("v1", "Secret", "s")});
  BOOST_REQUIRE(w);
  leave_out_what_cannot_run_here(*w);
  BOOST_TEST(w->jobs.size() == 1u);
  // What the API server knows is for that one to say.
  BOOST_TEST(w->supporting.size() == 2u);
  const char* beginnings[] = {
      "f:20: TrainJob t is left out: TrainJob is of Kubeflow Trainer v2",
      "f:1: Deployment web is left out: this local cluster runs training "
      "jobs, Jobs and pods; it has no controller that would make the pods of a "
      "Deployment",
      "f:9: Ingress way is left out: this local cluster has no ingress "
      "controller"};
  BOOST_REQUIRE(w->left_out.size() == std::size(beginnings));
  for (std::size_t i = 0; i < w->left_out.size(); ++i)
    BOOST_TEST(describe_left_out_object(w->left_out[i]).find(beginnings[i])
               == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_in_the_place_of_a_job_is_named) {
  const std::string end = "; name a file with one of TFJob, PyTorchJob";
  auto deployment = object("apps/v1", "Deployment", "web", "f:9");
  BOOST_TEST(
      complaint({object("kueue.x-k8s.io/v1beta1", "LocalQueue", "q", "f:1"),
                 object("v1", "ConfigMap", "c"), deployment})
      == "there is no job in what was given: Troupe does not run LocalQueue q "
         "(f:1), Deployment web (f:9)"
             + end);
  BOOST_TEST(
      complaint({deployment, object("batch/v1", "Job", "prepare", "f:3")})
      == "there is no training job in what was given, with whose end this "
         "command ends; Job prepare (f:3) runs with `troupe up` and kubectl"
             + end);
  auto many = complaint(std::vector<k8s::yaml_document>(20, deployment));
  BOOST_TEST(many.find("(f:9), others; name") != many.npos, many);
  BOOST_TEST(many.size() < 400u);
}

BOOST_AUTO_TEST_CASE(a_job_that_is_misspelt_is_never_left_out) {
  auto said = [](const char* version, const char* kind) {
    return complaint({job("j"), object(version, kind, "x", "f:7")});
  };
  const char* const refused[][3] = {
      {"kubeflow.org/v1", "TFjob", "did you mean TFJob?"},
      {"kubeflow.org/v1", "TFJobs", "did you mean TFJob?"},
      {"kubeflow.org/v1", "PyTochJob", "did you mean PyTorchJob?"},
      {"kubeflow.org/v1", "FooJob", "FooJob is not supported yet; this"},
      {"kubeflow.io/v1", "pytorchjob", "did you mean PyTorchJob?"},
      {"kubeflow.org/v1beta2", "TFJob", "write apiVersion: kubeflow.org/v1"},
      {"training.kubedl.io/v1alpha1", "TFJob",
       "TFJob of training.kubedl.io/v1alpha1 is not what this troupe runs"},
  };
  for (const auto& [version, kind, part] : refused) {
    auto message = said(version, kind);
    BOOST_TEST(message.find("f:7: ") == 0u, message);
    BOOST_TEST(message.find(part) != message.npos, message);
  }
  const char* const others[][2] = {
      {"kubeflow.org/v1", "Notebook"},
      {"kubeflow.org/v1beta1", "Experiment"},
      {"batch.volcano.sh/v1alpha1", "Job"},
      {"ray.io/v1", "RayJob"},
      {"sparkoperator.k8s.io/v1beta2", "SparkApplication"},
  };
  for (const auto& [version, kind] : others)
    BOOST_TEST(said(version, kind) == "", kind);
}

BOOST_AUTO_TEST_CASE(a_name_is_made_of_generateName) {
  auto unnamed = [](const char* version, const char* kind,
                    const std::string& stem) {
    auto d = object(version, kind, "");
    d.value["metadata"]["generateName"] = stem;
    return d;
  };
  auto named = unnamed("v1", "Secret", "s-");
  named.value["metadata"]["name"] = "own";
  auto w = extract({unnamed("kubeflow.org/v1", "TFJob", "sample-"),
                    unnamed("v1", "ConfigMap", std::string(70, 'c')), named});
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs[0].name == "sample-7x2bq");
  BOOST_TEST(w->supporting[0].value["metadata"]["name"]
             == std::string(58, 'c') + "7x2bq");
  BOOST_TEST(w->supporting[1].value["metadata"]["name"] == "own");
  BOOST_TEST(has_generated_name(w->supporting[0].value));
  BOOST_TEST(!has_generated_name(w->supporting[1].value));
  auto lines = describe_generated_names(*w);
  BOOST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(lines[0] == "TFJob sample-7x2bq is named by generateName sample-");
  auto wrong = unnamed("kubeflow.org/v1", "TFJob", "");
  BOOST_TEST(complaint({wrong}) == "f:1: metadata.name is missing or no text");
  wrong.value["metadata"]["generateName"] = 5;
  BOOST_TEST(complaint({wrong}) == "f:1: metadata.name is missing or no text");
}

BOOST_AUTO_TEST_CASE(a_kind_that_is_written_almost_like_another_is_found) {
  json list{{"resources",
             {{{"name", "configmaps"}, {"kind", "ConfigMap"}},
              {{"name", "pods"}, {"kind", "Pod"}}}}};
  BOOST_TEST(nearest_served_kind(list, "ConfigMapp") == "ConfigMap");
  BOOST_TEST(nearest_served_kind(list, "LocalQueue") == "");
  BOOST_TEST(nearest_served_kind(json(nullptr), "Pod") == "");
}

BOOST_AUTO_TEST_CASE(a_job_of_the_next_generation_is_told_apart) {
  auto message =
      complaint({object("trainer.kubeflow.org/v1alpha1", "TrainJob", "t")});
  BOOST_TEST(message.find("f:1: TrainJob is of Kubeflow Trainer v2") == 0u,
             message);
}

BOOST_AUTO_TEST_CASE(replicas_are_counted_as_the_kind_counts_them) {
  const auto kubeflow = "kubeflow.org/v1";
  const auto di_1 = "diengine.opendilab.org/v1alpha1";
  const auto di_2 = "diengine.opendilab.org/v2alpha1";
  struct row {
    const char* version;
    const char* kind;
    const char* spec;
    std::size_t replicas;
  };
  // clang-format off
  const row rows[] = {
      {kubeflow, "TFJob", R"({"tfReplicaSpecs": {"PS": {"replicas": 2}, "Worker": {}}})", 3},
      {kubeflow, "TFJob", R"({"tfReplicaSpecs": {"PS": {"replicas": 0}, "Worker": {"replicas": -1}}})", 0},
      {kubeflow, "MPIJob", R"({"mpiReplicaSpecs": {"Launcher": {}, "Worker": {}}})", 1},
      {kubeflow, "MPIJob", R"({"mpiReplicaSpecs": {"Launcher": {}, "Worker": {"replicas": 4}}})", 5},
      {kubeflow, "TFJob", "{}", 0},
      {kubeflow, "TFJob", "null", 0},
      // The others come on request.
      {di_1, "DIJob", R"({"coordinator": {}, "collector": {}, "learner": {}})", 1},
      {di_2, "DIJob", R"({"tasks": [{"name": "learner"}, {"name": "x", "replicas": 3}]})", 4},
      {"example.org/v1", "OtherJob", R"({"replicas": 3})", 0},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.kind << " " << r.spec) {
      job_manifest job;
      job.api_version = r.version;
      job.kind = r.kind;
      job.document.value["spec"] = json::parse(r.spec);
      BOOST_TEST(count_replicas_with_defaults(job) == r.replicas);
    }
}

BOOST_AUTO_TEST_SUITE_END()
