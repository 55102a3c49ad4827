#include "actors/cli/workload.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::cli;
using nlohmann::json;

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

std::string complaint(std::vector<k8s::yaml_document> all,
                      const std::string& ns = "") {
  auto chosen = extract_workload(std::move(all), ns, kinds);
  return chosen ? "" : chosen.error().message;
}

} // namespace

BOOST_AUTO_TEST_SUITE(workload_)

BOOST_AUTO_TEST_CASE(one_job_and_what_it_needs_are_separated) {
  auto w = extract_workload(
      {object("v1", "ConfigMap", "c"), job("j"), object("v1", "Secret", "s")},
      "", kinds);
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
                            "", {"TFJob", "DIJob"});
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs.size() == 1u);
  BOOST_TEST(w->jobs[0].kind == "DIJob");
  BOOST_TEST(w->supporting.size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_namespace_asked_for_is_filled_in) {
  auto w =
      extract_workload({object("v1", "ConfigMap", "c"), job("j")}, "ml", kinds);
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs[0].ns == "ml");
  BOOST_TEST(w->supporting[0].value["metadata"]["namespace"] == "ml");
}

BOOST_AUTO_TEST_CASE(a_list_of_objects_is_spelled_out) {
  k8s::yaml_document list{
      {{"apiVersion", "v1"}, {"kind", "List"}, {"items", {job("j").value}}},
      "f:1"};
  auto w = extract_workload({list}, "", kinds);
  BOOST_REQUIRE(w);
  BOOST_TEST(w->jobs[0].name == "j");
}

BOOST_AUTO_TEST_CASE(several_jobs_keep_their_order) {
  auto w = extract_workload({job("b"), object("v1", "Secret", "s"), job("a")},
                            "", kinds);
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

BOOST_AUTO_TEST_CASE(a_job_of_the_next_generation_is_told_apart) {
  auto message =
      complaint({object("trainer.kubeflow.org/v1alpha1", "TrainJob", "t")});
  BOOST_TEST(message.find("f:1: TrainJob is of Kubeflow Trainer v2") == 0u,
             message);
}

BOOST_AUTO_TEST_SUITE_END()
