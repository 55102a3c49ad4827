#include "actors/cli/ask/admin_text.hpp"
#include "k8s/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::cli;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(missing_job_text_test)

namespace {

json settings(const char* namespaces, const char* kinds) {
  return {{{"name", "namespace"}, {"value", namespaces}},
          {{"name", "enable-scheme"}, {"value", kinds}}};
}

json tree(json more = json::object()) {
  json t{{"leading", true}, {"ready", true}};
  t.update(more);
  return t;
}

} // namespace

BOOST_AUTO_TEST_CASE(why_the_operator_does_not_know_a_job) {
  const job_argument any{"team", "mnist", {"TFJob", "MPIJob"}};
  const job_argument mpi{"team", "mnist", {"MPIJob"}};
  json failing{{"children",
                {{{"actor", "watcher"},
                  {"resource", "mpijobs"},
                  {"apiVersion", "kubeflow.org/v1"},
                  {"state", "resting"},
                  {"lastFailure", "404: no such\033 resource"}},
                 {{"actor", "watcher"},
                  {"resource", "pods"},
                  {"state", "resting"},
                  {"lastFailure", "403"}}}}};
  struct row {
    job_argument job;
    json tree;
    json settings;
    const char* text;
  };
  const row rows[] = {
      {any, tree(), settings("", ""),
       "no job team/mnist of kind TFJob, MPIJob is known to the operator"},
      {mpi, tree({{"leading", false}, {"ready", false}}), settings("", ""),
       "no job team/mnist of kind MPIJob is known to the operator\n"
       "It is a standby, which knows no jobs: ask the replica that leads."},
      {mpi, tree({{"ready", false}}), settings("team", "mpijob"),
       "no job team/mnist of kind MPIJob is known to the operator\n"
       "It is not ready: it has not listed all objects yet."},
      {mpi, tree(), settings("a,b", "TFJob"),
       "no job team/mnist of kind MPIJob is known to the operator\n"
       "Its setting namespace limits it to a, b.\n"
       "Its setting enable-scheme limits it to TFJob."},
      {any, tree(), settings("team", "TFJob"),
       "no job team/mnist of kind TFJob, MPIJob is known to the operator\n"
       "Its setting enable-scheme limits it to TFJob."},
      {mpi, tree(failing), settings("", ""),
       "no job team/mnist of kind MPIJob is known to the operator\n"
       "It cannot watch mpijobs of kubeflow.org/v1: 404: no such resource"},
      {mpi, json{}, json{},
       "no job team/mnist of kind MPIJob is known to the operator"},
  };
  for (const auto& r : rows)
    BOOST_TEST(k8s::join(missing_job_lines(r.job, r.tree, r.settings), "\n")
               == r.text);
}

BOOST_AUTO_TEST_SUITE_END()
