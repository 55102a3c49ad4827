#include "actors/admin/admin.hpp"
#include "tests/actors/admin/recording_writer.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/actors/log_api.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(pod_logs_test)

namespace {

/// The operator with a job of two workers, and its admin endpoint.
struct logs_fixture : cluster_fixture {
  logs_fixture() {
    make("tfjobs", tf_job(2, "mnist"));
    logs = std::make_shared<log_api>(api);
    subject = op.system().spawn(
        admin, admin_config{op.root, op.jobs, [] { return json::object(); },
                            [this] { return op.wall_clock(); }, "", logs});
  }

  ~logs_fixture() {
    caf::anon_send_exit(subject, caf::exit_reason::user_shutdown);
    subject = nullptr;
    op.run_messages();
  }

  std::shared_ptr<recording_writer>
  ask(const std::string& path, std::map<std::string, std::string> query = {},
      const std::string& method = "GET") {
    auto back = std::make_shared<recording_writer>();
    k8s::http::request q;
    q.method = method;
    q.path = path;
    q.query = std::move(query);
    q.peer = "10.0.0.1";
    caf::anon_send(subject, admin_request{q, back});
    op.run_until_idle();
    return back;
  }

  std::shared_ptr<recording_writer>
  ask_for_log(const std::string& pod,
              std::map<std::string, std::string> query = {}) {
    return ask("/admin/v1/jobs/ns/TFJob/mnist/pods/" + pod + "/log",
               std::move(query));
  }

  std::shared_ptr<log_api> logs;
  admin_actor subject;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_log_of_a_pod_of_the_job_is_streamed, logs_fixture) {
  auto back = ask_for_log("mnist-worker-1");
  BOOST_TEST(back->started);
  BOOST_TEST(back->written.find("\"container\":\"tensorflow\"")
             != std::string::npos);
  BOOST_REQUIRE(logs->logs.size() == 1u);
  BOOST_TEST(logs->logs[0]->request.path
             == "/api/v1/namespaces/ns/pods/mnist-worker-1/log?container="
                "tensorflow&tailLines=500&follow=true");
  back->written.clear();
  logs->logs[0]->sink.bytes("step 1\n");
  BOOST_TEST(back->written == "event: text\ndata: \"step 1\\n\"\n\n");
  op.advance(10s);
  BOOST_TEST(back->written.find(": alive") != std::string::npos);
  // Its client goes: nothing is read any more, and nothing asked.
  back->gone();
  op.run_until_idle();
  BOOST_TEST(logs->logs[0]->closed);
  back->written.clear();
  op.advance(1min);
  BOOST_TEST(back->written == "");
}

BOOST_FIXTURE_TEST_CASE(nothing_is_asked_for_while_nobody_looks, logs_fixture) {
  op.advance(10min);
  BOOST_TEST(logs->sent.empty());
  BOOST_TEST(logs->logs.empty());
}

BOOST_FIXTURE_TEST_CASE(the_log_of_no_other_pod_is_read, logs_fixture) {
  auto pod = *api->find("pods", "ns/mnist-worker-0");
  pod["metadata"].erase("ownerReferences");
  pod["metadata"]["name"] = "stranger";
  pod["metadata"]["uid"] = "stranger";
  pod["metadata"]["labels"] = json::object();
  api->create("pods", pod);
  op.run_until_idle();
  struct row {
    std::string path;
    const char* why;
  } rows[] = {
      {"/admin/v1/jobs/ns/TFJob/mnist/pods/stranger/log",
       "TFJob ns/mnist has no pod stranger"},
      {"/admin/v1/jobs/ns/TFJob/other/pods/mnist-worker-0/log",
       "TFJob ns/other not found"},
      {"/admin/v1/jobs/other/TFJob/mnist/pods/mnist-worker-0/log",
       "TFJob other/mnist not found"},
      {"/admin/v1/jobs/ns/MPIJob/mnist/pods/mnist-worker-0/log",
       "MPIJob ns/mnist not found"},
  };
  for (const auto& r : rows) {
    auto back = ask(r.path);
    BOOST_TEST(back->answer.status == 404, r.path);
    BOOST_TEST(back->answer.body.find(r.why) != std::string::npos,
               back->answer.body);
  }
  // None of them took the operator as far as the API server.
  BOOST_TEST(logs->sent.empty());
  BOOST_TEST(logs->logs.empty());
}

BOOST_FIXTURE_TEST_CASE(another_pod_by_the_name_is_refused, logs_fixture) {
  // It took the name, and the watch has not said so yet.
  api->table("pods")["ns/mnist-worker-0"]["metadata"]["uid"] = "another";
  auto back = ask_for_log("mnist-worker-0");
  BOOST_TEST(back->answer.status == 404);
  BOOST_TEST(back->answer.body.find("another pod has this name now")
                 != std::string::npos,
             back->answer.body);
  BOOST_TEST(logs->logs.empty());
}

BOOST_FIXTURE_TEST_CASE(wrong_requests_are_refused_before_anything_is_asked,
                        logs_fixture) {
  BOOST_TEST(ask_for_log("mnist-worker-0", {{"lines", "0"}})->answer.status
             == 400);
  auto path = "/admin/v1/jobs/ns/TFJob/mnist/pods/mnist-worker-0/log";
  BOOST_TEST(ask(path, {}, "POST")->answer.status == 405);
  BOOST_TEST(logs->sent.empty());
  BOOST_TEST(
      ask_for_log("mnist-worker-0", {{"container", "other"}})->answer.status
      == 404);
  BOOST_TEST(logs->logs.empty());
}

BOOST_FIXTURE_TEST_CASE(there_are_places_for_so_many, logs_fixture) {
  std::vector<std::shared_ptr<recording_writer>> open;
  for (std::size_t i = 0; i < log_streams::most_streams_of_client; ++i)
    open.push_back(ask_for_log("mnist-worker-0"));
  auto refused = ask_for_log("mnist-worker-0");
  BOOST_TEST(refused->answer.status == 503);
  BOOST_TEST(refused->answer.headers["Retry-After"] == "5");
  // One ends by itself, and its place is free.
  logs->logs[0]->sink.ended(k8s::nothing{});
  op.run_until_idle();
  BOOST_TEST(ask_for_log("mnist-worker-0")->started);
}

BOOST_AUTO_TEST_SUITE_END()
