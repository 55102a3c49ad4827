#include "actors/webhook/webhook_configuration.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "frameworks/registry.hpp"
#include "k8s/general/base64.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using k8s::json;

BOOST_AUTO_TEST_SUITE(webhook_configuration_test)

namespace {

json service_entry(const char* kind) {
  const auto& f = *frameworks::find(kind);
  return {{"name", validating_webhook_name(f)},
          {"timeoutSeconds", 5},
          {"clientConfig",
           {{"service",
             {{"name", "training-operator"},
              {"path", validating_webhook_path(f)}}}}}};
}

json stored_configuration() {
  return {{"metadata",
           {{"name", webhook_configuration_name}, {"resourceVersion", "5"}}},
          {"webhooks", {service_entry("TFJob"), service_entry("MPIJob")}}};
}

webhook_configuration_policy kinds(std::initializer_list<const char*> names) {
  webhook_configuration_policy p;
  for (const auto* n : names)
    p.kinds.push_back(frameworks::find(n));
  return p;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_entry_gets_the_bundle) {
  auto current = stored_configuration();
  current["webhooks"].push_back({{"name", "other.example.com"}});
  auto wanted = current;
  for (auto& entry : wanted["webhooks"])
    entry["clientConfig"]["caBundle"] = k8s::to_base64("PEM");
  auto policy = kinds({"TFJob", "MPIJob"});
  auto got = desired_configuration(current, policy, "PEM");
  BOOST_TEST(got == wanted);
  BOOST_TEST(desired_configuration(got, policy, "PEM") == got);
  BOOST_TEST(shared_ca_bundle(got) == "PEM");
  got["webhooks"][1]["clientConfig"]["caBundle"] = "";
  BOOST_TEST(shared_ca_bundle(got) == "");
  for (const char* text :
       {"null", R"({"webhooks": []})", R"({"webhooks": [{"name": "x"}]})"})
    BOOST_TEST(shared_ca_bundle(json::parse(text)) == "");
}

BOOST_AUTO_TEST_CASE(kinds_that_are_off_have_no_entry) {
  auto got =
      desired_configuration(stored_configuration(), kinds({"TFJob"}), "PEM");
  BOOST_REQUIRE_EQUAL(got["webhooks"].size(), 1u);
  BOOST_TEST(got["webhooks"][0]["name"]
             == validating_webhook_name(*frameworks::find("TFJob")));
  // Manifests add entries where the API server connects to a Service.
  got = desired_configuration(stored_configuration(),
                              kinds({"TFJob", "MPIJob", "JAXJob"}), "PEM");
  BOOST_TEST(got["webhooks"].size() == 2u);
}

BOOST_AUTO_TEST_CASE(with_a_url_all_entries_are_made) {
  auto policy = kinds({"TFJob", "JAXJob"});
  policy.url = "https://127.0.0.1:9443";
  auto made = desired_configuration(nullptr, policy, "PEM");
  auto wanted = json::parse(R"({
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": "validator.training-operator.kubeflow.org"},
    "webhooks": [{
      "name": "validator.tfjob.training-operator.kubeflow.org",
      "admissionReviewVersions": ["v1"],
      "failurePolicy": "Fail",
      "sideEffects": "None",
      "rules": [{
        "apiGroups": ["kubeflow.org"], "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"], "resources": ["tfjobs"]}],
      "clientConfig": {
        "url": "https://127.0.0.1:9443/validate-kubeflow-org-v1-tfjob",
        "caBundle": "UEVN"}}]})");
  BOOST_REQUIRE_EQUAL(made["webhooks"].size(), 2u);
  auto jax = made["webhooks"][1];
  made["webhooks"].erase(1);
  BOOST_TEST(made == wanted);
  BOOST_TEST(jax["rules"][0]["resources"] == json::array({"jaxjobs"}));
  // What an administrator has set stays; the Service is replaced.
  auto got = desired_configuration(stored_configuration(), policy, "PEM");
  BOOST_REQUIRE_EQUAL(got["webhooks"].size(), 2u);
  BOOST_TEST(got["webhooks"][0]["timeoutSeconds"] == 5);
  BOOST_TEST(got["webhooks"][0]["clientConfig"]
             == wanted["webhooks"][0]["clientConfig"]);
  BOOST_TEST(got["webhooks"][1] == jax);
  BOOST_TEST(got["metadata"]["resourceVersion"] == "5");
}

BOOST_AUTO_TEST_CASE(dijobs_have_configurations_of_their_own) {
  std::string names;
  for (const auto& id : webhook_configurations())
    names += (id.mutating ? "mutating " : "validating ") + id.name + "\n";
  BOOST_TEST(names
             == "validating validator.training-operator.kubeflow.org\n"
                "validating di-validating-webhook-configuration\n"
                "mutating di-mutating-webhook-configuration\n"
                "validating dijobs.diengine.opendilab.org\n");
  auto policy = kinds({"TFJob", "DIJob"});
  policy.url = "https://127.0.0.1:9443";
  const auto& mutating = webhook_configurations()[2];
  BOOST_TEST(should_create_configuration(mutating, policy));
  BOOST_TEST(!should_create_configuration(mutating, kinds({"DIJob"})));
  auto made = desired_configuration(nullptr, policy, "PEM", mutating);
  BOOST_TEST(made == json::parse(R"({
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "MutatingWebhookConfiguration",
    "metadata": {"name": "di-mutating-webhook-configuration"},
    "webhooks": [{
      "name": "mdijob.kb.io",
      "admissionReviewVersions": ["v1"],
      "failurePolicy": "Fail",
      "matchPolicy": "Exact",
      "sideEffects": "None",
      "rules": [{
        "apiGroups": ["diengine.opendilab.org"], "apiVersions": ["v1alpha1"],
        "operations": ["CREATE", "UPDATE"], "resources": ["dijobs"]}],
      "clientConfig": {
        "url": "https://127.0.0.1:9443/mutate-diengine-opendilab-org-v1alpha1-dijob",
        "caBundle": "UEVN"}}]})"));
  auto tfjobs = kinds({"TFJob"});
  tfjobs.url = policy.url;
  BOOST_TEST(!should_create_configuration(mutating, tfjobs));
  BOOST_TEST(
      desired_configuration(made, tfjobs, "PEM", mutating)["webhooks"].empty());
}

