// What the operator does while the API server is away, and when it is back.
#include "tests/actors/story.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(outage_test)

namespace {

struct outage : story {
  json job(const char* name) {
    return job_of("TFJob",
                  {{"tfReplicaSpecs", {{"Worker", replica(2, "tensorflow")}}}},
                  name);
  }

  void come_back(bool forgetful) {
    api->away = false;
    if (forgetful)
      api->forget_versions();
  }

  void start_anew() {
    on.end();
    api->drop_pending(0);
    on.begin();
    on.settle();
  }

  int count_calls(const std::string& verb) {
    int n = 0;
    for (const auto& [what, times] : api->calls)
      if (what.rfind(verb + " ", 0) == 0)
        n += times;
    return n;
  }

  int lists() { return count_calls("list"); }

  /// The report of every actor of that name.
  std::vector<json> reports(const std::string& actor) {
    std::vector<json> result;
    auto tree = on.ask_for_tree();
    for (const auto& child : (*tree)["children"])
      if (child["actor"] == actor)
        result.push_back(child);
    return result;
  }

  bool all_watch() {
    auto all = reports("watcher");
    return std::all_of(all.begin(), all.end(),
                       [](const json& w) { return w["state"] == "watching"; });
  }

  /// Refuses every call about the resource that waits or comes, as a role does
  /// that does not grant it; the others are answered.
  void settle_without(const std::string& resource,
                      k8s::ec code = k8s::ec::forbidden) {
    for (;;) {
      on.settle_messages();
      auto& waiting = api->pending();
      auto i = std::find_if(waiting.begin(), waiting.end(), [&](const auto& c) {
        return c.request.resource == resource;
      });
      if (i != waiting.end()) {
        ++refusals;
        api->refuse(static_cast<std::size_t>(i - waiting.begin()),
                    {code, "not " + resource});
      } else if (!waiting.empty()) {
        api->answer(0);
      } else if (!api->lagging().empty()) {
        api->deliver_all();
      } else {
        return;
      }
    }
  }

  int refusals = 0;
};

} // namespace

