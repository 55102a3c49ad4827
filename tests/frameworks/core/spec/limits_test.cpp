#include "frameworks/core/observed/classify.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "k8s/json_outline.hpp"
#include "tests/fixtures/builders.hpp"
#include "tests/frameworks/di/tasks/tasks_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(limits_test)

namespace {

std::string type_name(int i) {
  return "t" + std::to_string(i);
}

/// So many types of so many replicas each, of a kind that has any types.
job_builder job_of_types(const char* kind, int types, int replicas) {
  auto b = make_job_of(kind);
  for (int i = 0; i < types; ++i)
    b.type(type_name(i), replicas);
  return b;
}

json task_of(int i, int replicas) {
  auto task = di_task("none", replicas);
  task["name"] = type_name(i);
  return task;
}

json spec_of_tasks(int tasks, int replicas) {
  auto spec = tasks_spec({});
  for (int i = 0; i < tasks; ++i)
    spec["tasks"].push_back(task_of(i, replicas));
  return spec;
}

std::string errors_of(const core::framework& kind, const json& spec,
                      const json& old = nullptr,
                      const std::string& name = "job") {
  return to_string(core::validate_write(
      kind, name, {spec.dump()}, {old.is_null() ? "" : old.dump()}, "ns"));
}

const core::framework& kind_of(const char* name) {
  return row_of_kind(name);
}

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
  for (const auto& rule : kind_of(kind).replicas)
    if (rule.required || rule.type == std::string{"Worker"})
      b.type(rule.type, 1);
  return b.restart_policy(policy).spec();
}

