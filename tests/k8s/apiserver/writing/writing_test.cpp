#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(writing)

BOOST_AUTO_TEST_CASE(a_created_pod_is_stamped_and_completed) {
  server_fixture s;
  auto a = s.post(pods, pod("a"));
  BOOST_TEST(a.status == 201);
  BOOST_TEST(a["/metadata/creationTimestamp"] == "2026-01-01T00:00:00Z");
  BOOST_TEST(a["/metadata/uid"].get<std::string>().size() == 36u);
  BOOST_TEST(a["/metadata/namespace"] == "default");
  BOOST_TEST(a["/status/phase"] == "Pending");
  BOOST_TEST(a["/spec/restartPolicy"] == "Always");
  BOOST_TEST(a["/spec/dnsPolicy"] == "ClusterFirst");
  BOOST_TEST(a["/spec/terminationGracePeriodSeconds"] == 30);
  BOOST_TEST(a["/spec/schedulerName"] == "default-scheduler");
  BOOST_TEST(a["/spec/containers/0/imagePullPolicy"] == "Always");
  BOOST_TEST(a["/spec/containers/0/terminationMessagePath"]
             == "/dev/termination-log");
  BOOST_TEST(s.get(pods + "/a").body == a.body);
}

BOOST_AUTO_TEST_CASE(two_servers_with_the_same_seed_agree) {
  server_fixture a, b;
  BOOST_TEST(a.post(pods, pod("x")).body == b.post(pods, pod("x")).body);
}

BOOST_AUTO_TEST_CASE(creations_are_refused_by_their_fault) {
  server_fixture s;
  s.post(pods, pod("taken"));
  auto named = [](const char* key, json value) {
    auto p = pod("p");
    p["metadata"][key] = std::move(value);
    return p;
  };
  auto spec = [](const char* pointer, json value) {
    auto p = pod("p");
    p[json::json_pointer(pointer)] = std::move(value);
    return p;
  };
  struct {
    json body;
    int status;
    std::string reason, part;
  } rows[] = {
      {pod("taken"), 409, "AlreadyExists", "pods \"taken\" already exists"},
      {pod(""), 422, "Invalid",
       "metadata.name: Required value: name or generateName is required"},
      {pod("Big"), 422, "Invalid",
       "Pod \"Big\" is invalid: metadata.name: Invalid value: \"Big\": a "
       "lowercase RFC 1123 subdomain"},
      {named("namespace", "other"), 400, "BadRequest", "does not match"},
      {named("labels", {{"a", "-b"}}), 422, "Invalid", "metadata.labels"},
      {named("resourceVersion", "3"), 400, "BadRequest",
       "resourceVersion should not be set"},
      {spec("/spec/restartPolicy", "Maybe"), 422, "Invalid",
       "spec.restartPolicy: Unsupported value: \"Maybe\": supported values: "
       "\"Always\", \"OnFailure\", \"Never\""},
      {spec("/kind", "Service"), 400, "BadRequest", "kind"},
      {spec("/apiVersion", "v2"), 400, "BadRequest",
       "the API version in the data (v2) does not match"},
      {json::array(), 400, "BadRequest", "must be an object"},
  };
  for (const auto& row : rows) {
    auto a = s.post(pods, row.body);
    BOOST_TEST_CONTEXT(row.part << " / " << a.body) {
      BOOST_TEST(a.status == row.status);
      BOOST_TEST(a.reason() == row.reason);
      BOOST_TEST(a.says(row.part));
      BOOST_TEST(a["/kind"] == "Status");
      BOOST_TEST(a["/code"] == row.status);
    }
  }
  auto two = pod("p");
  two["spec"]["containers"][0].erase("image");
  two["spec"]["restartPolicy"] = "x";
  BOOST_TEST(s.post(pods, two)["/details/causes"].size() == 2u);
}

BOOST_AUTO_TEST_CASE(odd_bodies_do_no_harm) {
  server_fixture s;
  for (std::string text :
       {"", "{", "null", "1", "{\"metadata\":1}", "{\"metadata\":null}",
        "{\"metadata\":{\"name\":1}}",
        "{\"metadata\":{\"name\":\"a\"},"
        "\"spec\":[]}",
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{"
        "\"containers\":{}}}",
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[1,null]}}",
        "{\"metadata\":{\"name\":\"a\",\"labels\":[],\"annotations\":1,"
        "\"ownerReferences\":[1],\"finalizers\":{}},\"spec\":{\"containers\":"
        "[{\"ports\":[1],\"env\":[null],\"volumeMounts\":[2]}],\"volumes\":"
        "[3]}}"}) {
    for (auto path : {pods, maps, std::string("/api/v1/namespaces"),
                      std::string("/api/v1/namespaces/default/services"),
                      std::string("/apis/apiextensions.k8s.io/v1/"
                                  "customresourcedefinitions")}) {
      auto r = s.request("POST", path);
      r.body = text;
      auto a = s.ask(r);
      BOOST_TEST((a.status == 201 || (a.status >= 400 && a.status < 500)),
                 path << " " << text << " " << a.status);
    }
  }
}