BOOST_AUTO_TEST_CASE(a_job_made_when_the_server_is_back_has_its_pods_at_once) {
  for (auto away : {500ms, 5'000ms, 60'000ms, 120'000ms})
    for (bool forgetful : {false, true}) {
      outage s;
      s.make("tfjobs", s.job("old"));
      s.start_anew(); // All lists have a version.
      s.on.advance(10s);
      auto watchers = static_cast<int>(s.reports("watcher").size());
      auto before = s.lists();
      s.api->go_away();
      s.on.advance(away);
      s.come_back(forgetful);
      s.api->create("tfjobs", s.job("new"));
      s.on.advance(1s);
      BOOST_TEST_CONTEXT("away for " << away.count() << " ms, forgetful "
                                     << forgetful) {
        BOOST_TEST(s.count("pods") == 4u);
        BOOST_TEST(s.all_watch());
        BOOST_TEST(s.lists() - before <= (forgetful ? watchers : 0));
      }
    }
}

BOOST_AUTO_TEST_CASE(orders_that_met_an_outage_do_not_wait_longer_than_it) {
  outage s;
  s.api->create("tfjobs", s.job("job"));
  s.api->deliver_all();
  s.on.settle_messages(); // Creations wait at the gateway.
  s.api->go_away();
  s.on.advance(90s);
  s.come_back(true);
  s.on.advance(1s);
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.count("services") == 2u);
  BOOST_TEST(s.events("SuccessfulCreatePod") == 2u);
}

BOOST_AUTO_TEST_CASE(a_status_that_met_an_outage_is_written_after_it) {
  outage s;
  s.make("tfjobs", s.job("job"));
  s.on.advance(5s);
  s.api->change("pods", "ns/job-worker-0", [](json& p) {
    p["status"] = {{"phase", "Succeeded"},
                   {"containerStatuses",
                    {{{"name", "tensorflow"},
                      {"state", {{"terminated", {{"exitCode", 0}}}}}}}}};
  });
  s.api->deliver_all();
  s.on.settle_messages(); // The write waits at the gateway.
  s.api->go_away();
  s.on.advance(90s);
  s.come_back(true);
  s.on.advance(1s);
  BOOST_TEST(s.get("tfjobs", "job")["status"].dump().find("Succeeded")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_the_probe_asks_a_server_that_is_away) {
  outage s;
  s.make("tfjobs", s.job("job"));
  s.on.advance(10s);
  s.api->go_away();
  s.on.advance(2s); // All have noticed.
  auto before = s.api->refused_while_away;
  s.on.advance(60s);
  auto asked = s.api->refused_while_away - before;
  // 60 s / 250..500 ms.
  BOOST_TEST(asked >= 120);
  BOOST_TEST(asked <= 240);
  auto gateway = s.reports("gateway").at(0);
  BOOST_TEST(gateway["serverAway"] == true);
  s.come_back(false);
  s.on.advance(1s);
  auto probes = s.api->calls["get readyz"];
  BOOST_TEST(probes >= 1);
  s.on.advance(1h); // All is well: nobody asks.
  BOOST_TEST(s.api->calls["get readyz"] == probes);
}

BOOST_AUTO_TEST_CASE(nobody_probes_a_server_that_never_failed) {
  outage s;
  s.make("tfjobs", s.job("job"));
  s.on.advance(1h);
  BOOST_TEST(s.api->calls["get readyz"] == 0);
}

BOOST_AUTO_TEST_CASE(a_server_that_serves_but_never_is_ready_is_tried) {
  outage s;
  s.make("tfjobs", s.job("old"));
  s.on.advance(10s);
  s.api->go_away();
  s.on.advance(60s);
  s.api->ready = false; // A balancer that does not let /readyz through.
  s.come_back(true);
  s.api->create("tfjobs", s.job("new"));
  s.on.advance(11s);
  BOOST_TEST(s.count("pods") == 4u);
  BOOST_TEST(s.all_watch());
  auto probes = s.api->calls["get readyz"];
  s.on.advance(1min);
  BOOST_TEST(s.api->calls["get readyz"] == probes);
}

BOOST_AUTO_TEST_CASE(a_server_that_is_starting_is_left_alone) {
  for (auto code : {k8s::ec::overloaded, k8s::ec::forbidden}) {
    outage s;
    s.make("tfjobs", s.job("old"));
    s.on.advance(10s);
    s.api->go_away();
    s.on.advance(57s);
    s.api->ready = false; // It answers, but knows no definitions or roles yet.
    s.api->not_ready = code;
    s.come_back(true);
    s.api->create("tfjobs", s.job("new"));
    auto before = s.count_calls("list") + s.count_calls("watch");
    s.on.advance(4s);
    BOOST_TEST(s.count_calls("list") + s.count_calls("watch") == before);
    s.api->ready = true;
    s.on.advance(1s);
    BOOST_TEST(s.count("pods") == 4u);
  }
}

BOOST_AUTO_TEST_CASE(
    a_start_before_the_server_is_there_is_a_start_all_the_same) {
  auto api = std::make_shared<fake_api>();
  stage on{api};
  api->away = true;
  on.begin();
  on.advance(90s);
  BOOST_TEST(!*on.ready);
  api->away = false;
  on.advance(1s);
  BOOST_TEST(*on.ready);
}

BOOST_AUTO_TEST_CASE(
    an_expired_version_is_listed_at_once_whatever_failed_before) {
  outage s;
  s.on.advance(10s);
  // Streams break again and again, each holds for a while.
  for (int i = 0; i < 8; ++i) {
    while (s.api->streams() > 0)
      s.api->break_stream(0);
    s.on.advance(5s);
  }
  s.api->create("tfjobs", s.job("new"));
  s.api->forget_versions();
  auto before = s.lists();
  s.on.advance(400ms);
  BOOST_TEST(s.lists() > before);
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(lists_after_a_restart_are_spread) {
  outage s;
  s.on.advance(10s);
  s.api->forget_versions();
  s.api->deliver_all();
  s.on.settle_messages();
  auto watchers = static_cast<int>(s.reports("watcher").size());
  // None at that instant, and not all at any other.
  BOOST_TEST(s.api->pending().empty());
  auto before = s.lists();
  int most = 0;
  for (int i = 0; i < 30; ++i) {
    auto so_far = s.lists();
    s.on.advance(10ms);
    most = std::max(most, s.lists() - so_far);
  }
  BOOST_TEST(most < watchers / 2);
  BOOST_TEST(s.lists() - before == watchers);
  BOOST_TEST(s.all_watch());
}

BOOST_AUTO_TEST_CASE(
    a_server_that_forgets_its_own_lists_is_not_asked_in_a_loop) {
  outage s;
  s.on.advance(10s);
  auto before = s.lists();
  auto watchers = static_cast<int>(s.reports("watcher").size());
  for (int i = 0; i < 600; ++i) { // A minute of it.
    s.api->forget_versions();
    s.on.advance(100ms);
  }
  // At most one per watcher and 2.5 s, and a few before.
  BOOST_TEST(s.lists() - before <= watchers * (24 + 8));
  BOOST_TEST(s.lists() - before >= watchers * 12);
}

BOOST_AUTO_TEST_CASE(a_job_kind_that_may_not_be_listed_holds_up_nobody) {
  outage s;
  s.on.end();
  s.api->drop_pending(0);
  s.api->create("tfjobs", s.job("job"));
  s.on.begin();
  s.settle_without("mxjobs");
  BOOST_TEST(*s.on.ready);
  BOOST_TEST(s.count("pods") == 2u);
  auto of = [&] {
    for (const auto& w : s.reports("watcher"))
      if (w["resource"] == "mxjobs")
        return w;
    return json{};
  };
  BOOST_TEST(of()["unavailable"] == "forbidden");
  // It is looked for now and then: at most a minute passes between two looks.
  auto looks = s.refusals;
  for (int i = 0; i < 600; ++i) {
    s.on.jump(1s);
    s.settle_without("mxjobs");
  }
  BOOST_TEST(s.refusals - looks >= 10);
  BOOST_TEST(s.refusals - looks <= 30);
  s.on.advance(61s); // Somebody has granted it meanwhile.
  BOOST_TEST(of()["unavailable"] == "");
  BOOST_TEST(of()["state"] == "watching");
}

BOOST_AUTO_TEST_CASE(a_server_that_has_just_started_learns_its_definitions) {
  outage s;
  s.make("tfjobs", s.job("job"));
  s.on.advance(5s);
  s.api->forget_versions();
  s.api->deliver_all();
  for (int i = 0; i < 4; ++i) {
    s.on.jump(1s);
    s.settle_without("tfjobs", k8s::ec::not_found);
  }
  BOOST_TEST(s.refusals > 2);
  BOOST_TEST(s.reports("directory").at(0)["jobs"] == 1u); // Not given up.
  s.api->create("tfjobs", s.job("other"));
  s.on.advance(4s);
  BOOST_TEST(s.count("pods") == 4u);
}

BOOST_AUTO_TEST_CASE(a_refused_kind_keeps_the_jobs_that_are_known) {
  outage s;
  s.make("tfjobs", s.job("job"));
  s.on.advance(5s);
  s.api->forget_versions();
  s.api->deliver_all();
  for (int i = 0; i < 20; ++i) {
    s.on.jump(1s);
    s.settle_without("tfjobs");
  }
  BOOST_TEST(s.refusals > 0);
  // A pod that fails is still looked after.
  s.api->erase("pods", "ns/job-worker-1");
  s.settle_without("tfjobs");
  s.on.settle();
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(pods_that_may_not_be_listed_keep_the_operator_unready) {
  for (const char* vital : {"pods", "services"}) {
    outage s;
    s.on.end();
    s.api->drop_pending(0);
    s.on.begin();
    s.settle_without(vital);
    BOOST_TEST(!*s.on.ready);
    s.on.advance(6s);
    BOOST_TEST(*s.on.ready);
  }
}

BOOST_AUTO_TEST_CASE(belongings_that_may_not_be_listed_hold_up_nobody_else) {
  outage s;
  s.on.end();
  s.api->drop_pending(0);
  s.api->create("tfjobs", s.job("job"));
  s.on.begin();
  s.settle_without("roles");
  BOOST_TEST(*s.on.ready);
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
