#include "actors/reports/log_reader.hpp"
#include "tests/actors/log_api.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(log_reader_test)

namespace {

const std::string path = "/api/v1/namespaces/ns/pods/";

std::shared_ptr<const core::log_policy> rules(const char* pattern) {
  auto out = std::make_shared<core::log_policy>();
  out->rules.push_back({"", k8s::compile_text_pattern(pattern).pattern});
  return out;
}

/// "10 text": a line of this second, with its end.
std::string at(int second, const std::string& text) {
  return "2026-01-31T12:00:" + std::to_string(second) + "Z " + text + "\n";
}

/// A reader with two places, and owners that keep what they are told.
struct reader_fixture : single_actor_fixture {
  struct owner {
    log_owner_actor actor;
    strings told = {}; ///< "45%" of a report, else the problem, if another.
    std::string problem = {};
    int readings = 0; ///< How often it was told whether the log is read.
  };

  /// Reads of pods.
  struct pod_api : k8s::api {
    void send(k8s::request r, std::chrono::milliseconds,
              std::function<void(k8s::result<std::string>)> done) override {
      auto name = r.path.substr(r.path.rfind('/') + 1);
      BOOST_TEST(r.path == path + name);
      auto found =
          uids.count(name) ? uids.at(name) : k8s::result<std::string>{name};
      if (found)
        found = json{{"metadata", {{"uid", *found}}}}.dump();
      auto answer = [done = std::move(done), found] { done(found); };
      if (holds)
        held.push_back(answer);
      else
        answer();
    }
    std::unique_ptr<k8s::watch_session>
    watch(k8s::request, std::chrono::milliseconds, k8s::watch_sink) override {
      return nullptr;
    }

    /// Of those whose UID is not their name.
    std::map<std::string, k8s::result<std::string>> uids;
    bool holds = false;
    std::vector<std::function<void()>> held;
  };

  std::shared_ptr<pod_api> api_of_pods = std::make_shared<pod_api>();
  std::shared_ptr<log_api> api = std::make_shared<log_api>(api_of_pods);
  log_reader_actor reader = spawn(log_reader, log_reader_config{api, 2});
  std::deque<owner> owners;
  std::shared_ptr<const core::log_policy> percent =
      rules(R"((?P<percent>\d+)%)");

  owner& add_owner() {
    auto& o = owners.emplace_back();
    auto actor = spawn([&o]() -> caf::behavior {
      return {[&o](const log_report& r) {
                o.told.push_back(std::to_string(*r.progress.percent) + "%");
              },
              [&o](const log_reading& r) {
                ++o.readings;
                if (std::exchange(o.problem, r.problem) != r.problem)
                  o.told.push_back(r.problem);
              }};
    });
    o.actor = caf::actor_cast<log_owner_actor>(actor);
    return o;
  }

