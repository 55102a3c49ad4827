// Defects that the simulation has found, as short tests.
#include "tests/fixtures/manifests.hpp"
#include "tests/fixtures/operator_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using fixtures::json;

BOOST_AUTO_TEST_SUITE(job_supervisor_regressions_test)

namespace {

struct held_calls_fixture {
  std::shared_ptr<fixtures::fake_api> api =
      std::make_shared<fixtures::fake_api>();
  fixtures::operator_fixture op{api};

  /// The index of the first pending call with this in its path.
  std::size_t pending_call(const std::string& path) {
    op.run_messages();
    for (std::size_t i = 0; i < api->pending().size(); ++i)
      if (api->pending()[i].request.path.find(path) != std::string::npos)
        return i;
    BOOST_FAIL("no call with " + path);
    return 0;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(an_orphan_older_than_its_job_is_adopted,
                        held_calls_fixture) {
  op.kinds = {frameworks::find("TFJob")};
  api->create("tfjobs", fixtures::tf_job(1));
  op.start();
  op.run_until_idle();
  BOOST_REQUIRE(api->find("services", "ns/job-worker-0"));
  // The first job knows it as an orphan; the second sees no event of it.
  api->change("services", "ns/job-worker-0",
              [](json& s) { s["metadata"].erase("ownerReferences"); });
  api->deliver_all();
  api->erase("tfjobs", "ns/job");
  api->erase("pods", "ns/job-worker-0");
  auto uid = api->create("tfjobs", fixtures::tf_job(1))["metadata"]["uid"];
  op.run_until_idle();
  op.advance(std::chrono::minutes{2});
  const auto* service = api->find("services", "ns/job-worker-0");
  BOOST_REQUIRE(service);
  BOOST_REQUIRE((*service)["metadata"].contains("ownerReferences"));
  BOOST_TEST((*service)["metadata"]["ownerReferences"][0]["uid"] == uid);
}

BOOST_FIXTURE_TEST_CASE(a_child_with_other_labels_is_not_created_again,
                        held_calls_fixture) {
  op.kinds = {frameworks::find("TFJob")};
  api->create("tfjobs", fixtures::tf_job(1));
  op.start();
  op.run_until_idle();
  api->change("services", "ns/job-worker-0", [](json& s) {
    s["metadata"]["labels"]["training.kubeflow.org/job-name"] = "other";
  });
  api->deliver_all();
  op.run_messages();
  api->fail_call(pending_call("/services/job-worker-0"),
                 {k8s::ec::server_error, "no"});
  auto before = api->calls["create services"];
  op.run_until_idle(); // It never ended.
  BOOST_TEST(api->calls["create services"] <= before + 1);
}

// What has the name of a child is gone after a long time: whoever it belonged
// to, the job does not wait for its next try.
BOOST_AUTO_TEST_CASE(the_end_of_what_has_the_name_wakes_the_job) {
  using std::chrono::seconds;
  for (int directories : {1, 4})
    for (const char* owner : {"TFJob", "PyTorchJob", "none"}) {
      held_calls_fixture f;
      f.op.options->directories = directories;
      json old{{"metadata",
                {{"name", "job-worker-0"},
                 {"namespace", "ns"},
                 {"deletionTimestamp", "2026-01-01T00:00:00Z"},
                 {"labels",
                  {{"training.kubeflow.org/operator-name", "tfjob-controller"},
                   {"training.kubeflow.org/job-name", "job"},
                   {"training.kubeflow.org/replica-type", "worker"},
                   {"training.kubeflow.org/replica-index", "0"}}}}}};
      if (owner != std::string{"none"})
        old["metadata"]["ownerReferences"] = {
            {{"apiVersion", "kubeflow.org/v1"},
             {"kind", owner},
             {"name", "job"},
             {"uid", "former"},
             {"controller", true}}};
      f.api->create("pods", old);
      f.op.start();
      f.op.run_until_idle();
      f.api->create("tfjobs", fixtures::tf_job(1));
      f.op.advance(seconds{300}); // Tries are a minute apart now.
      BOOST_TEST_CONTEXT(owner << ", directories: " << directories) {
        f.api->erase("pods", "ns/job-worker-0");
        f.op.run_until_idle();
        const auto* pod = f.api->find("pods", "ns/job-worker-0");
        BOOST_REQUIRE(pod);
        BOOST_TEST(!pod->contains("deletionTimestamp"));
      }
    }
}

// A status write loses against another; the server, which has just started,
// knows the kind of the job no more when it is read.
BOOST_FIXTURE_TEST_CASE(a_conflict_and_a_false_404_leave_a_status,
                        held_calls_fixture) {
  op.kinds = {frameworks::find("TFJob")};
  op.start();
  op.run_until_idle();
  api->create("tfjobs", fixtures::tf_job(1));
  api->deliver_all();
  api->fail_call(pending_call("/status"), {k8s::ec::conflict, "changed"});
  api->fail_call(pending_call("/tfjobs/job"), {k8s::ec::not_found, "no"});
  op.run_until_idle();
  op.advance(std::chrono::seconds{1});
  BOOST_REQUIRE(api->find("tfjobs", "ns/job"));
  const auto& job = *api->find("tfjobs", "ns/job");
  BOOST_REQUIRE(job.contains("status"));
  BOOST_TEST(job["status"]["conditions"][0]["type"] == "Created");
}

// A finished pod of one namespace that names a job of another as its owner.
BOOST_FIXTURE_TEST_CASE(no_job_is_ended_by_a_pod_of_another_namespace,
                        held_calls_fixture) {
  op.kinds = {frameworks::find("TFJob")};
  op.start();
  op.run_until_idle();
  auto uid = api->create("tfjobs", fixtures::tf_job(1))["metadata"]["uid"];
  op.run_until_idle();
  BOOST_REQUIRE(api->find("pods", "ns/job-worker-0"));
  auto before = *api->find("pods", "ns/job-worker-0");
  auto pod = before;
  pod["metadata"]["namespace"] = "other";
  pod["metadata"]["ownerReferences"][0]["uid"] = uid;
  for (auto key : {"uid", "resourceVersion"})
    pod["metadata"].erase(key);
  pod["status"] = {{"phase", "Succeeded"},
                   {"containerStatuses",
                    {{{"name", "tensorflow"},
                      {"state", {{"terminated", {{"exitCode", 0}}}}}}}}};
  api->create("pods", pod);
  op.run_until_idle();
  op.advance(std::chrono::seconds{10});
  BOOST_REQUIRE(api->find("pods", "ns/job-worker-0"));
  BOOST_TEST(*api->find("pods", "ns/job-worker-0") == before);
  for (const auto& c : (*api->find("tfjobs", "ns/job"))["status"]["conditions"])
    BOOST_TEST(c["type"] == "Created");
  BOOST_TEST(op.request_report("TFJob", "job")["pods"].size() == 1u);
}

// Its name is taken by what is the job's, but has the labels of another place.
BOOST_FIXTURE_TEST_CASE(a_creation_in_vain_is_not_repeated_for_ever,
                        held_calls_fixture) {
  op.kinds = {frameworks::find("TFJob")};
  auto job = api->create("tfjobs", fixtures::tf_job(1));
  api->create("pods",
              {{"metadata",
                {{"name", "job-worker-0"},
                 {"namespace", "ns"},
                 {"labels",
                  {{"training.kubeflow.org/operator-name", "tfjob-controller"},
                   {"training.kubeflow.org/job-name", "job"},
                   {"training.kubeflow.org/replica-type", "worker"},
                   {"training.kubeflow.org/replica-index", "x"}}},
                 {"ownerReferences",
                  {{{"apiVersion", "kubeflow.org/v1"},
                    {"kind", "TFJob"},
                    {"name", "job"},
                    {"uid", job["metadata"]["uid"]},
                    {"controller", true}}}}}}});
  op.start();
  op.advance(std::chrono::minutes{10});
  // Tries are a minute apart in the end.
  BOOST_TEST(api->calls["create pods"] >= 5);
  BOOST_TEST(api->calls["create pods"] <= 30);
}

BOOST_AUTO_TEST_SUITE_END()
