#include "frameworks/di/requests/replica_request.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>

// Requests to a job while it runs, through root, directory and supervisor.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_requests_test)

namespace {

using frameworks::di::replica_request;
using frameworks::di::request_verb;

struct requesting_fixture : cluster_fixture {
  requesting_fixture() {
    make("dijobs", dijob("job"));
    set_pod("job-coordinator", "Running");
  }

  static json dijob(const std::string& name) {
    return {{"apiVersion", "diengine.opendilab.org/v1alpha1"},
            {"kind", "DIJob"},
            {"metadata", {{"name", name}, {"namespace", "ns"}}},
            {"spec", di_spec()}};
  }

  static replica_request request(request_verb verb, int collectors = 0,
                                 int learners = 0, int gpus = 0) {
    replica_request r;
    r.verb = verb;
    r.ns = "ns";
    r.coordinator = "job-coordinator";
    r.collectors.replicas = collectors;
    r.learners.replicas = learners;
    r.learners.gpu_count = gpus;
    return r;
  }

  /// Sends a request; its response is that of this number.
  std::size_t send(const replica_request& r, const std::string& job = "job") {
    auto number = responses.size();
    auto slot = std::make_shared<std::optional<actors::job_response>>();
    responses.push_back(slot);
    actors::request_to_job question{frameworks::find("DIJob"), "ns", job,
                                    std::make_shared<const replica_request>(r)};
    auto root = op.root;
    op.system().spawn([slot, root, question](caf::event_based_actor* self) {
      self->request(root, 10min, question)
          .then([slot](const actors::job_response& answer) { *slot = answer; },
                [slot](caf::error&) {
                  *slot = actors::job_response{0, "no response"};
                });
    });
    return number;
  }

  actors::job_response ask(const replica_request& r) {
    auto number = send(r);
    op.run_until_idle();
    if (!response(number))
      throw std::runtime_error("there is no response");
    return *response(number);
  }

  /// Messages and answers, but no event of a watch.
  void run_without_watches() {
    do
      op.run_messages();
    while (!api->pending().empty() && (api->answer(0), true));
  }

  std::size_t pods_of(const std::string& role) {
    std::size_t n = 0;
    for (const auto& [key, p] : api->all("pods"))
      n += p["metadata"]["labels"]["replica-type"] == role ? 1 : 0;
    return n;
  }

  static std::string sorted(const std::optional<actors::job_response>& r) {
    auto data = json::parse(r->data);
    std::sort(data["collectors"].begin(), data["collectors"].end());
    return data.dump();
  }

  std::size_t listed(const actors::job_response& r, const char* side) {
    return json::parse(r.data)[side].size();
  }

  const std::optional<actors::job_response>& response(std::size_t number) {
    return *responses[number];
  }

