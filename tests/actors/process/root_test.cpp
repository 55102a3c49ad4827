#include "tests/actors/cluster_fixture.hpp"
#include "tests/fixtures/fake_api_requests.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(root_test)

namespace {

using strings = std::vector<std::string>;

struct root_fixture : cluster_fixture {
  /// A new process, of which all lists of this resource fail.
  void restart_without(const std::string& resource, k8s::ec code) {
    op.stop();
    api->drop_pending(0);
    op.start();
    run_failing([&](const k8s::request& r) { return r.resource == resource; },
                {code, "not " + resource});
  }

  /// An actor of this name fails when it is about to handle a message.
  bool fail_actor(const std::string& name) {
    api->create("tfjobs", tf_job(1, ("job" + std::to_string(++jobs)).c_str()));
    while (!op.fail_runnable_actor(name))
      if (op.runnable_actors() > 0)
        op.run_one(0);
      else if (!api->pending().empty())
        api->answer(0);
      else if (!api->streams_behind().empty())
        api->deliver_all();
      else
        return false;
    op.run_messages();
    return true;
  }

  /// How many lists of each resource there were.
  std::map<std::string, int> lists() {
    std::map<std::string, int> result;
    for (const auto& [what, times] : api->calls)
      if (what.rfind("list ", 0) == 0)
        result[what] = times;
    return result;
  }