namespace {

const webhook_configuration_id& definition_id() {
  return webhook_configurations().back();
}

/// As deploy/crds has it; `patch` is merged into its spec.
json dijob_definition(const char* patch = "{}") {
  auto out = json::parse(R"({
    "metadata": {"name": "dijobs.diengine.opendilab.org",
                 "resourceVersion": "5"},
    "spec": {
      "versions": [{"name": "v1alpha1", "served": true, "storage": true},
                   {"name": "v2alpha1", "served": false, "storage": false}],
      "conversion": {"strategy": "Webhook", "webhook": {
        "clientConfig": {"service": {
          "name": "training-operator", "namespace": "kubeflow",
          "path": "/convert", "port": 443}},
        "conversionReviewVersions": ["v1"]}}}})");
  out["spec"].merge_patch(json::parse(patch));
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_definition_gets_the_bundle_of_its_conversion) {
  BOOST_TEST(definition_id().ref().type.plural == "customresourcedefinitions");
  auto current = dijob_definition();
  auto policy = kinds({"DIJob"});
  BOOST_TEST(should_manage_configuration(current, definition_id(), policy));
  BOOST_TEST(!should_create_configuration(definition_id(), policy));
  BOOST_TEST(shared_ca_bundle(current) == "");
  auto wanted = current;
  wanted["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] =
      k8s::to_base64("PEM");
  auto got = desired_configuration(current, policy, "PEM", definition_id());
  BOOST_TEST(got == wanted);
  BOOST_TEST(shared_ca_bundle(got) == "PEM");
  BOOST_TEST(desired_configuration(got, policy, "PEM", definition_id()) == got);
}

BOOST_AUTO_TEST_CASE(with_a_url_a_definition_gets_the_conversion) {
  auto policy = kinds({"DIJob"});
  policy.url = "https://127.0.0.1:9443";
  for (const char* patch :
       {"{}", R"({"conversion": {"strategy": "None", "webhook": null}})",
        R"({"conversion": null})"}) {
    auto current = dijob_definition(patch);
    BOOST_TEST(should_manage_configuration(current, definition_id(), policy));
    auto got = desired_configuration(current, policy, "PEM", definition_id());
    BOOST_TEST(got["metadata"]["resourceVersion"] == "5");
    BOOST_TEST(got["spec"] == json::parse(R"({
      "versions": [{"name": "v1alpha1", "served": true, "storage": true},
                   {"name": "v2alpha1", "served": true, "storage": false}],
      "conversion": {"strategy": "Webhook", "webhook": {
        "clientConfig": {"url": "https://127.0.0.1:9443/convert",
                         "caBundle": "UEVN"},
        "conversionReviewVersions": ["v1"]}}})"));
    BOOST_TEST(shared_ca_bundle(got) == "PEM");
    BOOST_TEST(desired_configuration(got, policy, "PEM", definition_id())
               == got);
  }
}

BOOST_AUTO_TEST_CASE(other_definitions_are_left_alone) {
  struct row {
    const char* patch;
    const char* url;
    const char* kind;
    bool ours;
  };
  const char* service = "";
  const char* url = "https://127.0.0.1:9443";
  // clang-format off
  const row rows[] = {
      {"{}", service, "TFJob", true}, // It calls us, whoever reconciles.
      {"{}", url, "TFJob", false},
      {R"({"conversion": {"strategy": "None"}})", service, "DIJob", false},
      {R"({"conversion": {"strategy": "None"}})", url, "DIJob", true},
      // Of either release of DI-orchestrator.
      {R"({"versions": [{"name": "v1alpha1"}]})", url, "DIJob", false},
      {R"({"versions": [{"name": "v2alpha1"}]})", service, "DIJob", false},
      {R"({"versions": [{"name": "v1alpha1"}, {"name": "v3"}]})", url, "DIJob", false},
      {R"({"conversion": {"webhook": {"clientConfig": {"service": {"path": "/other"}}}}})", service, "DIJob", false},
      {R"({"versions": 1})", url, "DIJob", false},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto policy = kinds({r.kind});
    policy.url = r.url;
    BOOST_TEST(should_manage_configuration(dijob_definition(r.patch),
                                           definition_id(), policy)
                   == r.ours,
               r.patch << r.url << r.kind);
  }
  for (const char* address : {service, url}) {
    auto policy = kinds({"DIJob"});
    policy.url = address;
    BOOST_TEST(!should_manage_configuration(nullptr, definition_id(), policy));
  }
}

BOOST_AUTO_TEST_SUITE_END()