  std::vector<std::shared_ptr<std::optional<actors::job_response>>> responses;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(replicas_come_and_go, requesting_fixture) {
  auto r = ask(request(request_verb::add, 2, 1));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(listed(r, "collectors") == 2u);
  BOOST_TEST(count("pods") == 4u);
  BOOST_TEST(count("services") == 4u);
  r = ask(request(request_verb::remove, 1, 1));
  BOOST_TEST(r.status == 200);
  op.run_until_idle();
  BOOST_TEST(count("pods") == 2u);
  BOOST_TEST(count("services") == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_list_after_a_change_is_never_stale,
                        requesting_fixture) {
  auto added = send(request(request_verb::add, 3));
  run_without_watches();
  BOOST_REQUIRE(response(added));
  auto listed_then = send(request(request_verb::list));
  run_without_watches();
  BOOST_REQUIRE(response(listed_then));
  BOOST_TEST(sorted(response(listed_then)) == sorted(response(added)));
  auto removed = send(request(request_verb::remove, 3));
  run_without_watches();
  BOOST_REQUIRE(response(removed));
  BOOST_TEST(sorted(response(removed)) == sorted(response(added)));
  auto empty = send(request(request_verb::list));
  run_without_watches();
  BOOST_TEST(listed(*response(empty), "collectors") == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_list_does_not_wait_for_a_change, requesting_fixture) {
  auto slow = send(request(request_verb::add, 2));
  op.run_messages();
  BOOST_REQUIRE(api->pending().size() == 2u); // Creations; not answered.
  auto listed_then = send(request(request_verb::list));
  op.run_messages();
  BOOST_REQUIRE(response(listed_then));
  BOOST_TEST(listed(*response(listed_then), "collectors") == 0u);
  BOOST_TEST(!response(slow));
  op.run_until_idle();
  BOOST_TEST(response(slow)->status == 200);
}

BOOST_FIXTURE_TEST_CASE(requests_to_one_job_take_turns, requesting_fixture) {
  for (int i = 0; i < 50; ++i)
    send(request(i % 2 == 0 ? request_verb::add : request_verb::remove, 3));
  op.run_until_idle();
  for (const auto& slot : responses) {
    const auto& r = *slot;
    BOOST_REQUIRE(r);
    BOOST_TEST(r->status == 200);
    BOOST_TEST(listed(*r, "collectors") == 3u);
  }
  BOOST_TEST(pods_of("collector") == 0u);
  BOOST_TEST(api->calls["create pods"] == 1 + 25 * 3);
}

BOOST_FIXTURE_TEST_CASE(no_more_than_a_hundred_wait, requesting_fixture) {
  for (int i = 0; i < 150; ++i)
    send(request(request_verb::add, 1));
  op.run_until_idle();
  auto with = [&](int status) {
    return std::count_if(responses.begin(), responses.end(),
                         [&](const auto& r) { return (*r)->status == status; });
  };
  BOOST_TEST(with(200) == 101);
  BOOST_TEST(with(503) == 49);
  BOOST_TEST(pods_of("collector") == 101u);
}

BOOST_FIXTURE_TEST_CASE(jobs_do_not_wait_for_each_other, requesting_fixture) {
  make("dijobs", dijob("other"));
  set_pod("other-coordinator", "Running");
  auto slow = send(request(request_verb::add, 1));
  op.run_messages();
  BOOST_REQUIRE(api->pending().size() == 1u); // Its creation; not answered.
  auto r = request(request_verb::list);
  r.coordinator = "other-coordinator";
  auto other = send(r, "other");
  op.run_messages();
  BOOST_TEST(!response(slow));
  BOOST_REQUIRE(response(other));
  BOOST_TEST(response(other)->status == 200);
}

BOOST_FIXTURE_TEST_CASE(a_refused_creation_is_not_tried_again,
                        requesting_fixture) {
  auto number = send(request(request_verb::add, 1));
  run_failing(k8s::verb::create, "pods",
              {k8s::ec::forbidden, "exceeded quota"});
  BOOST_REQUIRE(response(number));
  BOOST_TEST(response(number)->status == 500);
  BOOST_TEST(response(number)->message == "exceeded quota");
  auto creations = api->calls["create pods"];
  op.advance(20min);
  BOOST_TEST(api->calls["create pods"] == creations);
  auto report = op.request_report("DIJob", "job");
  BOOST_TEST(report["expectations"].empty());
  BOOST_TEST(events("FailedCreate") == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_creation_whose_answer_is_lost_is_looked_for,
                        requesting_fixture) {
  auto number = send(request(request_verb::add, 1));
  op.run_messages();
  BOOST_REQUIRE(api->pending().size() == 1u);
  api->answer(0, fault::lost_answer);
  op.advance(1min);
  BOOST_REQUIRE(response(number));
  BOOST_TEST(response(number)->status == 200);
  BOOST_TEST(pods_of("collector") == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_supervisor_that_fails_leaves_no_request_open,
                        requesting_fixture) {
  for (const char* failing : {"replica-group", "job-supervisor"}) {
    auto active = send(request(request_verb::add, 20));
    auto waiting = send(request(request_verb::remove, 1));
    bool failed = false;
    for (int i = 0; i < 1000 && !failed; ++i) {
      failed = api->pending().size() > 1 && op.fail_runnable_actor(failing);
      if (op.runnable_actors() > 0)
        op.run_one(0);
      else if (!api->pending().empty())
        api->answer(0);
      else
        break;
    }
    BOOST_REQUIRE(failed);
    op.advance(1min);
    for (auto number : {active, waiting}) {
      BOOST_REQUIRE(response(number));
      BOOST_TEST(response(number)->status == 503);
    }
    // Its successor knows what the request has led to.
    auto r = ask(request(request_verb::list));
    BOOST_TEST(r.status == 200);
    BOOST_TEST(listed(r, "collectors") == pods_of("collector"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_deleted_job_leaves_no_request_open,
                        requesting_fixture) {
  auto active = send(request(request_verb::add, 3));
  op.run_messages();
  api->erase("dijobs", "ns/job");
  api->deliver_all();
  op.run_messages();
  BOOST_REQUIRE(response(active));
  BOOST_TEST(response(active)->status == 404);
}

BOOST_FIXTURE_TEST_CASE(the_end_of_the_operator_interrupts_requests,
                        requesting_fixture) {
  auto active = send(request(request_verb::add, 3));
  op.run_messages();
  BOOST_REQUIRE(!response(active));
  op.stop();
  BOOST_REQUIRE(response(active));
  BOOST_TEST(response(active)->status == 503);
}

BOOST_FIXTURE_TEST_CASE(a_request_that_has_waited_too_long_is_dropped,
                        requesting_fixture) {
  auto active = send(request(request_verb::add, 1));
  auto late = send(request(request_verb::add, 1));
  op.run_messages();
  op.advance_clock(31s); // The API server does not answer.
  op.run_until_idle();
  BOOST_TEST(response(active)->status == 200);
  BOOST_TEST(response(late)->status == 504);
  BOOST_TEST(pods_of("collector") == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_learner_is_divided_by_the_nodes_there_are,
                        requesting_fixture) {
  for (const char* name : {"a", "b"})
    api->create("nodes",
                // The fake server has namespaced objects only.
                {{"metadata", {{"name", name}, {"namespace", "none"}}},
                 {"status", {{"allocatable", {{"nvidia.com/gpu", "8"}}}}}});
  auto r = ask(request(request_verb::add, 0, 1, 10));
  BOOST_TEST(r.status == 404);
  BOOST_TEST(r.message
             == "AGConfig: di-system/aggregator-config not exists in cache");
  api->create("aggregatorconfigs",
              {{"metadata",
                {{"name", "aggregator-config"}, {"namespace", "di-system"}}},
               {"spec", {{"aggregator", {{"template", di_template()}}}}}});
  r = ask(request(request_verb::add, 0, 1, 10));
  BOOST_TEST(r.status == 200, r.message);
  BOOST_TEST(pods_of("aggregator") == 1u);
  BOOST_TEST(pods_of("ddp-learner") == 2u);
  BOOST_TEST(count("services") == 4u);
  r = ask(request(request_verb::remove, 0, 1));
  BOOST_TEST(count("pods") == 1u);
  BOOST_TEST(count("services") == 1u);
}

BOOST_FIXTURE_TEST_CASE(all_jobs_are_listed, requesting_fixture) {
  make("dijobs", dijob("other"));
  for (const char* ns : {"", "ns", "nowhere"}) {
    caf::scoped_actor self{op.system()};
    self->send(op.root,
               actors::request_to_jobs{
                   frameworks::find("DIJob"), ns,
                   std::make_shared<const replica_request>(replica_request{})});
    op.run_until_idle();
    self->receive([&](const actors::job_responses& all) {
      BOOST_TEST(all->size() == (std::string{ns} == "nowhere" ? 0u : 2u));
    });
  }
}

BOOST_FIXTURE_TEST_CASE(nothing_is_unknown_before_all_lists_are_there,
                        requesting_fixture) {
  op.stop();
  op.start();
  auto early = send(request(request_verb::list));
  op.run_messages();
  BOOST_REQUIRE(response(early));
  BOOST_TEST(response(early)->status == 503);
  op.run_until_idle();
  BOOST_TEST(ask(request(request_verb::list)).status == 200);
}

BOOST_AUTO_TEST_SUITE_END()
