#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(validation_test)

namespace {

std::string check(job_builder& b, const std::string& name = "job",
                  const std::string& old_spec = "") {
  return to_string(core::validate_write(*frameworks::find("TFJob"), name,
                                        {b.spec().dump()}, {old_spec}));
}

constexpr const char* label_rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or "
    "'-', start with an alphabetic character, and end with an alphanumeric "
    "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

} // namespace

BOOST_AUTO_TEST_CASE(what_the_original_admits_is_admitted) {
  auto b = make_job();
  b.workers(2).servers(1).type("Boss", 1).clean_pod_policy("Sometimes");
  b.with("successPolicy", "Whatever");
  BOOST_TEST(check(b) == "");
  BOOST_TEST(check(b.policy("managedBy", "kubeflow.org/training-operator"))
             == "");
  auto none = make_job();
  BOOST_TEST(check(none) == "");
}

BOOST_AUTO_TEST_CASE(errors_read_as_the_originals_do) {
  auto b = make_job();
  b.workers(1);
  BOOST_TEST(check(b, "1-job.x")
             == std::string{"metadata.name: Invalid value: \"1-job.x\": should "
                            "match: "}
                    + label_rule);
  BOOST_TEST(check(b.policy("managedBy", "somebody.example/else"))
             == "spec.runPolicy.managedBy: Unsupported value: "
                "\"somebody.example/else\": supported values: "
                "\"kueue.x-k8s.io/multikueue\", "
                "\"kubeflow.org/training-operator\"");
  auto empty = make_job();
  empty.servers(1).pod_template("PS")["spec"]["containers"] = json::array();
  BOOST_TEST(
      check(empty)
      == "[spec.tfReplicaSpecs[PS].template.spec.containers: Required "
         "value: must be specified, "
         "spec.tfReplicaSpecs[PS].template.spec.containers: Required "
         "value: must have at least one container with name tensorflow]");
  auto image = make_job();
  image.servers(1).pod_template("PS")["spec"]["containers"][0]["image"] = "";
  BOOST_TEST(check(image)
             == "spec.tfReplicaSpecs[PS].template.spec.containers[0].image: "
                "Required value: must be required");
  auto two = make_job();
  two.chief().type("Master", 1);
  BOOST_TEST(check(two)
             == "spec.tfReplicaSpecs: Forbidden: must not have more than 1 "
                "Chief or Master role");
  auto nothing = make_job();
  nothing.spec() = json::object();
  BOOST_TEST(check(nothing)
             == "spec.tfReplicaSpecs: Required value: must be required");
  BOOST_TEST(
      to_string(core::validate_write(*frameworks::find("XGBoostJob"), "job",
                                     {"{}"}, {}))
      == "[spec.xgbReplicaSpecs: Required value: must be required, "
         "spec.xgbReplicaSpecs[Master]: Required value: must be present]");
}

BOOST_AUTO_TEST_CASE(who_manages_a_job_cannot_be_changed) {
  auto b = make_job();
  b.workers(1);
  auto old_spec = b.spec().dump();
  BOOST_TEST(check(b, "job", old_spec) == "");
  b.policy("managedBy", "kueue.x-k8s.io/multikueue");
  BOOST_TEST(check(b, "job", old_spec)
             == "spec.runPolicy.managedBy: Invalid value: "
                "\"kueue.x-k8s.io/multikueue\": field is immutable");
  BOOST_TEST(check(b, "job", b.spec().dump()) == "");
  old_spec = b.spec().dump();
  b.spec().erase("runPolicy");
  BOOST_TEST(check(b, "job", old_spec)
             == "spec.runPolicy.managedBy: Invalid value: \"null\": field is "
                "immutable");
}

BOOST_AUTO_TEST_CASE(several_errors_come_in_the_order_of_the_original) {
  auto b = make_job_of("PyTorchJob").type("Master", 2).workers(1);
  auto old_spec = b.spec().dump();
  b.policy("managedBy", "x").with("elasticPolicy", {{"nProcPerNode", 2}});
  b.with("nprocPerNode", "2");
  b.pod_template("Master")["spec"]["containers"] = json::array();
  std::string name(64, 'A');
  BOOST_TEST(
      to_string(core::validate_write(*frameworks::find("PyTorchJob"), name,
                                     {b.spec().dump()}, {old_spec}))
      == "[metadata.name: Invalid value: \"" + name
             + "\": should match: must be no more than 63 characters,"
             + label_rule
             + ", spec.runPolicy.managedBy: Invalid value: \"x\": field is "
               "immutable, spec.runPolicy.managedBy: Unsupported value: \"x\": "
               "supported values: \"kueue.x-k8s.io/multikueue\", "
               "\"kubeflow.org/training-operator\", "
               "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used "
               "with spec.nprocPerNode, "
               "spec.pytorchReplicaSpecs[Master].template.spec.containers: "
               "Required value: must be specified, "
               "spec.pytorchReplicaSpecs[Master].template.spec.containers: "
               "Required value: must have at least one container with name "
               "pytorch, spec.pytorchReplicaSpecs[Master].replicas: Forbidden: "
               "must be 1]");
}

BOOST_AUTO_TEST_CASE(names_of_replicas_must_fit) {
  auto b = make_job();
  b.workers(11);
  std::string name(53, 'a'); // -worker-10 has ten.
  BOOST_TEST(check(b, name) == "");
  name += 'a';
  BOOST_TEST(check(b, name).find("has 64 characters, the limit is 63")
             != std::string::npos);
  b.workers(10);
  BOOST_TEST(check(b, name) == "");
  b.type("The Boss", 1);
  BOOST_TEST(check(b, "job").find("spec.tfReplicaSpecs[The Boss]") == 0u);
}

BOOST_AUTO_TEST_CASE(counts_must_be_counts) {
  auto b = make_job();
  b.workers(-1);
  BOOST_TEST(check(b)
             == "spec.tfReplicaSpecs[Worker].replicas: Invalid value: -1: must "
                "be greater than or equal to 0");
  // Where the original has a rule of its own, its words come first.
  auto pytorch = make_job_of("PyTorchJob").type("Master", -1).workers(-1);
  BOOST_TEST(to_string(core::validate_write(*frameworks::find("PyTorchJob"),
                                            "job", {pytorch.spec().dump()}, {}))
             == "[spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must "
                "be 1, spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: "
                "must be at least 1]");
  auto jax = make_job_of("JAXJob").workers(core::max_replicas);
  auto check_jax = [&] {
    return to_string(core::validate_write(*frameworks::find("JAXJob"), "job",
                                          {jax.spec().dump()}, {}));
  };
  BOOST_TEST(check_jax() == "");
  jax.workers(core::max_replicas + 1);
  BOOST_TEST(check_jax().find("must be less than or equal to")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(two_spellings_of_a_type_are_one_too_many) {
  auto b = make_job();
  b.workers(1).type("worker", 2);
  BOOST_TEST(check(b)
             == "spec.tfReplicaSpecs[worker]: Duplicate value: \"worker\"");
}

BOOST_AUTO_TEST_SUITE_END()
