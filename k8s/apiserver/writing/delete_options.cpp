#include "k8s/apiserver/writing/delete_options.hpp"

#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

/// The options that a query may give, as a body has them.
status_or<json> parse_query_options(const request_info& info) {
  json out = json::object();
  if (auto policy = info.query_param("propagationPolicy"); !policy.empty())
    out["propagationPolicy"] = policy;
  if (auto orphan = info.query_param("orphanDependents"); !orphan.empty())
    out["orphanDependents"] = orphan == "true" || orphan == "1";
  if (info.request->query.count("dryRun") > 0)
    out["dryRun"] = json::array({info.query_param("dryRun")});
  auto text = info.query_param("gracePeriodSeconds");
  if (text.empty())
    return out;
  std::int64_t seconds = 0;
  auto end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc{} || stop != end)
    return bad_request("gracePeriodSeconds: \"" + text + "\" is not a number");
  out["gracePeriodSeconds"] = seconds;
  return out;
}

field_errors find_option_errors(const json& options) {
  field_errors out;
  const auto& policy = text_at(options, {"propagationPolicy"});
  auto* orphan = find_value(options, {"orphanDependents"});
  if (orphan && orphan->is_boolean() && !policy.empty())
    out.push_back(invalid_value(
        "propagationPolicy", policy,
        "orphanDependents and deletionPropagation cannot be both set"));
  else if (!policy.empty() && policy != "Foreground" && policy != "Background"
           && policy != "Orphan")
    out.push_back(
        unsupported_value("propagationPolicy", policy,
                          {"Foreground", "Background", "Orphan", "nil"}));
  auto* dry = find_value(options, {"dryRun"});
  if (dry && dry->is_array() && !dry->empty() && *dry != json::array({"All"}))
    out.push_back(unsupported_value("dryRun", *dry, {"All"}));
  return out;
}

} // namespace

status_or<delete_options> parse_delete_options(const request_info& info,
                                               const json& body) {
  if (!body.is_object() && !body.is_null())
    return bad_request("the body of a deletion must be a DeleteOptions");
  const auto& kind = text_at(body, {"kind"});
  if (!kind.empty() && kind != "DeleteOptions")
    return bad_request("the body of a deletion must be a DeleteOptions, not a "
                       + kind);
  auto options = body;
  if (body.empty()) {
    auto query = parse_query_options(info);
    if (!query)
      return query.error();
    options = std::move(*query);
  }
  if (auto wrong = find_option_errors(options); !wrong.empty())
    return invalid("meta.k8s.io", "DeleteOptions", "", wrong);
  delete_options d;
  const auto& grace = value_at(options, {"gracePeriodSeconds"});
  auto seconds = int64_at(grace, {});
  if (!grace.is_null() && !seconds)
    return bad_request("gracePeriodSeconds: " + to_text(grace)
                       + " is no integer of 64 bits");
  if (seconds)
    d.grace_period = *seconds < 0 ? 1 : *seconds;
  d.propagation_policy = text_at(options, {"propagationPolicy"});
  if (auto* o = find_value(options, {"orphanDependents"}); o && o->is_boolean())
    d.propagation_policy = *o == true ? "Orphan" : "Background";
  d.uid = text_at(options, {"preconditions", "uid"});
  d.resource_version = text_at(options, {"preconditions", "resourceVersion"});
  auto* dry = find_value(options, {"dryRun"});
  d.dry_run = info.is_dry_run() || (dry && dry->is_array() && !dry->empty());
  return d;
}

} // namespace troupe::k8s::apiserver
