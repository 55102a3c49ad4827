#include "actors/cli/ask/job_argument.hpp"
#include "k8s/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::cli;

BOOST_AUTO_TEST_SUITE(job_argument_test)

BOOST_AUTO_TEST_CASE(a_job_is_named_as_for_kubectl) {
  struct row {
    const char* text;
    const char* ns;
    const char* read; ///< "NAMESPACE KINDS NAME", or part of the error.
  };
  const row rows[] = {
      {"mnist", "", "home TFJob,MPIJob mnist"},
      {"mnist", "team", "team TFJob,MPIJob mnist"},
      {"other/mnist", "", "other TFJob,MPIJob mnist"},
      {"team/mnist", "team", "team TFJob,MPIJob mnist"},
      {"tfjob/mnist", "", "home TFJob mnist"},
      {"tfjobs/mnist", "team", "team TFJob mnist"},
      {"MPIJob/mnist", "team", "team MPIJob mnist"},
      {"mpijobs.kubeflow.org/mnist", "", "home MPIJob mnist"},
      {"tfjobs.v1.kubeflow.org/mnist", "", "home TFJob mnist"},
      {"other/mnist", "team", "is not in the namespace team of --namespace"},
      {"", "", "is not the name of a job"},
      {"a/b/c", "", "is not the name of a job"},
      {"a%2fb", "", "is not the name of a job"},
      {"mnist", "../x", "is not the name of a job"},
      {"/mnist", "", "home TFJob,MPIJob mnist"},
  };
  for (const auto& r : rows) {
    auto job = parse_job_argument(r.text, r.ns, "home", {"TFJob", "MPIJob"});
    auto text =
        job ? job->ns + " " + k8s::join(job->kinds, ",") + " " + job->name
            : job.error().message;
    bool fits = job ? text == r.read : text.find(r.read) != text.npos;
    BOOST_TEST(fits, r.text << ": " << text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