json coordinator_with(const char* policy) {
  auto spec = di_spec();
  spec["coordinator"]["template"]["spec"]["restartPolicy"] = policy;
  return spec;
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

/// A spec that estimate_json_value_count() says has so many.
json spec_of_values(std::size_t count) {
  auto b = make_job();
  b.workers(1);
  auto& list = b.pod_template("Worker")["spec"]["x"] = json::array();
  auto items = count + 1 - k8s::estimate_json_value_count(b.spec().dump());
  list.get_ref<json::array_t&>().assign(items, 0);
  return b.spec();
}

std::vector<row> rows() {
  const auto tf = kind_of("TFJob");
  const auto mx = kind_of("MXJob");
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
      {"one replica too many", kind_of("PyTorchJob"),
       make_job_of("PyTorchJob").type("Master", 1).workers(100'000).spec(),
       "spec.pytorchReplicaSpecs: Invalid value: 100001" + sum},
      {"the last one that may be", kind_of("PyTorchJob"),
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
      {"a name of 63 letters", kind_of("MPIJob"), mpi_spec(2), "",
       std::string(63, 'a')},
      {"a name that is no label", kind_of("MPIJob"), mpi_spec(2),
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

BOOST_AUTO_TEST_CASE(names_that_each_pod_has_must_fit_in_a_pod) {
  struct names_row {
    const char* kind;
    const char* type;
    int most; ///< With short names.
  };
  // clang-format off
  const names_row kinds[] = {
      {"TFJob", "Worker", 35'000}, {"MXJob", "Worker", 30'000},
      {"XGBoostJob", "Worker", 70'000}, {"MPIJob", "Worker", 15'000},
      {"PyTorchJob", "Worker", 99'000}, {"JAXJob", "Worker", 100'000},
      {"PaddleJob", "Worker", 100'000}};
  // clang-format on
  for (const auto& r : kinds)
    BOOST_TEST_CONTEXT(r.kind) {
      auto b = make_least_job_of(kind_of(r.kind));
      b.type(r.type, r.most);
      BOOST_TEST(errors_of(kind_of(r.kind), b.spec()) == "");
      bool listed = r.most < 99'000;
      b.type(r.type, 99'000);
      auto error = errors_of(kind_of(r.kind), b.spec());
      BOOST_TEST(error.empty() == !listed, error);
      if (!listed)
        continue;
      BOOST_TEST(error.find("ask for fewer") != std::string::npos, error);
      if (kind_of(r.kind)
              .hooks.listed_names_bytes) { // Such a pod is not even made.
        auto j = b.type(r.type, 100'000).ns(std::string(63, 'n').c_str()).get();
        j.name = std::string(50, 'j');
        auto pod = core::make_pod_json(j, {"worker", 0}, {});
        BOOST_REQUIRE(!pod);
        BOOST_TEST(pod.error().message.find("ask for fewer replicas")
                   != std::string::npos);
      }
    }
  auto tasks = spec_of_tasks(1, 99'000);
  BOOST_TEST(errors_of(frameworks::dijob_tasks(), tasks)
                 .find("of the names of all 99000 replicas")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_names_take_is_no_less_than_what_they_have) {
  struct names_row {
    core::job job;
    const char* type;
  };
  auto tf = make_job("dist").ns("ml").servers(11).workers(120);
  const names_row rows[] = {
      {tf, "worker"},
      {make_job("dist").ns("ml").servers(11).workers(120).dynamic(), "worker"},
      {make_job_of("MXJob").type("Server", 7).workers(30), "worker"},
      {make_job_of("XGBoostJob").type("Master", 1).workers(30), "worker"},
      {make_tasks_job(spec_of_tasks(3, 20)), "t1"},
  };
  for (const auto& r : rows) {
    auto pod = core::make_pod_json(r.job, {r.type, 0}, {});
    BOOST_REQUIRE(pod);
    auto alone = r.job;
    for (auto& type : alone.replicas)
      type.replicas = type.label == r.type ? 1 : 0;
    auto of_one = core::make_pod_json(alone, {r.type, 0}, {});
    auto told = r.job.kind->hooks.listed_names_bytes(r.job);
    // Quotes of JSON in JSON take a byte more each.
    BOOST_TEST(told * 12 / 10 + 200 >= pod->size() - of_one->size());
    BOOST_TEST(told / 2 < pod->size() - of_one->size());
  }
}

BOOST_AUTO_TEST_CASE(a_kind_whose_pods_have_all_names_says_what_these_take) {
  constexpr int few = 100;
  constexpr int many = 300;
  for (const auto& kind : frameworks::all())
    for (const auto& type : kind.replicas) {
      using core::replica_count;
      if (!kind.hooks.environment || type.allowed == replica_count::one
          || type.allowed == replica_count::one_or_unset)
        continue;
      auto job_of = [&](int replicas) {
        return make_least_job_of(kind)
            .workers(1)
            .type(type.type, replicas)
            .get();
      };
      auto pod_bytes = [&](int replicas) {
        return core::make_pod_json(job_of(replicas), {"worker", 0}, {})->size();
      };
      auto told_bytes = [&](int replicas) {
        return kind.hooks.listed_names_bytes
                   ? kind.hooks.listed_names_bytes(job_of(replicas))
                   : 0;
      };
      auto more = pod_bytes(many) - pod_bytes(few);
      auto told = told_bytes(many) - told_bytes(few);
      // Quotes of JSON in JSON take a byte more each.
      BOOST_CHECK_MESSAGE(
          told * 12 / 10 + 20 >= more,
          "the table of "
              << kind.names.type.kind << ": with " << many - few << " more of "
              << type.type << " each pod has " << more
              << " bytes more, of which hooks.listed_names_bytes says " << told
              << ": set it, so that jobs are refused whose pods would be too "
                 "large (name_list_bytes in limits.hpp)");
    }
}

BOOST_AUTO_TEST_CASE(a_job_that_must_not_begin_fails_before_anything_is_made) {
  for (auto job : {job_of_types("MXJob", 100, 100'000).get(),
                   job_of_types("TFJob", 60, 100'000).get(),
                   make_tasks_job(spec_of_tasks(100, 100'000)),
                   make_dijob(coordinator_with("Now"))}) {
    job_fixture s{job};
    s.pass();
    BOOST_TEST(s.status.is_finished());
    BOOST_TEST(s.decisions().empty());
    BOOST_REQUIRE_EQUAL(s.last.events.back().warning, true);
    BOOST_TEST(s.last.events.back().message.find(job.limit_error)
               != std::string::npos);
    std::size_t slots = 0;
    for (const auto& type : core::classify_children(job, s.seen).types)
      slots += type.slots.size();
    BOOST_TEST(slots <= static_cast<std::size_t>(core::max_replicas));
  }
  job_fixture s{job_of_types("MXJob", 65, 1)};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed");
  BOOST_TEST(s.status.find_condition("Failed")->reason
             == "MXJobFailedValidation");
}

// As left by an operator that had no limits.
BOOST_AUTO_TEST_CASE(a_job_that_has_begun_runs_on) {
  auto odd = make_job().workers(2).restart_policy("Sometimes");
  auto nameless = make_job().workers(1).type("", 1);
  for (auto job : {job_of_types("TFJob", 65, 1), odd, nameless}) {
    job_fixture s{job};
    s.j.limit_error.clear(); // The rules of before.
    s.pass_and_save();
    const auto made = s.decisions();
    BOOST_TEST(made.size() >= 4u);
    s.j = job.get();
    BOOST_TEST(!s.j.limit_error.empty());
    s.pass_and_save();
    BOOST_TEST(s.conditions() == "Created");
    BOOST_TEST(s.decisions() == made, boost::test_tools::per_element());
    s.j = job.suspended().get();
    s.pass_and_save();
    BOOST_TEST(s.conditions() == "Created Suspended");
    s.j = job.suspended(false).get();
    s.pass_and_save();
    BOOST_TEST(!s.status.is_finished());
  }
}

BOOST_AUTO_TEST_CASE(one_with_pods_has_begun_though_its_status_was_not_saved) {
  job_fixture s{make_job().workers(2).restart_policy("Sometimes")};
  s.all_services().observe({pod("worker", 0).running()});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");
}

BOOST_AUTO_TEST_CASE(types_share_what_a_pass_looks_at) {
  struct share_row {
    std::vector<int> replicas;
    int most; ///< Of any type.
    int seen; ///< Of all together.
  } rows[] = {
      {{}, 100'000, 0},
      {{100'000}, 100'000, 100'000},
      {{1, 99'999}, 100'000, 100'000},
      {{1, 100'000}, 99'999, 100'000},
      {{0, 100'000, 2, 100'000}, 49'999, 100'000},
      {{60'000, 60'000}, 50'000, 100'000},
      {std::vector<int>(100, 100'000), 1'000, 100'000},
      {std::vector<int>(3, 100'000), 33'333, 99'999},
  };
  for (const auto& r : rows) {
    auto b = make_job();
    for (std::size_t i = 0; i < r.replicas.size(); ++i)
      b.type(type_name(static_cast<int>(i)), r.replicas[i]);
    auto job = b.get();
    BOOST_TEST(core::most_replicas_of_type_in_pass(job) == r.most);
    std::size_t seen = 0;
    for (const auto& type : core::classify_children(job, {}).types)
      seen += type.slots.size();
    BOOST_TEST(seen == static_cast<std::size_t>(r.seen));
  }
}

BOOST_AUTO_TEST_CASE(of_a_huge_job_that_has_begun_a_pass_looks_at_a_part) {
  auto job = job_of_types("TFJob", 3, 90'000).get();
  BOOST_TEST(core::most_replicas_of_type_in_pass(job) == 33'333);
  job_fixture s{job};
  s.observe({pod("t0", 0).running(), pod("t1", 89'999).running(),
             pod("t2", 90'000).running()});
  s.pass_and_save();
  BOOST_TEST(!s.status.is_finished());
  // What it wants is left alone, what it does not want goes.
  int deletions = 0;
  for (const auto& d : s.decisions())
    if (d.rfind("delete", 0) == 0) {
      ++deletions;
      BOOST_TEST(d == "delete pod job-t2-90000");
    }
  BOOST_TEST(deletions == 1);
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

BOOST_AUTO_TEST_CASE(a_spec_too_deep_to_be_read_fails_the_job) {
  auto b = make_job();
  auto o = b.workers(1).object();
  auto& state = std::get<k8s::spec_and_status_state>(o.state);
  state.spec = "{\"x\":" + std::string(500, '[') + std::string(500, ']') + "}";
  auto j = core::decode_job(kind_of("TFJob"), o);
  BOOST_REQUIRE(j);
  BOOST_TEST(j->validation_error.find("is nested 501 levels deep")
             != std::string::npos);
  job_fixture s{*j};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed");
}

BOOST_AUTO_TEST_CASE(a_spec_of_too_many_values_does_not_grow) {
  const auto& tf = kind_of("TFJob");
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

// What is no JSON shows that no values are made of it.
BOOST_AUTO_TEST_CASE(of_a_spec_of_too_many_values_none_is_made) {
  auto b = make_job();
  auto o = b.workers(1).object();
  auto& state = std::get<k8s::spec_and_status_state>(o.state);
  state.spec = "{\"x\":[";
  state.spec.append(core::max_read_values, ',');
  auto j = core::decode_job(kind_of("TFJob"), o);
  BOOST_REQUIRE(j);
  const std::string sentence = "spec: Too many: has 200003 values";
  BOOST_TEST(j->validation_error.find(sentence) == 0u);
  BOOST_TEST(core::to_string(
                 core::validate_write(kind_of("TFJob"), "a", {state.spec}, {}))
                 .find(sentence)
             == 0u);
  BOOST_TEST(
      core::validate_write(kind_of("TFJob"), "a", {state.spec}, {state.spec})
          .empty());
  BOOST_TEST(
      core::find_spec_warnings(kind_of("PyTorchJob"), state.spec).empty());
  job_fixture s{*j};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed");
  // One that has begun is left as it is.
  state.status = core::encode_status(s.status);
  j = core::decode_job(kind_of("TFJob"), o);
  BOOST_REQUIRE(!j);
  BOOST_TEST(j.error().message.find(sentence) == 0u);
}

// As left by an operator that had no limit.
BOOST_AUTO_TEST_CASE(one_that_has_begun_with_many_values_runs_on) {
  auto b = make_job();
  auto o = b.workers(1).object();
  auto& state = std::get<k8s::spec_and_status_state>(o.state);
  state.spec = spec_of_values(core::max_read_values).dump();
  auto j = core::decode_job(kind_of("TFJob"), o);
  BOOST_REQUIRE(j);
  BOOST_TEST(j->validation_error == "");
  BOOST_TEST(j->limit_error.find("spec: Too many: has 200000 values") == 0u);
  state.status = R"({"conditions":[{"type":"Created","status":"True"}]})";
  BOOST_TEST(bool{core::decode_job(kind_of("TFJob"), o)});
}

BOOST_AUTO_TEST_SUITE_END()
