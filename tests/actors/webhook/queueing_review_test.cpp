// Rules of queues hold where they are waited for.
#include "tests/actors/webhook/review_fixture.hpp"

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(queueing_review_test)

namespace {

bool is_allowed(const core::queueing_options& queueing) {
  auto job = job_of("TFJob");
  job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "No Queue"}};
  k8s::http::request r;
  r.method = "POST";
  r.path = actors::validating_webhook_path(row_of_kind("TFJob"));
  r.body = review_of("CREATE", job).dump();
  auto answer = actors::answer_admission_review(r, all_kinds(), queueing);
  BOOST_REQUIRE_EQUAL(answer.status, 200);
  return json::parse(answer.body)["response"]["allowed"];
}

} // namespace

BOOST_AUTO_TEST_CASE(only_kinds_that_are_queued_have_the_rules) {
  core::queueing_options queueing;
  BOOST_TEST(is_allowed(queueing));
  queueing.on = true;
  BOOST_TEST(!is_allowed(queueing));
  queueing.left_to_kueue = {"v1/tfjobs"};
  BOOST_TEST(is_allowed(queueing));
}

BOOST_AUTO_TEST_CASE(the_queue_of_a_job_that_runs) {
  core::queueing_options queueing;
  queueing.on = true;
  auto job = job_of("TFJob");
  auto other = job;
  job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "a"}};
  other["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "b"}};
  auto error =
      actors::find_admission_error(row_of_kind("TFJob"), other, job, queueing);
  BOOST_REQUIRE(error);
  BOOST_TEST(error->find("metadata.labels[kueue.x-k8s.io/queue-name]")
             != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
