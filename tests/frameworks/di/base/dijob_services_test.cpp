#include "frameworks/core/observed/observed.hpp"
#include "frameworks/di/base/dijob_services.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
namespace di = frameworks::di;

BOOST_AUTO_TEST_SUITE(dijob_services_test)

namespace {

using ports = std::vector<k8s::declared_port>;

json service_of(const char* role, ports declared, json spec = di_spec()) {
  auto j = make_dijob(std::move(spec));
  auto p = pod(role, 1);
  p.state().ports = std::make_shared<const ports>(std::move(declared));
  job_fixture s{j};
  s.observe(p);
  return json::parse(di::make_service_json(j, *s.seen.pods().begin()));
}

std::string ports_of(const json& service) {
  std::string out;
  for (const auto& p : service["spec"]["ports"])
    out += (out.empty() ? "" : " ") + p["name"].get<std::string>() + "="
           + std::to_string(p["port"].get<int>())
           + (p.contains("protocol") ? "/" + p["protocol"].get<std::string>()
                                     : "");
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_readiness_check_does_not_hide_the_address) {
  for (const char* role : {"collector", "ddp-learner", "coordinator"}) {
    auto spec = di_spec();
    auto section = std::string{role} == "ddp-learner" ? "learner" : role;
    spec[section]["template"]["spec"]["readinessGates"] = {
        {{"conditionType", "x/y"}}};
    for (const char* of : {"collector", "ddp-learner", "coordinator"})
      BOOST_TEST(
          service_of(of, {}, spec)["spec"].contains("publishNotReadyAddresses")
          == (std::string{of} == role));
  }
}

BOOST_AUTO_TEST_CASE(a_service_has_the_labels_and_owners_of_its_pod) {
  auto service = service_of("collector", {});
  json labels{{"group-name", "diengine.opendilab.org"},
              {"controller-name", "di-operator"},
              {"dijob-name", "cp"},
              {"replica-type", "collector"},
              {"pod-name", "cp-collector-bbbbc"}};
  BOOST_TEST(
      (service
       == (json{{"apiVersion", "v1"},
                {"kind", "Service"},
                {"metadata",
                 {{"name", "cp-collector-bbbbc"},
                  {"namespace", "default"},
                  {"labels", labels},
                  {"ownerReferences",
                   {{{"apiVersion", "diengine.opendilab.org/v1alpha1"},
                     {"kind", "DIJob"},
                     {"name", "cp"},
                     {"uid", "job-uid"},
                     {"controller", true}}}}}},
                {"spec",
                 {{"type", "ClusterIP"},
                  {"clusterIP", "None"},
                  {"selector", labels},
                  {"ports", {{{"name", "di-port"}, {"port", 22270}}}}}}})));
}

BOOST_AUTO_TEST_CASE(the_ports_are_those_of_the_main_container) {
  const std::tuple<const char*, ports, const char*> rows[] = {
      {"learner", {}, "di-port=22271"},
      {"learner", {{"di-container", "di-port", 80}}, "di-port=80"},
      {"learner", {{"di-container", "di-port", 80, "TCP"}}, "di-port=80"},
      {"learner", {{"di-container", "di-port", 80, "UDP"}}, "di-port=80/UDP"},
      {"learner", {{"side", "di-port", 80}}, "di-port=22271"},
      {"learner",
       {{"di-container", "web", 80}, {"di-container", "gpu-port-1", 81}},
       "di-port=22271"},
      {"ddp-learner",
       {{"di-container", "di-port", 22271},
        {"di-container", "gpu-port-1", 22272},
        {"di-container", "gpu-port-2", 22273, "SCTP"},
        {"di-container", "master-port", 10314},
        {"di-container", "web", 80}},
       "di-port=22271 gpu-port-1=22272 gpu-port-2=22273/SCTP "
       "master-port=10314"},
  };
  for (const auto& [role, declared, expected] : rows)
    BOOST_TEST(ports_of(service_of(role, declared)) == expected);
}

BOOST_AUTO_TEST_SUITE_END()
