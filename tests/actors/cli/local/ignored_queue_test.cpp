#include "actors/cli/local/ignored_queue.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(ignored_queue_test)

BOOST_AUTO_TEST_CASE(only_jobs_with_the_label_are_warned_of) {
  k8s::json job{{"kind", "TFJob"}, {"metadata", {{"name", "j"}}}};
  BOOST_TEST(cli::ignored_queue_warning(job) == "");
  job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "team-a"}};
  BOOST_TEST(cli::ignored_queue_warning(job)
             == "the label kueue.x-k8s.io/queue-name of TFJob j is ignored: "
                "there is no Kueue here, and the job does not wait for queue "
                "team-a");
}

BOOST_AUTO_TEST_SUITE_END()
