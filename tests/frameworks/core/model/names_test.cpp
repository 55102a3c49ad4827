#include "frameworks/core/model/names.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(names_test)

BOOST_AUTO_TEST_CASE(a_child_is_named_by_job_type_and_index) {
  struct row {
    const char* kind;
    const char* job;
    core::slot at;
    const char* name;
  } rows[] = {
      {"TFJob", "mnist", {"worker", 0}, "mnist-worker-0"},
      {"TFJob", "mnist", {"ps", 12}, "mnist-ps-12"},
      {"TFJob", "a/b", {"worker", 1}, "a-b-worker-1"},
      {"MPIJob", "mnist", {"worker", 1}, "mnist-worker-1"},
      {"MPIJob", "mnist", {"launcher", 0}, "mnist-launcher"},
  };
  for (const auto& r : rows)
    BOOST_TEST(core::child_name(*frameworks::find(r.kind), r.job, r.at)
               == r.name);
}

BOOST_AUTO_TEST_CASE(labels_name_operator_job_and_slot) {
  using labels = std::map<std::string, std::string>;
  const std::string p = "training.kubeflow.org/";
  auto tf = make_job("a/b").workers(1).get();
  BOOST_TEST((core::selector_labels(tf, {"worker", 3})
              == labels{{p + "operator-name", "tfjob-controller"},
                        {p + "job-name", "a-b"},
                        {p + "replica-type", "worker"},
                        {p + "replica-index", "3"}}));
  auto mpi = make_job_of("MPIJob").type("Launcher", 1).get();
  BOOST_TEST((core::selector_labels(mpi, {"launcher", 0})
              == labels{{p + "operator-name", "mpijob-controller"},
                        {p + "job-name", "job"},
                        {p + "replica-type", "launcher"}}));
}

BOOST_AUTO_TEST_CASE(selectors_are_of_a_job_or_one_of_its_types) {
  auto j = make_job("a/b").workers(1).get();
  const std::string of_job = "training.kubeflow.org/job-name=a-b,"
                             "training.kubeflow.org/operator-name="
                             "tfjob-controller";
  BOOST_TEST(core::children_selector_of_job(j) == of_job);
  BOOST_TEST(core::replica_type_selector(j, "worker")
             == of_job + ",training.kubeflow.org/replica-type=worker");
}

BOOST_AUTO_TEST_CASE(an_index_is_a_number_as_we_write_it) {
  struct row {
    const char* text;
    int index;
  } rows[] = {{"0", 0},   {"7", 7},   {"2147483647", 2147483647},
              {"07", -1}, {"+7", -1}, {"-1", -1},
              {"", -1},   {"7x", -1}, {"2147483648", -1},
              {" 7", -1}};
  for (const auto& r : rows)
    BOOST_TEST(core::parse_index_label(r.text) == r.index, r.text);
}

BOOST_AUTO_TEST_CASE(a_reason_begins_with_the_kind) {
  BOOST_TEST(core::kind_prefixed_reason(*frameworks::find("TFJob"), "Running")
             == "TFJobRunning");
}

BOOST_AUTO_TEST_SUITE_END()
