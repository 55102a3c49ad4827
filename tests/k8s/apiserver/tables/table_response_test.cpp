#include "k8s/apiserver/resources/resource_registry.hpp"
#include "k8s/apiserver/tables/table_response.hpp"
#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

#include <algorithm>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(table_response_test)

namespace {

const auto now = *from_rfc3339("2026-01-01T01:00:00Z");

json cells_of(const std::string& plural, json object) {
  resource_registry resources;
  object["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  auto stored = std::make_shared<const stored_object>(std::move(object));
  auto table = make_table(*resources.find("", "v1", plural), {stored},
                          json::object(), now, "None", true);
  BOOST_TEST(table["columnDefinitions"].size()
             == table["rows"][0]["cells"].size());
  BOOST_TEST(!table["rows"][0].contains("object"));
  return table["rows"][0]["cells"];
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_look_as_kubectl_shows_them) {
  struct row {
    const char* status;
    const char* ready;
    const char* shown;
    const char* restarts;
  };
  // clang-format off
  const row rows[] = {
      {R"({"phase":"Pending"})", "0/2", "Pending", "0"},
      {R"({"phase":"Failed","reason":"Evicted"})", "0/2", "Evicted", "0"},
      {R"({"phase":"Running","containerStatuses":[
          {"ready":true,"restartCount":2,"state":{"running":{}}},
          {"ready":false,"restartCount":1,"state":{"running":{}}}]})",
       "1/2", "Running", "3"},
      {R"({"phase":"Pending","containerStatuses":[
          {"state":{"waiting":{"reason":"ImagePullBackOff"}}}]})",
       "0/2", "ImagePullBackOff", "0"},
      {R"({"phase":"Failed","reason":"NoCommand","containerStatuses":[
          {"state":{"waiting":{"reason":"ContainerCreating"}}}]})",
       "0/2", "NoCommand", "0"},
      {R"({"phase":"Failed","containerStatuses":[
          {"state":{"terminated":{"reason":"OOMKilled"}}}]})",
       "0/2", "OOMKilled", "0"},
      {R"({"phase":"Failed","containerStatuses":[
          {"state":{"terminated":{"exitCode":3}}}]})",
       "0/2", "ExitCode:3", "0"},
      {R"({"phase":"Running","containerStatuses":[
          {"ready":true,"state":{"running":{}}},
          {"state":{"terminated":{"reason":"Completed"}}}]})",
       "1/2", "NotReady", "0"},
      {R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}],
          "containerStatuses":[{"ready":true,"state":{"running":{}}},
          {"state":{"terminated":{"reason":"Completed"}}}]})",
       "1/2", "Running", "0"},
      {R"({"phase":"Failed","containerStatuses":[
          {"state":{"terminated":{"exitCode":0,"signal":9}}}]})",
       "0/2", "Signal:9", "0"},
      {R"({"phase":"Running","containerStatuses":[{"restartCount":1,
          "lastState":{"terminated":{"finishedAt":"2026-01-01T00:55:00Z"}},
          "ready":true,"state":{"running":{}}}]})",
       "1/2", "Running", "1 (5m ago)"},
      {R"({"phase":"Pending","initContainerStatuses":[{"restartCount":1,
          "state":{"terminated":{"exitCode":1,"reason":"Error"}}}]})",
       "0/2", "Init:Error", "1"},
      {R"({"phase":"Pending","initContainerStatuses":[
          {"state":{"terminated":{"exitCode":0}}},
          {"state":{"running":{}}}]})",
       "0/2", "Init:1/0", "0"},
  };
  // clang-format on
  for (const auto& r : rows) {
    json pod{{"metadata", {{"name", "p"}}},
             {"spec", {{"containers", {1, 2}}}},
             {"status", json::parse(r.status)}};
    auto cells = cells_of("pods", pod);
    json expected{"p", r.ready, r.shown, r.restarts, "60m"};
    cells.erase(cells.begin() + 5, cells.end());
    BOOST_TEST(cells == expected, cells);
    pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    bool over = text_at(pod, {"status", "phase"}) == "Failed";
    BOOST_TEST(cells_of("pods", pod)[2] == (over ? r.shown : "Terminating"));
  }
}

