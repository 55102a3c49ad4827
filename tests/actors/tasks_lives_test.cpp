#include "tests/actors/tasks_fixture.hpp"
#include "tests/fixtures/random_lives.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <set>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(tasks_lives_test)

namespace {

/// A DIJob of tasks to which random things happen, each from one seed.
struct random_life : tasks_fixture {
  explicit random_life(unsigned seed)
      : random(seed) {
    auto spec = tasks_spec();
    policy = pick({"Running", "All", "None"});
    spec["cleanPodPolicy"] = policy;
    limit = number(5);
    spec["backoffLimit"] = limit;
    spec["preemptible"] = number(3) == 0;
    make_job(spec);
  }

  int number(int below) {
    return std::uniform_int_distribution<int>{0, below - 1}(random);
  }
  std::string pick(const std::vector<std::string>& from) {
    return from[static_cast<std::size_t>(
        number(static_cast<int>(from.size())))];
  }

  bool is_finished() { return phase() == "Succeeded" || phase() == "Failed"; }

  void erase(const char* plural) {
    if (auto all = names(plural); !all.empty())
      api->erase(plural, "ns/" + pick(all));
  }

  void scale() {
    change("dijobs", "cp", [&](json& j) {
      auto& tasks = j["spec"]["tasks"];
      if (number(6) == 0 && tasks.size() > 1)
        tasks.erase(0);
      else
        tasks[0]["replicas"] = 1 + number(3);
    });
  }

  void fail_pod(const std::string& pod) {
    auto reason = pick({"", "", "", "OutOfcpu", "UnexpectedAdmissionError"});
    fail(pod, number(2) == 0 ? 1 : 143, reason);
    failures += reason.empty();
  }

  void change_pod() {
    auto all = names("pods");
    if (all.empty())
      return;
    auto name = pick(all);
    auto now = get("pods", name).value("/status/phase"_json_pointer, "Pending");
    if (now == "Failed" || now == "Succeeded")
      return;
    switch (number(5)) {
    case 0:
      return fail_pod(name);
    case 1:
    case 2:
      return set_pod(name, "Succeeded");
    default:
      return set_ready(name);
    }
  }

  void happen() {
    switch (number(9)) {
    case 0:
      return erase("pods");
    case 1:
      return erase("services");
    case 2:
      return restart();
    case 3:
      return scale();
    case 4:
      return op.advance(20s);
    default:
      return change_pod();
    }
  }

  /// Some writes are refused, or their answers are lost.
  void run_badly() {
    auto code = number(2) == 0 ? k8s::ec::forbidden : k8s::ec::server_error;
    run_failing(
        [&](const k8s::request& r) {
          return r.method != k8s::verb::list && r.method != k8s::verb::watch
                 && number(4) == 0;
        },
        {code, "no"});
  }

  strings wanted_pods() {
    std::set<std::string> result;
    for (const auto& task : get("dijobs", "cp")["spec"]["tasks"])
      for (int i = 0; i < task["replicas"].get<int>(); ++i)
        result.insert("cp-" + task["type"].get<std::string>() + "-"
                      + std::to_string(i));
    return {result.begin(), result.end()};
  }

  strings find_misfits() {
    strings result;
    auto told = status();
    if (told["restarts"] > limit)
      result.push_back("restarted beyond its limit");
    if (told["restarts"] > failures)
      result.push_back("restarted more often than pods have failed");
    auto pods = names("pods");
    if (is_finished()) {
      if (count("services") > 0)
        result.push_back("a service of a finished job");
      if (policy == "All" && !pods.empty())
        result.push_back("a pod under All: " + pods.front());
      for (const auto& name : pods)
        if (policy == "Running"
            && get("pods", name).value("/status/phase"_json_pointer, "")
                   == "Running")
          result.push_back("a pod that runs: " + name);
      return result;
    }
    if (pods != wanted_pods())
      result.push_back("pods are not those of the tasks");
    if (names("services") != strings{"di-cp"})
      result.push_back("not one service");
    if (phase() != "Starting" && phase() != "Running")
      result.push_back("with all pods it is " + phase());
    for (const auto& name : pods)
      if (get("pods", name).value("/status/phase"_json_pointer, "") == "Failed")
        result.push_back("a failed pod: " + name);
    return result;
  }

  std::mt19937 random;
  std::string policy;
  int limit = 0;
  int failures = 0;
};

} // namespace

BOOST_AUTO_TEST_CASE(whatever_happens_a_job_and_its_children_fit_in_the_end) {
  unsigned ended = 0;
  unsigned restarted = 0;
  for (unsigned seed = 1; seed <= fixtures::random_lives; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) {
      random_life s{seed};
      auto most = s.number(25);
      for (int i = 0; i < most; ++i) {
        s.happen();
        s.run_badly();
      }
      s.op.advance(900s);
      ended += s.is_finished();
      restarted += s.status()["restarts"] > 0;
      BOOST_TEST(s.find_misfits() == strings{},
                 boost::test_tools::per_element());
      // Nothing is left to be done, also for a new process.
      auto before = s.writes();
      s.restart();
      s.op.advance(900s);
      BOOST_TEST(s.writes() == before);
    }
  BOOST_TEST(ended > fixtures::random_lives / 10);
  BOOST_TEST(restarted > fixtures::random_lives / 10);
}

BOOST_AUTO_TEST_SUITE_END()
