#include "actors/di_server/di_server.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(di_server_test)

namespace {

using frameworks::di::replica_request;
using frameworks::di::request_verb;

class kept_response : public k8s::http::response_writer {
public:
  void reply(k8s::http::response r) override { given = std::move(r); }
  void start(k8s::http::response) override {}
  void write(std::string) override {}
  void finish() override {}
  void on_disconnect(std::function<void()>) override {}

  std::optional<k8s::http::response> given;
};

struct di_server_fixture : cluster_fixture {
  actors::di_server_actor server =
      op.system().spawn(actors::di_server, op.root, op.pod_addresses);

  ~di_server_fixture() {
    caf::anon_send_exit(server, caf::exit_reason::user_shutdown);
    op.run_messages();
  }

  void make_job(const std::string& name) {
    make("dijobs", {{"apiVersion", "diengine.opendilab.org/v1alpha1"},
                    {"kind", "DIJob"},
                    {"metadata", {{"name", name}, {"namespace", "ns"}}},
                    {"spec", di_spec()}});
  }

  void set_address(const std::string& pod, const char* ip) {
    change("pods", pod, [&](json& p) { p["status"]["podIP"] = ip; });
  }

  std::shared_ptr<kept_response> send(const std::string& pod,
                                      request_verb verb = request_verb::add,
                                      const std::string& source = "") {
    auto request = std::make_shared<replica_request>();
    request->verb = verb;
    request->ns = "ns";
    request->coordinator = pod;
    request->source = source;
    request->collectors.replicas = 1;
    auto back = std::make_shared<kept_response>();
    caf::anon_send(server, actors::replica_call{request, back});
    op.run_until_idle();
    return back;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(the_job_is_found_by_its_pod, di_server_fixture) {
  make_job("x");
  make_job("x-ddp");
  auto r = send("x-ddp-coordinator");
  BOOST_REQUIRE(r->given);
  BOOST_TEST(r->given->status == 200);
  BOOST_TEST(r->given->content_type == "application/json");
  // Of the two jobs that can have such a pod, none has this one.
  r = send("x-ddp-learner-bcdfg");
  BOOST_TEST(r->given->status == 404);
  BOOST_TEST(json::parse(r->given->body)["message"]
             == "pod: ns/x-ddp-learner-bcdfg not exists in cache");
  // One has.
  std::string url =
      json::parse(send("x-coordinator")->given->body)["data"]["collectors"][0];
  BOOST_TEST(send(url.substr(0, url.find('.')))->given->status == 200);
}

BOOST_FIXTURE_TEST_CASE(unknown_pods, di_server_fixture) {
  for (const char* pod : {"nope", "nope-coordinator", "nope-learner-bcdfg"}) {
    auto body = json::parse(send(pod)->given->body);
    BOOST_TEST(body["message"]
               == "pod: ns/" + std::string{pod} + " not exists in cache");
    BOOST_TEST(body["data"]["coordinator"] == "");
    body = json::parse(send(pod, request_verb::list)->given->body);
    BOOST_TEST(body["data"] == json{});
  }
}

BOOST_FIXTURE_TEST_CASE(all_jobs_are_listed, di_server_fixture) {
  make_job("a");
  make_job("b");
  set_address("b-coordinator", "10.0.0.2");
  auto list = [&](const char* source) {
    return json::parse(
        send("", request_verb::list, source)->given->body)["data"];
  };
  BOOST_TEST(list("").size() == 2u);
  BOOST_TEST(list("10.0.0.9") == json::array());
  BOOST_REQUIRE(list("10.0.0.2").size() == 1u);
  BOOST_TEST(list("10.0.0.2")[0]["coordinator"] == "b-coordinator");
}

BOOST_FIXTURE_TEST_CASE(one_lookup_tells_whose_list_it_is, di_server_fixture) {
  for (const char* name : {"a", "b", "c"})
    make_job(name);
  set_address("b-coordinator", "10.0.0.2");
  BOOST_TEST(op.pod_addresses->is_known("10.0.0.2"));
  auto jobs = op.pod_addresses->jobs_at("10.0.0.2");
  BOOST_REQUIRE(jobs.size() == 1u);
  BOOST_TEST(jobs[0].name == "b");
  // It ends, and another job's pod gets its address.
  set_pod("b-coordinator", "Succeeded");
  BOOST_TEST(!op.pod_addresses->is_known("10.0.0.2"));
  set_address("c-coordinator", "10.0.0.2");
  jobs = op.pod_addresses->jobs_at("10.0.0.2");
  BOOST_REQUIRE(jobs.size() == 1u);
  BOOST_TEST(jobs[0].name == "c");
}

BOOST_FIXTURE_TEST_CASE(addresses_are_read_again_at_a_start, cluster_fixture) {
  for (const char* name : {"a", "b"}) {
    make("dijobs", {{"apiVersion", "diengine.opendilab.org/v1alpha1"},
                    {"kind", "DIJob"},
                    {"metadata", {{"name", name}, {"namespace", "ns"}}},
                    {"spec", di_spec()}});
    change("pods", name + std::string{"-coordinator"}, [&](json& p) {
      p["status"]["podIP"] = name + std::string{".0.0.1"};
    });
  }
  op.stop();
  api->erase("pods", "ns/a-coordinator"); // Nobody sees it.
  op.start();
  op.run_until_idle();
  BOOST_TEST(op.pod_addresses->is_known("b.0.0.1"));
  BOOST_TEST(!op.pod_addresses->is_known("a.0.0.1"));
}

BOOST_FIXTURE_TEST_CASE(a_stranger_is_refused_once, di_server_fixture) {
  make_job("a");
  auto r = send("a-coordinator", request_verb::add, "10.0.0.9");
  BOOST_REQUIRE(r->given);
  BOOST_TEST(r->given->status == 403);
}

BOOST_FIXTURE_TEST_CASE(an_operator_that_does_not_answer, di_server_fixture) {
  make_job("a");
  auto request = std::make_shared<replica_request>();
  request->verb = request_verb::add;
  request->ns = "ns";
  request->coordinator = "a-coordinator";
  request->collectors.replicas = 1;
  auto back = std::make_shared<kept_response>();
  caf::anon_send(server, actors::replica_call{request, back});
  op.run_messages();
  op.advance_clock(121s); // Its call has no answer yet.
  op.run_messages();
  BOOST_REQUIRE(back->given);
  BOOST_TEST(back->given->status == 504);
}

BOOST_AUTO_TEST_SUITE_END()