// Every value of a good body in turn becomes something odd.
BOOST_AUTO_TEST_CASE(no_odd_value_anywhere_does_harm) {
  server_fixture s;
  auto p = pod("a");
  p["metadata"]["finalizers"] = {"x/y"};
  p["metadata"]["labels"] = {{"a", "b"}};
  p["metadata"]["ownerReferences"] = {
      {{"apiVersion", "v1"}, {"kind", "K"}, {"name", "n"}, {"uid", "u"}}};
  p["spec"]["volumes"] = {{{"name", "v"}, {"secret", {{"secretName", "s"}}}}};
  auto& c = p["spec"]["containers"][0];
  c["ports"] = {{{"containerPort", 1}}};
  c["env"] = {
      {{"name", "E"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "x"}}}}}}};
  c["volumeMounts"] = {{{"name", "v"}, {"mountPath", "/x"}}};
  p["status"] = {{"phase", "Running"},
                 {"containerStatuses",
                  {{{"name", "c"}, {"state", {{"running", json::object()}}}}}}};
  json svc = {{"metadata", {{"name", "a"}}},
              {"spec",
               {{"clusterIP", "None"},
                {"selector", {{"a", "b"}}},
                {"ports", {{{"name", "x"}, {"port", 80}}}}}}};
  auto table = s.request("GET", pods);
  table.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const json odds =
      json::parse(R"([null, -1, "", 1.5, true, [], {}, [1], {"x": null}])");
  std::string services = "/api/v1/namespaces/default/services";
  auto suffer = [&](const std::string& path, const json& good,
                    const json& bad) {
    if (s.post(path, bad).status != 201)
      s.post(path, good);
    for (auto type : {"application/merge-patch+json",
                      "application/strategic-merge-patch+json"})
      for (auto sub : {"/a", "/a/status"})
        BOOST_TEST(s.call("PATCH", path + sub, bad, type).status < 500);
    s.post(path + "/a/binding", bad);
    BOOST_TEST(s.ask(table).status == 200);
    s.drop(path + "/a", bad);
    s.merge(path + "/a", {{"metadata", {{"finalizers", nullptr}}}});
    s.core.collect_garbage();
    s.drop(path + "/a", {{"gracePeriodSeconds", 0}});
  };
  for (const auto& [path, good] :
       {std::make_pair(pods, p), std::make_pair(services, svc)}) {
    auto flat = good.flatten();
    for (const auto& [where, value] : flat.items())
      for (auto up = json::json_pointer(where); !up.empty();
           up = up.parent_pointer())
        for (const auto& odd : odds) {
          auto bad = good;
          bad[up] = odd;
          suffer(path, good, bad);
        }
  }
}

BOOST_AUTO_TEST_CASE(binding_sets_the_node_once) {
  server_fixture s;
  s.post(pods, pod("a"));
  json b{{"target", {{"name", "n1"}}}};
  BOOST_TEST(s.post(pods + "/a/binding", b).status == 201);
  auto a = s.get(pods + "/a");
  BOOST_TEST(a["/spec/nodeName"] == "n1");
  BOOST_TEST(a["/status/conditions/0/type"] == "PodScheduled");
  BOOST_TEST(s.post(pods + "/a/binding", b).status == 409);
}

BOOST_AUTO_TEST_CASE(what_kubectl_sends_as_protobuf_is_understood) {
  server_fixture s;
  auto piece = [](int number, const std::string& bytes) {
    return std::string{char(number << 3 | 2), char(bytes.size())} + bytes;
  };
  auto entry = piece(1, "k") + piece(2, "v");
  auto raw = piece(1, piece(1, "m") + piece(8, "")) + piece(2, entry);
  auto type = piece(1, "v1") + piece(2, "ConfigMap");
  auto r = s.request("POST", maps);
  r.headers["content-type"] = "application/vnd.kubernetes.protobuf";
  r.body = std::string("k8s\0", 4) + piece(1, type) + piece(2, raw);
  auto whole = r.body;
  BOOST_TEST(s.ask(r)["/data/k"] == "v");
  // Cut anywhere, it is refused or says less, and harms nobody.
  for (std::size_t n = 0; n < whole.size(); ++n) {
    r.body = whole.substr(0, n);
    BOOST_TEST(s.ask(r).status >= 400);
  }
}