  void follow(const owner& o, const std::string& pod, bool ended = false) {
    send(reader, follow_log{o.actor, "ns", {pod, pod, "main", ended}, percent});
  }
  /// Of the log that was requested so many requests ago.
  log_api::opened_log& log(std::size_t back = 0) {
    return *api->logs.at(api->logs.size() - 1 - back);
  }
  void write(const std::string& bytes, std::size_t back = 0) {
    log(back).sink.bytes(bytes);
    run();
  }
  void end(k8s::result<k8s::nothing> how = k8s::nothing{},
           std::size_t back = 0) {
    log(back).sink.ended(std::move(how));
    run();
  }
  std::size_t requests() const { return api->logs.size(); }
  json state() { return ask(reader, get_report{}); }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(what_rules_find_is_told_at_most_once_a_second,
                        reader_fixture) {
  auto& o = add_owner();
  follow(o, "a");
  BOOST_TEST(log().request.path
             == path
                    + "a/log?container=main&tailLines=1000&timestamps=true"
                      "&follow=true");
  BOOST_TEST(log().request.resource == "pods/log");
  write(at(10, "no rule"));
  BOOST_TEST(o.told.empty());
  write(at(10, "1%") + at(10, "2%"));
  BOOST_TEST(o.told == strings{"2%"}, boost::test_tools::per_element());
  write(at(10, "3%"));
  write("2026-01-31T12:00:10Z \r4%\r5%\r 6");
  BOOST_TEST(o.told.size() == 1);
  advance(1s);
  BOOST_TEST(o.told == (strings{"2%", "5%"}), boost::test_tools::per_element());
  advance(10s);
  BOOST_TEST(o.told.size() == 2);
}

BOOST_FIXTURE_TEST_CASE(after_a_reconnect_nothing_is_read_twice,
                        reader_fixture) {
  auto& o = add_owner();
  follow(o, "a");
  write(at(10, "1%") + at(11, "2%") + at(11, "3%") + "2026-01-31T12:00:12Z 4");
  end(k8s::failure{k8s::ec::unreachable, "reset"});
  BOOST_TEST(o.told == (strings{"3%"}), boost::test_tools::per_element());
  advance(2s);
  BOOST_REQUIRE(requests() == 2);
  BOOST_TEST(log().request.path
             == path
                    + "a/log?container=main&sinceTime=2026-01-31T12%3A00%3A11Z"
                      "&timestamps=true&follow=true");
  BOOST_TEST(log(1).closed);
  write(at(11, "2%") + at(11, "3%"));
  advance(5s);
  BOOST_TEST(o.told.size() == 1);
  write(at(12, "4%"));
  BOOST_TEST(o.told.back() == "4%");
}

BOOST_FIXTURE_TEST_CASE(the_last_lines_are_read_when_the_pod_has_ended,
                        reader_fixture) {
  auto& o = add_owner();
  follow(o, "a");
  write(at(10, "1%"));
  end();
  follow(o, "a", true);
  BOOST_REQUIRE(requests() == 2);
  write(at(10, "1%") + "2026-01-31T12:00:10Z 100%");
  end();
  BOOST_TEST(o.told == (strings{"1%", "100%"}),
             boost::test_tools::per_element());
  BOOST_TEST(state()["open"] == 0);
  advance(1h);
  BOOST_TEST(requests() == 2);
}

BOOST_FIXTURE_TEST_CASE(there_are_so_many_places_and_the_others_wait,
                        reader_fixture) {
  auto& a = add_owner();
  auto& b = add_owner();
  auto& c = add_owner();
  follow(a, "a");
  follow(b, "b");
  follow(c, "c");
  BOOST_TEST(requests() == 2);
  BOOST_REQUIRE(c.told.size() == 1);
  BOOST_TEST(c.told[0].find("as many logs are read as log-streams allows (2)")
             != std::string::npos);
  follow(c, "c");
  BOOST_TEST(c.told.size() == 1);
  BOOST_TEST(state()["waiting"] == 1);
  send(reader, end_log{a.actor.id()});
  BOOST_REQUIRE(requests() == 3);
  BOOST_TEST(log(2).closed);
  BOOST_TEST(c.told.back() == "");
  write(at(10, "7%"));
  BOOST_TEST(c.told.back() == "7%");
  // One that only waited takes no place with it.
  follow(a, "a");
  send(reader, end_log{a.actor.id()});
  BOOST_TEST(state()["waiting"] == 0);
  BOOST_TEST(state()["open"] == 2);
}

BOOST_FIXTURE_TEST_CASE(a_job_that_has_ended_may_say_its_last_lines,
                        reader_fixture) {
  auto& o = add_owner();
  follow(o, "a");
  send(reader, end_log{o.actor.id(), true});
  advance(9s);
  write(at(10, "99%"));
  BOOST_TEST(o.told.back() == "99%");
  advance(2s);
  BOOST_TEST(log().closed);
}

BOOST_FIXTURE_TEST_CASE(that_a_log_is_read_is_told_before_it_says_anything,
                        reader_fixture) {
  auto& o = add_owner();
  api->accepts = false;
  follow(o, "a");
  BOOST_TEST(o.readings == 0);
  log().sink.opened();
  run();
  BOOST_TEST(o.readings == 1);
  BOOST_TEST(o.told.empty());
  // Requested again, it is still read.
  api->accepts = true;
  end(k8s::failure{k8s::ec::unreachable, "reset"});
  advance(2s);
  BOOST_TEST(requests() == 2);
  BOOST_TEST(o.readings == 1);
  // A problem does not end with the next request that is accepted.
  api->accepts = false;
  for (int i = 0; i < log_course::most_failures; ++i) {
    end(k8s::failure{k8s::ec::unreachable, "refused"});
    advance(31s);
  }
  BOOST_TEST(o.readings == 2);
  BOOST_TEST(o.problem.find("refused") != std::string::npos);
  for (int i = 0; i < 10; ++i) {
    log().sink.opened();
    run();
    advance(8s);
    end(k8s::failure{k8s::ec::unreachable, "refused"});
    advance(31s);
  }
  BOOST_TEST(o.readings == 2);
  log().sink.opened();
  run();
  write(at(10, "no rule")); // But with what it says,
  BOOST_TEST(o.readings == 3);
  BOOST_TEST(o.problem == "");
  for (int i = 0; i < log_course::most_failures; ++i) {
    end(k8s::failure{k8s::ec::unreachable, "refused"});
    advance(31s);
  }
  BOOST_TEST(o.readings == 4);
  log().sink.opened();
  run();
  write(at(10, "no rule")); // (which is not what was read before,)
  advance(11s);             // or when it stays open.
  BOOST_TEST(o.readings == 5);
  BOOST_TEST(o.problem == "");
}

BOOST_FIXTURE_TEST_CASE(the_log_of_another_pod_of_the_name_is_not_read,
                        reader_fixture) {
  auto& o = add_owner();
  api_of_pods->uids.emplace("a", std::string{"next"});
  api_of_pods->holds = true;
  follow(o, "a");
  write(at(10, "99%"));
  BOOST_TEST(o.readings == 0); // Nobody knows yet whose it is.
  api_of_pods->held.at(0)();
  run();
  BOOST_TEST(o.told.empty());
  BOOST_TEST(o.readings == 0);
  BOOST_TEST(log(requests() - 1).closed);
  // What the supervisor sees in the end.
  api_of_pods->holds = false;
  send(reader,
       follow_log{o.actor, "ns", {"a", "next", "main", false}, percent});
  BOOST_TEST(log().request.path.find("sinceTime") == std::string::npos);
  write(at(10, "1%"));
  BOOST_TEST(o.told == strings{"1%"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_short_log_waits_until_it_is_known_whose_it_is,
                        reader_fixture) {
  auto& o = add_owner();
  api_of_pods->holds = true;
  follow(o, "a", true);
  write("2026-01-31T12:00:10Z 100%");
  end();
  BOOST_TEST(o.told.empty());
  api_of_pods->held.at(0)();
  run();
  BOOST_TEST(o.told == strings{"100%"}, boost::test_tools::per_element());
  BOOST_TEST(state()["open"] == 0);
}

BOOST_FIXTURE_TEST_CASE(a_pod_that_cannot_be_read_is_tried_again,
                        reader_fixture) {
  auto& o = add_owner();
  api_of_pods->uids.emplace("a", k8s::failure{k8s::ec::unreachable, "away"});
  follow(o, "a");
  write(at(10, "1%"));
  BOOST_TEST(o.told.empty());
  api_of_pods->uids.clear();
  advance(2s);
  BOOST_REQUIRE(requests() == 2);
  write(at(10, "1%"));
  BOOST_TEST(o.told == strings{"1%"}, boost::test_tools::per_element());
  // One that has gone since was read as long as it was there.
  api_of_pods->uids.emplace("a", k8s::failure{k8s::ec::not_found, "gone"});
  end(k8s::failure{k8s::ec::unreachable, "reset"});
  advance(2s);
  write(at(11, "2%"));
  BOOST_TEST(o.told.back() == "2%");
}

BOOST_FIXTURE_TEST_CASE(a_missing_right_is_told_once, reader_fixture) {
  auto& o = add_owner();
  api->accepts = false;
  follow(o, "a");
  for (int i = 0; i < 3; ++i) {
    end(k8s::failure{k8s::ec::forbidden, "cannot get pods/log"});
    advance(61s);
  }
  BOOST_TEST(requests() == 4);
  BOOST_REQUIRE(o.told.size() == 1);
  BOOST_TEST(o.told[0].find("deploy/overlays/pod-logs") != std::string::npos);
  log().sink.opened();
  write(at(10, "1%"));
  BOOST_TEST(o.told == (strings{o.told[0], "", "1%"}),
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(another_pod_is_another_log, reader_fixture) {
  auto& o = add_owner();
  follow(o, "a");
  write(at(30, "80%"));
  follow(o, "b");
  BOOST_TEST(log(1).closed);
  BOOST_TEST(log().request.path.find("/b/log") != std::string::npos);
  BOOST_TEST(log().request.path.find("sinceTime") == std::string::npos);
  write(at(10, "1%"));
  advance(1s);
  BOOST_TEST(o.told == (strings{"80%", "1%"}),
             boost::test_tools::per_element());
  // What comes late of the first one is not read.
  write(at(31, "90%"), 1);
  end(k8s::nothing{}, 1);
  advance(1s);
  BOOST_TEST(o.told.size() == 2);
}

BOOST_FIXTURE_TEST_CASE(other_rules_go_on_in_the_same_log, reader_fixture) {
  auto& o = add_owner();
  follow(o, "a");
  percent = rules(R"(at (?P<percent>\d+))");
  follow(o, "a");
  BOOST_TEST(requests() == 1);
  write(at(10, "1%") + at(10, "at 7"));
  BOOST_TEST(o.told == strings{"7%"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_log_that_is_too_fast_waits_and_then_is_skipped,
                        reader_fixture) {
  auto& o = add_owner();
  follow(o, "a");
  const std::string endless(64u << 10, 'x');
  std::size_t taken = 0;
  // As fast as it is read: no line of it ends.
  for (int tick = 0; tick < 30 && requests() == 1; ++tick) {
    while (log().sink.pause() == 0ms) {
      write(endless);
      taken += endless.size();
    }
    advance(1s);
  }
  BOOST_REQUIRE(requests() == 2);
  BOOST_TEST(taken > 5u << 20);
  BOOST_TEST(taken < 15u << 20);
  BOOST_TEST(log(1).closed);
  BOOST_TEST(log().request.path.find("tailLines=0") != std::string::npos);
  BOOST_TEST(state()["skippedToEnd"] == 1);
  write(at(10, "50%"));
  BOOST_TEST(o.told == strings{"50%"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_log_at_the_pace_is_not_skipped, reader_fixture) {
  auto& o = add_owner();
  follow(o, "a");
  for (int i = 10; i < 60; ++i) {
    for (int n = 0; n < 15; ++n)
      write(std::string(60'000, 'x') + "\n");
    write(at(i, std::to_string(i) + "%"));
    advance(1s);
  }
  BOOST_TEST(requests() == 1);
  BOOST_TEST(o.told.size() == 50);
  BOOST_TEST(o.told.back() == "59%");
}

BOOST_AUTO_TEST_SUITE_END()
