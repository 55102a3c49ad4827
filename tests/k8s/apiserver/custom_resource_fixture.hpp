#pragma once

#include "tests/k8s/apiserver/server_fixture.hpp"

namespace troupe::k8s::apiserver {

inline const std::string crds = "/apis/apiextensions.k8s.io/v1/"
                                "customresourcedefinitions";
inline const std::string jobs = "/apis/x.io/v1/namespaces/default/jobs";

/// The definition of a resource with all that a schema may have.
inline json crd() {
  return json::parse(R"({
    "metadata": {"name": "jobs.x.io"},
    "spec": {
      "group": "x.io", "scope": "Namespaced",
      "names": {"plural": "jobs", "kind": "Job", "shortNames": ["xj"]},
      "versions": [{
        "name": "v1", "served": true, "storage": true,
        "subresources": {"status": {}, "scale": {
          "specReplicasPath": ".spec.replicas",
          "statusReplicasPath": ".status.replicas"}},
        "additionalPrinterColumns": [
          {"name": "State", "type": "string",
           "jsonPath": ".status.conditions[-1:].type"},
          {"name": "Age", "type": "date",
           "jsonPath": ".metadata.creationTimestamp"}],
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {
          "spec": {"type": "object", "required": ["size"], "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 9},
            "replicas": {"type": "integer", "default": 2},
            "mode": {"type": "string", "enum": ["A", "B"]},
            "tag": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 4},
            "port": {"x-kubernetes-int-or-string": true},
            "maybe": {"type": "string", "nullable": true},
            "free": {"type": "object",
                     "x-kubernetes-preserve-unknown-fields": true},
            "map": {"type": "object", "additionalProperties": {
              "type": "object", "properties": {
                "n": {"type": "integer", "default": 7}}}},
            "list": {"type": "array", "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name"],
              "items": {"type": "object", "required": ["name"],
                        "properties": {"name": {"type": "string"}}}},
            "manager": {"type": "string", "x-kubernetes-validations": [
              {"rule": "self == oldSelf", "message": "field is immutable"}]}
          }},
          "status": {"type": "object",
                     "x-kubernetes-preserve-unknown-fields": true}
        }}}}]}})");
}

inline json job(json spec) {
  return {{"apiVersion", "x.io/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "j"}}},
          {"spec", std::move(spec)}};
}

/// A server that serves the resource.
struct defined : server_fixture {
  defined() { BOOST_REQUIRE(post(crds, crd()).status == 201); }
};

} // namespace troupe::k8s::apiserver