BOOST_AUTO_TEST_CASE(a_sidecar_is_a_container_among_others) {
  struct row {
    const char* status;
    const char* ready;
    const char* shown;
    const char* restarts;
  } rows[] = {
      {R"({"phase":"Pending","initContainerStatuses":[
          {"name":"side","started":false,"state":{"waiting":{}}}]})",
       "0/2", "Init:0/2", "0"},
      {R"({"phase":"Pending","initContainerStatuses":[
          {"name":"side","started":true,"ready":true,"restartCount":2},
          {"name":"prep","restartCount":1,"state":{"running":{}}}]})",
       "1/2", "Init:1/2", "3"},
      {R"({"phase":"Running","initContainerStatuses":[
          {"name":"side","started":true,"ready":true,"restartCount":2},
          {"name":"prep","restartCount":1,
           "state":{"terminated":{"exitCode":0}}}],
          "containerStatuses":[{"ready":true,"state":{"running":{}}}]})",
       "2/2", "Running", "2"},
  };
  for (const auto& r : rows) {
    json pod{{"metadata", {{"name", "p"}}},
             {"spec",
              {{"containers", {{{"name", "main"}}}},
               {"initContainers",
                {{{"name", "side"}, {"restartPolicy", "Always"}},
                 {{"name", "prep"}}}}}},
             {"status", json::parse(r.status)}};
    auto cells = cells_of("pods", pod);
    cells.erase(cells.begin() + 5, cells.end());
    json expected{"p", r.ready, r.shown, r.restarts, "60m"};
    BOOST_TEST(cells == expected, cells);
  }
}

BOOST_AUTO_TEST_CASE(a_cell_without_a_value_says_so) {
  auto cells = cells_of("services", {{"metadata", {{"name", "s"}}},
                                     {"spec", {{"type", "ClusterIP"}}}});
  BOOST_TEST(std::count(cells.begin(), cells.end(), "<none>") >= 2);
  cells = cells_of("services", {{"metadata", {{"name", "s"}}},
                                {"spec",
                                 {{"selector", {{"a", "1"}, {"b", "2"}}},
                                  {"ports",
                                   {{{"port", 80}, {"protocol", "TCP"}},
                                    {{"port", 53}, {"protocol", "UDP"}}}}}}});
  BOOST_TEST(std::count(cells.begin(), cells.end(), "80/TCP,53/UDP") == 1);
  BOOST_TEST(std::count(cells.begin(), cells.end(), "a=1,b=2") == 1);
}

BOOST_AUTO_TEST_CASE(nodes_look_as_kubectl_shows_them) {
  struct row {
    const char* node;
    const char* status;
    const char* roles;
  } rows[] = {
      {R"({})", "Unknown", "<none>"},
      {R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})",
       "Ready", "<none>"},
      {R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]},
          "metadata":{"labels":{"node-role.kubernetes.io/worker":"","x":""}}})",
       "NotReady", "worker"},
      {R"({"status":{"conditions":[{"type":"Ready","status":"True"}]},
          "spec":{"unschedulable":true}})",
       "Ready,SchedulingDisabled", "<none>"},
  };
  for (const auto& r : rows) {
    auto cells = cells_of("nodes", json::parse(r.node));
    BOOST_TEST(cells[1] == r.status);
    BOOST_TEST(cells[2] == r.roles);
  }
}

BOOST_AUTO_TEST_CASE(tables_show_the_printer_columns) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  json conditions = {{{"type", "Created"}}, {{"type", "Running"}}};
  s.merge(jobs + "/j/status", {{"status", {{"conditions", conditions}}}});
  auto r = s.request("GET", jobs);
  r.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  s.now += std::chrono::seconds{192};
  auto a = s.ask(r);
  BOOST_TEST(a["/kind"] == "Table");
  BOOST_TEST(a["/columnDefinitions/1/name"] == "State");
  BOOST_TEST(a["/rows/0/cells"] == (json{"j", "Running", "3m12s"}));
  BOOST_TEST(a["/rows/0/object/metadata/name"] == "j");
}

BOOST_AUTO_TEST_CASE(a_row_contains_as_much_of_its_object_as_asked_for) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  struct row {
    const char* query;
    const char* kind; ///< Of the object; "": none.
  } rows[] = {{"", "PartialObjectMetadata"},
              {"?includeObject=Metadata", "PartialObjectMetadata"},
              {"?includeObject=Object", "Job"},
              {"?includeObject=None", ""}};
  for (const auto& r : rows) {
    auto request = s.request("GET", jobs + r.query);
    request.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
    auto a = s.ask(request);
    BOOST_TEST(text_at(a["/rows/0"], {"object", "kind"}) == r.kind, r.query);
  }
}

BOOST_AUTO_TEST_SUITE_END()
