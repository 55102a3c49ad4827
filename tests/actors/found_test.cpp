// What random lives have found, told as short stories.
#include "tests/fixtures/stage.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using fixtures::json;

BOOST_AUTO_TEST_SUITE(found_test)

namespace {

json tf_job() {
  return {{"apiVersion", "kubeflow.org/v1"},
          {"kind", "TFJob"},
          {"metadata", {{"name", "job"}, {"namespace", "ns"}}},
          {"spec",
           {{"tfReplicaSpecs",
             {{"Worker",
               {{"replicas", 1},
                {"template",
                 {{"spec",
                   {{"containers",
                     {{{"name", "tensorflow"}, {"image", "image"}}}}}}}}}}}}}}};
}

struct held_calls_fixture {
  std::shared_ptr<fixtures::fake_api> api =
      std::make_shared<fixtures::fake_api>();
  fixtures::stage stage{api};

  /// The place of the first waiting call about this.
  std::size_t call(const std::string& path) {
    stage.settle_messages();
    for (std::size_t i = 0; i < api->pending().size(); ++i)
      if (api->pending()[i].request.path.find(path) != std::string::npos)
        return i;
    BOOST_FAIL("no call about " + path);
    return 0;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_job_gone_before_all_is_listed_stays_gone,
                        held_calls_fixture) {
  stage.kinds = {frameworks::find("TFJob")};
  api->create("tfjobs", tf_job());
  stage.begin();
  api->answer(call("/tfjobs"));
  stage.settle_messages();
  // The watch on jobs has to list again before pods are listed at all.
  api->erase("tfjobs", "ns/job");
  api->compact();
  api->deliver_all();
  stage.settle_messages();
  stage.advance_to_next_timer();
  api->answer(call("/tfjobs"));
  stage.settle();
  BOOST_TEST(api->all("pods").empty());
}

BOOST_FIXTURE_TEST_CASE(an_orphan_older_than_its_job_is_adopted,
                        held_calls_fixture) {
  stage.kinds = {frameworks::find("TFJob")};
  api->create("tfjobs", tf_job());
  stage.begin();
  stage.settle();
  BOOST_REQUIRE(api->find("services", "ns/job-worker-0"));
  // The first job knows it as an orphan; the second never hears of it.
  api->change("services", "ns/job-worker-0",
              [](json& s) { s["metadata"].erase("ownerReferences"); });
  api->deliver_all();
  api->erase("tfjobs", "ns/job");
  api->erase("pods", "ns/job-worker-0");
  auto uid = api->create("tfjobs", tf_job())["metadata"]["uid"];
  stage.settle();
  stage.advance(std::chrono::minutes{2});
  const auto* service = api->find("services", "ns/job-worker-0");
  BOOST_REQUIRE(service);
  BOOST_REQUIRE((*service)["metadata"].contains("ownerReferences"));
  BOOST_TEST((*service)["metadata"]["ownerReferences"][0]["uid"] == uid);
}

BOOST_FIXTURE_TEST_CASE(what_is_ours_under_other_labels_is_not_asked_for_again,
                        held_calls_fixture) {
  stage.kinds = {frameworks::find("TFJob")};
  api->create("tfjobs", tf_job());
  stage.begin();
  stage.settle();
  api->change("services", "ns/job-worker-0", [](json& s) {
    s["metadata"]["labels"]["training.kubeflow.org/job-name"] = "other";
  });
  api->deliver_all();
  stage.settle_messages();
  api->refuse(call("/services/job-worker-0"), {k8s::ec::server_error, "no"});
  auto before = api->calls["create services"];
  stage.settle(); // It once never did.
  BOOST_TEST(api->calls["create services"] <= before + 1);
}

BOOST_AUTO_TEST_SUITE_END()