  int jobs = 0;
};

/// Pods and services of both kinds of DIJobs have lists of their own, and
/// services of MPIJobs v2beta1, as they have no labels of ours. DIJobs and
/// MPIJobs are listed in each version.
int watchers_of(const std::string& resource) {
  if (resource == "services")
    return 4;
  if (resource == "pods")
    return 3;
  return resource == "dijobs" || resource == "mpijobs" ? 2 : 1;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_watched_follows_from_kinds_and_scheduler) {
  struct row {
    const char* kind;
    core::gang scheduling;
    strings namespaces;
    strings lists;
  };
  // clang-format off
  const row rows[] = {
      {"TFJob", core::gang::none, {""},
       {"pods app", "services app", "tfjobs"}},
      {"TFJob", core::gang::none, {"a", "b"},
       {"a/pods app", "a/services app", "a/tfjobs",
        "b/pods app", "b/services app", "b/tfjobs"}},
      {"MPIJob", core::gang::none, {""},
       {"configmaps", "mpijobs", "pods app", "rolebindings", "roles",
        "serviceaccounts", "services app"}},
      {"PyTorchJob", core::gang::volcano, {""},
       {"horizontalpodautoscalers", "podgroups", "pods app", "pytorchjobs",
        "services app"}},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto api = std::make_shared<fake_api>();
    operator_fixture op{api, scheduled_by(r.scheduling)};
    op.options->namespaces = r.namespaces;
    op.kinds = {frameworks::find(r.kind)};
    op.start();
    strings lists;
    for (op.run_messages(); !api->pending().empty(); op.run_messages()) {
      const auto& call = api->pending().front().request;
      auto path = parse_request_path(call.path);
      if (call.method == k8s::verb::list)
        lists.push_back((path.ns.empty() ? "" : path.ns + "/") + path.plural
                        + (path.query.count("labelSelector") ? " app" : ""));
      api->answer(0);
    }
    std::sort(lists.begin(), lists.end());
    BOOST_TEST(lists == r.lists, per_element());
    BOOST_TEST(*op.ready);
  }
}

BOOST_AUTO_TEST_CASE(it_is_ready_before_jobs_can_be_converted) {
  // Their lists fail until the API server can call the webhook, and a Service
  // leads it to replicas that are ready only.
  struct row {
    bool webhooks;
    const char* kind;
    bool ready;
  } rows[] = {
      {true, "DIJob", true}, {false, "DIJob", false}, {true, "TFJob", false}};
  for (const auto& r : rows) {
    auto api = std::make_shared<fake_api>();
    operator_fixture op{api};
    const auto* kind = frameworks::find(r.kind);
    op.kinds = {kind};
    auto webhooks_ready = std::make_shared<std::atomic<bool>>(false);
    if (r.webhooks) {
      op.webhooks.emplace();
      op.webhooks->ns = "kubeflow";
      op.webhooks->secret = "cert";
      op.webhooks->configuration = {op.kinds, ""};
      op.webhooks->ready = webhooks_ready;
    }
    op.start();
    for (op.run_messages(); !api->pending().empty(); op.run_messages())
      if (api->pending().front().request.resource == kind->names.type.plural)
        api->fail_call(0, {k8s::ec::server_error, "conversion webhook failed"});
      else
        api->answer(0);
    BOOST_TEST(*op.ready == r.ready, r.kind << r.webhooks);
  }
}

BOOST_AUTO_TEST_CASE(it_is_ready_without_what_not_every_job_needs) {
  struct row {
    const char* resource;
    k8s::ec code;
    bool ready;
  };
  // clang-format off
  const row rows[] = {
      {"mxjobs",   k8s::ec::not_found, true}, // Its definition is missing.
      {"mxjobs",   k8s::ec::forbidden, true},
      {"roles",    k8s::ec::forbidden, true},
      {"pods",     k8s::ec::forbidden, false},
      {"services", k8s::ec::forbidden, false},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.resource) {
      root_fixture s;
      s.make("tfjobs", tf_job(2));
      s.api->erase("pods", "ns/job-worker-0");
      s.restart_without(r.resource, r.code);
      BOOST_TEST(*s.op.ready == r.ready);
      BOOST_TEST(s.count("pods") == (r.ready ? 2u : 1u));
      auto lists = s.lists()[std::string{"list "} + r.resource];
      s.op.advance(6s); // It can be listed now.
      BOOST_TEST(s.lists()[std::string{"list "} + r.resource]
                 == lists + watchers_of(r.resource));
      BOOST_TEST(*s.op.ready);
      BOOST_TEST(s.count("pods") == 2u);
    }
}

BOOST_AUTO_TEST_CASE(a_failed_watcher_is_started_again_alone) {
  root_fixture s;
  auto expected = s.lists();
  ++expected["list tfjobs"];
  BOOST_REQUIRE(s.fail_actor("watcher"));
  BOOST_TEST(!*s.op.ready);
  s.op.advance(100ms);
  BOOST_TEST(*s.op.ready);
  BOOST_TEST((s.lists() == expected));
  BOOST_TEST(s.count("pods") == 1u);
}

BOOST_AUTO_TEST_CASE(after_any_other_failure_all_actors_are_started_again) {
  for (const char* name : {"directory", "gateway", "event-recorder"})
    BOOST_TEST_CONTEXT(name) {
      root_fixture s;
      for (auto delay : {100ms, 200ms, 400ms}) {
        BOOST_REQUIRE(s.fail_actor(name));
        auto before = s.lists();
        BOOST_TEST(!*s.op.ready);
        s.op.advance(delay - 1ms);
        BOOST_TEST((s.lists() == before));
        s.op.advance(1ms);
        for (auto& [what, times] : before)
          times += watchers_of(what.substr(5));
        BOOST_TEST((s.lists() == before));
        BOOST_TEST(*s.op.ready);
      }
      s.op.advance(1s);
      BOOST_TEST(s.count("pods") == 3u);
      BOOST_TEST((*s.op.request_report())["restarts"] == 3);
    }
}

BOOST_AUTO_TEST_CASE(a_drain_waits_for_the_calls_in_flight_but_not_for_ever) {
  for (bool answered : {true, false}) {
    root_fixture s;
    s.api->create("tfjobs", tf_job(1));
    s.api->deliver_all();
    s.op.run_messages();
    BOOST_REQUIRE(!s.api->pending().empty());
    caf::scoped_actor self{s.op.system()};
    self->send(s.op.root, actors::drain{});
    s.op.run_messages();
    BOOST_TEST(!*s.op.ready);
    BOOST_TEST(!(self->mailbox().size() > 0));
    if (answered) {
      s.op.run_until_idle();
    } else {
      s.op.advance_clock(s.op.options->drain);
      s.op.run_messages();
    }
    BOOST_TEST((self->mailbox().size() > 0));
    // Nothing is started again.
    auto lists = s.lists();
    s.op.advance(1min);
    BOOST_TEST((s.lists() == lists));
  }
}

BOOST_AUTO_TEST_SUITE_END()
