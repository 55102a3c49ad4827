#pragma once

#include "k8s/apiserver/access/policy_rules.hpp"

#include <vector>

/// Rules, and what they are asked about, in short words for tables.
namespace troupe::k8s::apiserver::policy_fixture {

/// `text` is a JSON list.
inline std::vector<policy_rule> rules(const char* text) {
  return read_policy_rules({{"rules", json::parse(text)}});
}

/// Access to a resource.
inline access_attributes of(const char* verb, const char* group,
                            const char* resource, const char* sub = "",
                            const char* name = "", const char* ns = "") {
  access_attributes out;
  out.verb = verb;
  out.api_group = group;
  out.resource = resource;
  out.subresource = sub;
  out.name = name;
  out.ns = ns;
  return out;
}

/// Access to what is no resource.
inline access_attributes path(const char* verb, const char* where) {
  access_attributes out;
  out.is_resource = false;
  out.verb = verb;
  out.path = where;
  return out;
}

} // namespace troupe::k8s::apiserver::policy_fixture
