#include "frameworks/core/belongings.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

namespace {

/// A belonging as a watcher sees it.
void see(situation& s, core::child what, const std::string& name,
         const std::string& body, std::uint64_t version = 1) {
  k8s::object o;
  o.meta.name = name;
  o.meta.uid = core::resource_of(what).kind + name;
  o.meta.version = version;
  o.meta.owners.push_back(
      {"kubeflow.org/v1", s.j.kind->type.kind, s.j.name, s.j.uid, true});
  o.state = k8s::whole_state{body};
  bool changed = false;
  s.seen.saw(what, o, s.j, 1, changed);
}

/// As if every creation had been carried out.
void carry_out(situation& s) {
  for (const auto& d : s.last.decisions)
    if (auto* c = std::get_if<core::create_child>(&d);
        c && !core::fills_place(c->what))
      see(s, c->what, c->wanted.name, c->wanted.body);
}

situation mpi() {
  return situation{make_job_of("MPIJob").type("Launcher", 1).type("Worker", 1)};
}

} // namespace

BOOST_AUTO_TEST_SUITE(belongings)

BOOST_AUTO_TEST_CASE(pods_wait_for_what_they_need) {
  auto s = mpi();
  s.pass();
  BOOST_TEST(
      s.decided()
          == (words{"create service account job-launcher",
                    "create config map job-config", "create role job-launcher",
                    "create role binding job-launcher"}),
      boost::test_tools::per_element());
  BOOST_TEST(s.last.verdict == "waits for what its pods need to be made");
  carry_out(s);
  s.pass();
  BOOST_TEST(s.decided()
                 == (words{"create pod launcher-0", "create pod worker-0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_differs_is_corrected_once) {
  auto s = mpi();
  s.pass();
  carry_out(s);
  see(s, core::child::config_map, "job-config", R"({"data":{}})", 2);
  s.pass();
  BOOST_REQUIRE(!s.decided().empty());
  BOOST_TEST(s.decided()[0] == "update config map job-config");
  auto wanted = std::get<core::update_child>(s.last.decisions[0]).wanted;
  // What the server makes of it is what it makes of it.
  s.seen.answered(core::child::config_map, "ConfigMapjob-config", wanted.body);
  s.pass();
  BOOST_TEST(s.decided()[0] == "create pod launcher-0");
  // Unless somebody changes it again.
  see(s, core::child::config_map, "job-config", R"({"data":{"a":"b"}})", 3);
  s.pass();
  BOOST_TEST(s.decided()[0] == "update config map job-config");
}

BOOST_AUTO_TEST_CASE(what_the_server_made_of_it_stays_when_a_status_comes) {
  auto s = mpi();
  s.pass();
  carry_out(s);
  const char* name = "ConfigMapjob-config";
  auto held = [&](int turn, const char* spec) {
    see(s, core::child::config_map, "job-config",
        json{{"spec", spec}, {"status", turn}}.dump(), turn);
  };
  held(2, "rewritten");
  s.pass();
  auto wanted = std::get<core::update_child>(s.last.decisions[0]).wanted;
  s.seen.answered(core::child::config_map, name, wanted.body);
  for (int turn = 3; turn < 6; ++turn) {
    held(turn, "rewritten");
    s.pass();
    BOOST_TEST(s.decided()[0] == "create pod launcher-0");
  }
  held(6, "meddled with");
  s.pass();
  BOOST_TEST(s.decided()[0] == "update config map job-config");
}

BOOST_AUTO_TEST_CASE(what_the_server_adds_is_its_own_affair) {
  auto s = mpi();
  s.pass();
  carry_out(s);
  for (const auto& d : s.last.decisions)
    if (auto* c = std::get_if<core::create_child>(&d);
        c && c->what == core::child::role) {
      auto body = json::parse(c->wanted.body);
      body["aggregated"] = true;
      see(s, core::child::role, "job-launcher", body.dump(), 2);
    }
  s.pass();
  BOOST_TEST(s.decided()[0] == "create pod launcher-0");
}

BOOST_AUTO_TEST_CASE(what_is_not_wanted_goes) {
  auto b = make_job_of("PyTorchJob").workers(1);
  situation s{b};
  see(s, core::child::autoscaler, "job", R"({"spec":{}})");
  s.pass();
  BOOST_TEST(s.decided()[0] == "remove autoscaler job");
}

BOOST_AUTO_TEST_CASE(a_suspended_job_makes_nothing) {
  situation s{
      make_job_of("MPIJob").type("Launcher", 1).type("Worker", 1).suspended()};
  s.pass();
  BOOST_TEST(s.decided().empty());
}

BOOST_AUTO_TEST_SUITE_END()