BOOST_AUTO_TEST_CASE(both_events_apis_show_the_same_event) {
  server_fixture s;
  json e{{"metadata", {{"name", "e"}}},
         {"involvedObject", {{"kind", "Pod"}, {"name", "a"}}},
         {"message", "hello"},
         {"reason", "Why"}};
  s.post("/api/v1/namespaces/default/events", e);
  auto a = s.get("/apis/events.k8s.io/v1/namespaces/default/events/e");
  BOOST_TEST(a["/note"] == "hello");
  BOOST_TEST(a["/regarding/name"] == "a");
  BOOST_TEST(a["/apiVersion"] == "events.k8s.io/v1");
  json n{{"metadata", {{"name", "f"}}}, {"note", "there"}};
  s.post("/apis/events.k8s.io/v1/namespaces/default/events", n);
  BOOST_TEST(s.get("/api/v1/namespaces/default/events/f")["/message"]
             == "there");
  auto found = s.get("/api/v1/namespaces/default/events?fieldSelector="
                     "involvedObject.name%3Da,involvedObject.kind=Pod");
  BOOST_TEST(found["/items"].size() == 1u);
}

BOOST_AUTO_TEST_CASE(unknown_paths_and_methods_are_refused) {
  server_fixture s;
  for (auto path : {"/api/v1/nothing", "/apis/no.group/v1/x", "/nope",
                    "/api/v1/namespaces/default/pods/a/b/c", "/api/v1/pods/a",
                    "/api/v1/namespaces/default/nodes"})
    BOOST_TEST(s.get(path).status == 404, path);
  BOOST_TEST(s.put(pods, pod("a")).status == 405);
  BOOST_TEST(s.post(pods + "/a", pod("a")).status == 405);
  BOOST_TEST(s.call("TRACE", pods).status == 405);
}

BOOST_AUTO_TEST_CASE(options_of_writes_that_are_unknown_write_nothing) {
  server_fixture s;
  auto a = s.post(maps + "?dryRun=true", config_map("a"));
  BOOST_TEST(a.status == 422);
  BOOST_TEST(a.says("CreateOptions.meta.k8s.io"));
  BOOST_TEST(a.says("dryRun: Unsupported value: [\"true\"]"));
  a = s.post(maps + "?fieldValidation=Other", config_map("a"));
  BOOST_TEST(a.says("fieldValidation: Unsupported value: \"Other\""));
  BOOST_TEST(s.get(maps + "/a").status == 404);
  s.post(maps, config_map("a"));
  BOOST_TEST(
      s.merge(maps + "/a?dryRun=x", json::object()).says("PatchOptions"));
  BOOST_TEST(
      s.put(maps + "/a?dryRun=x", config_map("a")).says("UpdateOptions"));
}

BOOST_AUTO_TEST_CASE(a_lease_is_made_by_its_update) {
  server_fixture s;
  const std::string leases =
      "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  json lease{{"metadata", {{"name", "a"}}},
             {"spec", {{"holderIdentity", "x"}}}};
  BOOST_TEST(s.put(leases + "/b", lease).status == 400);
  BOOST_TEST(s.put(leases + "/a", lease).status == 201);
  BOOST_TEST(s.put(leases + "/a", lease).status == 200);
  lease["metadata"]["resourceVersion"] = "1";
  s.drop(leases + "/a");
  BOOST_TEST(s.put(leases + "/a", lease).status == 404);
}

BOOST_AUTO_TEST_CASE(subresources_that_are_not_there) {
  server_fixture s;
  s.post(maps, config_map("a"));
  for (auto method : {"GET", "PUT", "PATCH", "DELETE"})
    BOOST_TEST(s.call(method, maps + "/a/status", json::object(),
                      "application/merge-patch+json")
                   .status
               == 404);
}

BOOST_AUTO_TEST_CASE(a_namespace_keeps_its_label_and_finalizers) {
  server_fixture s;
  const std::string path = "/api/v1/namespaces/n";
  s.core.ensure_namespace_ignoring_errors("n");
  auto a = s.merge(path, {{"metadata", {{"labels", nullptr}}},
                          {"spec", {{"finalizers", nullptr}}}});
  BOOST_TEST(a["/metadata/labels"]
             == json({{"kubernetes.io/metadata.name", "n"}}));
  BOOST_TEST(a["/spec/finalizers"] == json({"kubernetes"}));
}

BOOST_AUTO_TEST_SUITE_END()
