// Names that each pod of a job has.
#include "frameworks/core/spec/pod_template.hpp"
#include "tests/frameworks/core/spec/limits_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(limits_of_names_test)

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
      auto b = make_least_job_of(row_of_kind(r.kind));
      b.type(r.type, r.most);
      BOOST_TEST(errors_of(row_of_kind(r.kind), b.spec()) == "");
      bool listed = r.most < 99'000;
      b.type(r.type, 99'000);
      auto error = errors_of(row_of_kind(r.kind), b.spec());
      BOOST_TEST(error.empty() == !listed, error);
      if (!listed)
        continue;
      BOOST_TEST(error.find("ask for fewer") != std::string::npos, error);
      if (row_of_kind(r.kind)
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

BOOST_AUTO_TEST_SUITE_END()
