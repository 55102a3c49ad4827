#include "k8s/node/containers/container_plan.hpp"
#include "k8s/node/pods/unsupported_fields.hpp"
#include "tests/k8s/node/namespaces/sample_sandbox.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_CASE(a_plan_adds_what_the_host_gives) {
  auto c = json::parse(R"j({"name":"c","command":["run","$(A)"],
    "args":["$$(A)","$(PATH)"],
    "env":[{"name":"A","value":"1"},{"name":"HOME","value":"/mine"},
           {"name":"LD_PRELOAD","value":"/theirs.so"}]})j");
  container_plan plan;
  BOOST_REQUIRE(!make_container_plan(pod, c, sandbox(), {}, plan));
  BOOST_TEST(plan.argv
                 == (std::vector<std::string>{"run", "1", "$(A)", "$(PATH)"}),
             boost::test_tools::per_element());
  BOOST_TEST(plan.env["PATH"] == "/run/tools/path:/bin");
  BOOST_TEST(plan.env["TROUPE_PODS"] == "/run/pods/n");
  BOOST_TEST(plan.env["TROUPE_POD_NAME"] == "p");
  BOOST_TEST(plan.env["TROUPE_HOSTNAME"] == "host");
  BOOST_TEST(plan.env["HOME"] == "/mine");
  BOOST_TEST(plan.env["HOSTNAME"] == "host");
  BOOST_TEST(plan.env["LD_PRELOAD"] == "/run/lib.so:/theirs.so");
  BOOST_TEST(plan.directory == "/");
}

BOOST_AUTO_TEST_CASE(paths_lead_to_the_file_for_termination_messages) {
  auto s = sandbox();
  s.termination_directory = "/run/messages";
  json c{{"name", "c"}, {"terminationMessagePath", "/dev/termination-log"}};
  container_plan plan;
  BOOST_REQUIRE(!make_container_plan(pod, c, s, {}, plan));
  BOOST_TEST(plan.env["TROUPE_PATHS"]
             == "/dev/termination-log:/run/messages/c");
  s.isolation = isolation_kind::none;
  container_plan without;
  BOOST_REQUIRE(!make_container_plan(pod, c, s, {}, without));
  BOOST_TEST(without.env.count("TROUPE_PATHS") == 0u);
}

BOOST_AUTO_TEST_CASE(a_launcher_of_open_mpi_is_told_to_use_pod_addresses) {
  struct {
    const char* launcher; ///< Of environment or command.
    const char* word;
    const char* excluded;
  } rows[] = {
      {"OMPI_MCA_plm_rsh_agent", "run", "lo"},
      {"OMPI_MCA_orte_default_hostfile", "run", "lo"},
      {"OMPI_MCA_plm_rsh_agent", "btl_tcp_if_include", ""},
      {"OTHER", "run", ""},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.launcher << " " << row.word) {
      json c{{"name", "c"},
             {"command", {"mpirun", row.word}},
             {"env", json::array({{{"name", row.launcher}, {"value", "a"}}})}};
      container_plan plan;
      BOOST_REQUIRE(!make_container_plan(pod, c, sandbox(), {}, plan));
      BOOST_TEST(plan.env["OMPI_MCA_btl_tcp_if_exclude"] == row.excluded);
    }
}

BOOST_AUTO_TEST_CASE(known_images_have_a_tool_in_their_place) {
  struct {
    const char* image;
    bool known;
  } rows[] = {
      {"kubectl-delivery", true},
      {"kubeflow/kubectl-delivery:latest", true},
      {"registry:5000/a/kubectl-delivery@sha256:0", true},
      {"kubectl-delivery-2", false},
      {"kubectl-delivery/other", false},
      {"", false},
  };
  for (const auto& row : rows)
    BOOST_TEST_CONTEXT(row.image) {
      json c{{"name", "c"}, {"image", row.image}};
      auto p = pod;
      p["spec"]["initContainers"] = json::array({c});
      BOOST_TEST(!find_unsupported_field_error(p) == row.known);
      container_plan plan;
      BOOST_REQUIRE(!make_container_plan(pod, c, sandbox(), {}, plan));
      BOOST_TEST(plan.argv.empty() == !row.known);
      c["command"] = {"mine"};
      BOOST_TEST(builtin_tool_if_no_command(c) == "");
    }
}
