#include "actors/jobs/orders/order_request.hpp"
#include "tests/actors/jobs/orders/order_builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(order_request_test)

using namespace orders;

namespace {

const auto job = std::make_shared<const core::job>(make_job().workers(1).get());
const auto options = std::make_shared<const actor_options>();

k8s::result<k8s::request> request_of(const core::decision& d) {
  auto call = call_of_order({1, d}, job, options);
  if (!call)
    return call.error();
  return call->make ? call->make() : *call->request;
}

core::decision create_config() {
  core::create_auxiliary d;
  d.wanted = core::auxiliary_object{core::child_kind::config_map, "job-config",
                                    R"({"data":{}})", ""};
  return d;
}

core::decision create_service_with_body() {
  core::create_child d{core::child_kind::service, {"worker", 0}, ""};
  d.body = R"({"metadata":{"name":"made-before"}})";
  return d;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_order_is_one_request_with_its_precondition) {
  struct row {
    core::decision order;
    const char* request;
    const char* body; ///< A part of it.
  };
  // clang-format off
  const row rows[] = {
      {create(),        "create pods job-worker-0",       "\"containers\""},
      {create_service_with_body(), "create services made-before", ""},
      {create_config(), "create configmaps job-config",   "\"job-uid\""},
      {update(),        "update configmaps job-config",   "{}"},
      {annotate(),      "patch pods job-worker-0",        "\"uid\":\"uid\""},
      {read(),          "list configmaps",                ""},
      {remove(),        "delete pods job-worker-0",       "\"uid\":\"uid\""},
      {remove_at_once(), "delete pods job-worker-0",
       "\"gracePeriodSeconds\":0"},
      {read_node(),     "get nodes n7",                   ""},
      {adopt(),         "patch pods job-worker-0",        "\"uid\":\"uid\""},
      {release(),       "patch pods job-worker-0",        "\"uid\":\"uid\""},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(core::describe_decision(r.order)) {
      auto request = request_of(r.order);
      BOOST_REQUIRE(bool(request));
      BOOST_TEST(describe(*request) == r.request);
      BOOST_TEST((request->body.find(r.body) != std::string::npos));
    }
}

BOOST_AUTO_TEST_CASE(a_pod_is_made_for_its_attempt) {
  auto order = std::get<core::create_child>(create());
  order.attempt = 3;
  auto request = request_of(order);
  BOOST_REQUIRE(bool(request));
  BOOST_TEST(json::parse(request->body)["metadata"]["labels"]
                                       ["training.kubeflow.org/restart-attempt"]
             == "3");
  BOOST_TEST(request_of(create())->body.find("restart-attempt")
             == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pod_that_nobody_ends_is_deleted_at_once) {
  auto order = std::get<core::delete_child>(remove());
  BOOST_TEST(
      !json::parse(request_of(order)->body).contains("gracePeriodSeconds"));
  order.at_once = true;
  auto body = json::parse(request_of(order)->body);
  BOOST_TEST(body["gracePeriodSeconds"] == 0);
  BOOST_TEST(body["preconditions"]["uid"] == "uid");
}

BOOST_AUTO_TEST_CASE(a_patch_begins_with_what_it_is_for) {
  auto request = request_of(patch());
  BOOST_REQUIRE(bool(request));
  BOOST_TEST(request->content_type == "application/json-patch+json");
  BOOST_TEST(json::parse(request->body) == json::parse(R"([
      {"op":"replace","path":"/metadata/resourceVersion","value":"5"},
      {"op":"replace","path":"/metadata/uid","value":"uid"},
      {"op":"remove","path":"/spec/x"}])"));
  auto wrong = std::get<core::patch_auxiliary>(patch());
  wrong.operations = "{}";
  BOOST_TEST(!request_of(wrong));
}

BOOST_AUTO_TEST_CASE(ssh_keys_are_made_when_the_call_is_sent) {
  core::create_auxiliary creation;
  core::auxiliary_object secret;
  secret.kind = core::child_kind::secret;
  secret.name = "job-ssh";
  secret.body = R"({"type":"kubernetes.io/ssh-auth","data":{"x":""}})";
  secret.adds_ssh_keys = true;
  creation.wanted = secret;
  auto renewal = std::get<core::patch_auxiliary>(patch());
  renewal.kind = core::child_kind::secret;
  renewal.operations = "[]";
  renewal.adds_ssh_keys = true;
  auto data_of = [](const core::decision& d) {
    auto request = request_of(d);
    BOOST_REQUIRE(bool(request));
    auto body = json::parse(request->body);
    auto data = body.is_array() ? body.back().at("value") : body.at("data");
    BOOST_TEST(data.size() == 2u);
    return data.at("ssh-privatekey").get<std::string>()
           + data.at("ssh-publickey").get<std::string>();
  };
  for (const core::decision& d :
       {core::decision{creation}, core::decision{renewal}}) {
    BOOST_TEST(bool(call_of_order({1, d}, job, options)->make));
    BOOST_TEST(data_of(d) != data_of(d));
  }
}

BOOST_AUTO_TEST_CASE(a_body_is_made_when_the_call_is_sent) {
  struct row {
    core::decision order;
    bool later;
  };
  const row rows[] = {{create(), true},
                      {create_service_with_body(), true},
                      {create_config(), true},
                      {update(), false},
                      {remove(), false}};
  for (const auto& r : rows) {
    auto call = call_of_order({1, r.order}, job, options);
    BOOST_REQUIRE(bool(call));
    BOOST_TEST(bool(call->make) == r.later);
  }
}

BOOST_AUTO_TEST_CASE(the_job_itself_is_no_groups_to_delete) {
  auto call = call_of_order(
      {1, core::decision{core::delete_job{"job-uid", ""}}}, job, options);
  BOOST_REQUIRE(!call);
  BOOST_TEST((call.error().code == k8s::ec::bug));
}

BOOST_AUTO_TEST_CASE(an_order_is_about_one_object) {
  struct row {
    core::decision order;
    core::child_kind kind;
    const char* name;
    const char* uid;
    bool creation;
  };
  using kind = core::child_kind;
  const row rows[] = {
      {create(), kind::pod, "job-worker-0", "", true},
      {create_config(), kind::config_map, "job-config", "", true},
      {update(), kind::config_map, "job-config", "uid", false},
      {annotate(), kind::pod, "job-worker-0", "uid", false},
      {remove(), kind::pod, "job-worker-0", "uid", false},
  };
  for (const auto& r : rows) {
    auto target = target_of_order(r.order, *job);
    BOOST_TEST((target.kind == r.kind));
    BOOST_TEST(target.name == r.name);
    BOOST_TEST(target.uid == r.uid);
    BOOST_TEST(is_creation(r.order) == r.creation);
  }
}

BOOST_AUTO_TEST_SUITE_END()
