#include "frameworks/di/dijob_pods.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/fixtures/random_lives.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <set>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(dijob_lives_test)

namespace {

/// A DIJob to which random things happen, each from one seed.
struct random_life : cluster_fixture {
  explicit random_life(unsigned seed)
      : random(seed) {
    auto spec = di_spec();
    policy = pick({"Running", "All", "None"});
    spec["cleanPodPolicy"] = policy;
    auto job = manifest_of("DIJob", spec, "cp");
    job["apiVersion"] = "diengine.opendilab.org/v1alpha1";
    make("dijobs", job);
  }

  int number(int below) {
    return std::uniform_int_distribution<int>{0, below - 1}(random);
  }
  std::string pick(const std::vector<std::string>& from) {
    return from[static_cast<std::size_t>(
        number(static_cast<int>(from.size())))];
  }

  std::vector<std::string> names(const std::string& plural) {
    std::vector<std::string> result;
    for (const auto& [key, o] : api->all(plural))
      result.push_back(o["metadata"]["name"]);
    return result;
  }

  std::string phase() {
    return get("dijobs", "cp").value("/status/phase"_json_pointer, "");
  }
  bool is_finished() { return phase() == "Succeeded" || phase() == "Failed"; }

  /// As di-server creates it; the name may be taken.
  void make_pod() {
    auto j = make_dijob(di_spec());
    j.ns = "ns";
    j.uid = get("dijobs", "cp")["metadata"]["uid"];
    frameworks::di::pod_order order;
    order.role = pick({"collector", "learner", "aggregator", "ddp-learner"});
    order.name = core::child_name(j, {order.role, number(4)});
    order.pod_template = di_template().dump();
    auto made = frameworks::di::make_pod(j, order);
    if (!api->find("pods", "ns/" + order.name))
      api->create("pods", json::parse(made->body));
  }

  void erase(const char* plural) {
    if (auto all = names(plural); !all.empty())
      api->erase(plural, "ns/" + pick(all));
  }

  void change_pod() {
    auto all = names("pods");
    if (all.empty())
      return;
    auto name = pick(all);
    bool ended = get("pods", name)
                     .value("/status/phase"_json_pointer, "Pending")
                     .find("ed")
                 != std::string::npos;
    // The coordinator ends last.
    bool may_end = name != "cp-coordinator" || number(6) == 0;
    if (!ended)
      set_pod(name,
              may_end ? pick({"Running", "Succeeded", "Failed"}).c_str()
                      : "Running",
              number(2));
  }

  void happen() {
    switch (number(7)) {
    case 0:
    case 1:
      return make_pod();
    case 2:
      return erase("pods");
    case 3:
      return erase("services");
    case 4:
      return restart();
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

  strings find_misfits() {
    strings result;
    auto pods = names("pods");
    auto services = names("services");
    if (is_finished()) {
      if (!services.empty())
        result.push_back("services of a finished job: " + services.front());
      if (policy == "All" && !pods.empty())
        result.push_back("a pod under All: " + pods.front());
      for (const auto& name : pods)
        if (policy == "Running"
            && get("pods", name)["status"]["phase"] == "Running")
          result.push_back("a pod that runs: " + name);
      return result;
    }
    if (pods != services)
      result.push_back("pods and services differ");
    if (!api->find("pods", "ns/cp-coordinator"))
      result.push_back("no coordinator");
    return result;
  }

  std::mt19937 random;
  std::string policy;
};

} // namespace

BOOST_AUTO_TEST_CASE(whatever_happens_a_job_and_its_children_fit_in_the_end) {
  unsigned ended = 0;
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
      BOOST_TEST(s.find_misfits() == strings{},
                 boost::test_tools::per_element());
      // Nothing is left to be done, also for a new process.
      auto before = s.writes();
      s.restart();
      s.op.advance(900s);
      BOOST_TEST(s.writes() == before);
    }
  BOOST_TEST(ended > fixtures::random_lives / 10);
}

BOOST_AUTO_TEST_SUITE_END()
