#include "frameworks/core/spec/job_reading.hpp"
#include "tests/frameworks/core/spec/limits_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(limits_test)

namespace {

/// What a manifest asks for, and what is said of it.
struct row {
  const char* description;
  core::framework kind;
  json spec;
  std::string error;
  std::string name = "job";
};

json with_restart_policy(const char* kind, const char* policy) {
  auto b = make_job_of(kind);
  for (const auto& rule : row_of_kind(kind).replicas)
    if (rule.required || rule.type == std::string{"Worker"})
      b.type(rule.type, 1);
  return b.restart_policy(policy).spec();
}

json mpi_spec(int workers) {
  return make_job_of("MPIJob").type("Launcher", 1).workers(workers).spec();
}

json nested_spec(std::size_t levels) {
  auto b = make_job();
  b.workers(1);
  // The spec, the map, the type, the template and its spec are five.
  json value = 1;
  for (std::size_t i = 5; i < levels; ++i)
    value = json::array({std::move(value)});
  b.pod_template("Worker")["spec"]["x"] = std::move(value);
  return b.spec();
}

std::vector<row> rows() {
  const auto tf = row_of_kind("TFJob");
  const auto mx = row_of_kind("MXJob");
  const auto di = frameworks::dijob();
  const auto tasks = frameworks::dijob_tasks();
  const std::string sum = ": the replicas of all types together must be less "
                          "than or equal to 100000; ask for fewer, or make "
                          "several jobs";
  const std::string too_many =
      ": must have at most 64 items; make one of those "
      "that are alike";
  const std::string policies = ": supported values: \"Always\", \"OnFailure\", "
                               "\"Never\", \"ExitCode\"";
  const std::string type_names =
      ": must begin and end with a letter or digit, as it is the value of a "
      "label of its pods; give the type a name, such as Worker";
  const std::string long_name(64, 'a');
  return {
      {"as many as there may be", tf, job_of_types("TFJob", 64, 300).spec(),
       ""},
      {"one type too many", tf, job_of_types("TFJob", 65, 1).spec(),
       "spec.tfReplicaSpecs: Too many: 65" + too_many},
      {"the types of an attack", mx, job_of_types("MXJob", 100, 100'000).spec(),
       "spec.mxReplicaSpecs: Too many: 100" + too_many},
      {"the sum of an attack", mx, job_of_types("MXJob", 60, 100'000).spec(),
       "spec.mxReplicaSpecs: Invalid value: 6000000" + sum},
      {"one replica too many", row_of_kind("PyTorchJob"),
       make_job_of("PyTorchJob").type("Master", 1).workers(100'000).spec(),
       "spec.pytorchReplicaSpecs: Invalid value: 100001" + sum},
      {"the last one that may be", row_of_kind("PyTorchJob"),
       make_job_of("PyTorchJob").type("Master", 1).workers(99'999).spec(), ""},
      {"tasks are types", tasks, spec_of_tasks(65, 1),
       "spec.tasks: Too many: 65" + too_many},
      {"replicas of tasks", tasks, spec_of_tasks(2, 50'001),
       "spec.tasks: Invalid value: 100002" + sum},
      {"a policy that none knows", tf,
       with_restart_policy("TFJob", "Sometimes"),
       "spec.tfReplicaSpecs[Worker].restartPolicy: Unsupported value: "
       "\"Sometimes\""
           + policies},
      {"a type without a name", mx, make_job_of("MXJob").type("", 1).spec(),
       "spec.mxReplicaSpecs[]: Invalid value: \"\"" + type_names},
      {"a type that ends as no label may", tf,
       make_job().workers(1).type("Ps-", 1).spec(),
       "spec.tfReplicaSpecs[Ps-]: Invalid value: \"Ps-\"" + type_names},
      {"a template that is too large", tf,
       [] {
         auto b = make_job();
         b.workers(1).pod_template("Worker")["metadata"]["annotations"]["a"] =
             std::string(core::max_pod_bytes, 'x');
         return b.spec();
       }(),
       "spec.tfReplicaSpecs[Worker]: Too long: each pod would have 1310915 "
       "bytes, 1310886 of its template and 29 of the names of all 1 replicas; "
       "the limit is 1310720, as an API server stores no larger ones: ask for "
       "fewer replicas, or shorten the names or the template"},
      {"a name of 63 letters", row_of_kind("MPIJob"), mpi_spec(2), "",
       std::string(63, 'a')},
      {"a name that is no label", row_of_kind("MPIJob"), mpi_spec(2),
       "metadata.name: Invalid value: \"" + long_name
           + "\": must be no more than 63 characters, as it is the value of a "
             "label of its pods",
       long_name},
      {"a coordinator's policy", di, coordinator_with("ExitCode"),
       "spec.coordinator.template.spec.restartPolicy: Unsupported value: "
       "\"ExitCode\": supported values: \"Always\", \"OnFailure\", \"Never\""},
      {"a policy that pods have", di, coordinator_with("OnFailure"), ""},
      {"a spec as deep as it may be", tf, nested_spec(core::max_spec_depth),
       ""},
      {"a level too deep", tf, nested_spec(core::max_spec_depth + 1),
       "spec: Invalid value: is nested 101 levels deep, the limit is 100; take "
       "out levels that nothing reads"},
      {"a spec of as many values as there may be", tf,
       spec_of_values(core::max_spec_values), ""},
      {"a value too many", tf, spec_of_values(core::max_spec_values + 1),
       "spec: Too many: has 100001 values, the limit is 100000; put data into "
       "a ConfigMap, or into the image"},
  };
}

} // namespace

BOOST_AUTO_TEST_CASE(what_exceeds_a_limit_is_refused_and_told) {
  for (const auto& r : rows())
    BOOST_TEST_CONTEXT(r.description)
  BOOST_TEST(errors_of(r.kind, r.spec, nullptr, r.name) == r.error);
}

BOOST_AUTO_TEST_CASE(what_was_there_before_a_limit_may_be_written) {
  for (const auto& r : rows())
    BOOST_TEST_CONTEXT(r.description) {
      // The removal of a finalizer changes nothing of the spec.
      BOOST_TEST(errors_of(r.kind, r.spec, r.spec, r.name) == "");
      auto asleep = r.spec;
      asleep["runPolicy"]["suspend"] = true;
      BOOST_TEST(errors_of(r.kind, asleep, r.spec, r.name) == "");
      // What was below it must stay so.
      BOOST_TEST(errors_of(r.kind, r.spec, json::object()).empty()
                 == (r.error.empty() || r.name != "job"));
    }
}

BOOST_AUTO_TEST_CASE(a_policy_that_none_knows_is_refused_for_every_kind) {
  for (const auto& kind : frameworks::all()) {
    if (*kind.names.spec_field == '\0')
      continue;
    const auto* name = kind.names.type.kind.c_str();
    BOOST_TEST_CONTEXT(name) {
      auto text = errors_of(kind, with_restart_policy(name, "Sometimes"));
      BOOST_TEST(text.find("].restartPolicy: Unsupported value: \"Sometimes\"")
                     != std::string::npos,
                 text);
      if (!kind.own.find_job_errors) // Others may have fewer policies.
        BOOST_TEST(errors_of(kind, with_restart_policy(name, "ExitCode"))
                   == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_message_is_short_whatever_is_wrong) {
  auto many = make_job_of("PyTorchJob");
  for (int i = 0; i < 20'000; ++i)
    many.type(type_name(i), 1);
  auto one = make_job_of("PyTorchJob").type(std::string(1 << 20, 'x'), 1);
  auto mpi = make_job_of("MPIJob").type(std::string(1 << 20, 'x'), 1);
  for (const auto& job : {many.get(), one.get(), mpi.get()}) {
    BOOST_TEST(!job.validation_error.empty());
    BOOST_TEST(job.validation_error.size() < 5'000u);
  }
  BOOST_TEST(many.get().validation_error.find(" more]") != std::string::npos);
  BOOST_TEST(core::shorten_message(std::string(4095, 'a') + "\xc3\xa9")
             == std::string(4095, 'a') + "...");
}

BOOST_AUTO_TEST_CASE(a_spec_of_too_many_values_does_not_grow) {
  const auto& tf = row_of_kind("TFJob");
  const std::size_t many = core::max_read_values + 50'000;
  const auto old = spec_of_values(many);
  BOOST_TEST(errors_of(tf, spec_of_values(many - 10'000), old) == "");
  BOOST_TEST(errors_of(tf, spec_of_values(100), old) == "");
  BOOST_TEST(errors_of(tf, spec_of_values(many + 20), old)
             == "spec: Too many: has 250020 values, the limit is 100000; put "
                "data into a ConfigMap, or into the image");
  auto managed = spec_of_values(100);
  managed["runPolicy"]["managedBy"] = "kubeflow.org/training-operator";
  BOOST_TEST(errors_of(tf, managed, old).find("field is immutable")
             != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
