#include "frameworks/core/spec/progress_policy_reading.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/spec/failure_policy_reading.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/core/spec/policy_parts.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace troupe::core {

namespace {

constexpr std::size_t longest_rule_name = 63;

class log_policy_reader {
public:
  log_policy_reader(const job& of, field_errors& errors)
      : of_{of}
      , errors_{errors} {}

  /// nullptr if there are no rules, or none that can be used.
  std::shared_ptr<const log_policy> read(const checked_object& fields) {
    log_policy out;
    const auto& rules = fields.list("logRules", max_log_rules);
    for (std::size_t i = 0; i < rules.size(); ++i)
      read_rule(out, rules[i], fields.at().child("logRules").item(i));
    if (const auto* replica = fields.find("logReplica")) {
      if (!fields.has("logRules"))
        fields.add_error("logReplica",
                         "Forbidden: says whose log is read by logRules, which "
                         "are absent; set those, or remove this");
      if (!read_replica(out, *replica, fields.at().child("logReplica")))
        return nullptr; // The log of another replica says something else.
    }
    return out.rules.empty()
               ? nullptr
               : std::make_shared<const log_policy>(std::move(out));
  }

private:
  void read_rule(log_policy& to, const json& value, const field_path& at) {
    checked_object fields{value, at, errors_, {"name", "pattern"}};
    log_rule rule;
    rule.name = read_name(fields);
    if (fields.is_object() && !fields.has("pattern"))
      fields.add_error("pattern",
                       "Required value: must be a regular expression, such as "
                       "'step (?P<step>\\d+)/(?P<total>\\d+)'");
    rule.pattern = patterns_.read(fields, "pattern");
    if (rule.pattern && has_usable_groups(*rule.pattern, fields))
      to.rules.push_back(std::move(rule));
  }

  std::string read_name(const checked_object& fields) {
    auto name = fields.text("name", longest_rule_name);
    if (name && !k8s::is_alphanumeric_name(*name))
      fields.add_error("name",
                       "Invalid value: " + value_for_error(*name)
                           + ": must be letters and digits, between which - _ "
                             "and . are allowed");
    else if (name && !names_.insert(*name).second)
      fields.add_error("name", "Duplicate value: " + value_for_error(*name));
    return name.value_or("");
  }

  /// A pattern without groups is of use: its lines show that the job goes on.
  static bool has_usable_groups(const k8s::text_pattern& pattern,
                                const checked_object& fields) {
    const auto groups = k8s::group_names(pattern);
    const auto unnamed = std::count(groups.begin(), groups.end(), "");
    const auto named = groups.size() - static_cast<std::size_t>(unnamed);
    if (named == 0 && unnamed > 0)
      fields.add_error("pattern",
                       "Invalid value: " + text_of(fields)
                           + ": its groups have no names, so nothing is read; "
                             "write (?P<loss>...) for a metric, or (?:...)");
    else if (named > max_rule_groups)
      fields.add_error("pattern", "Too many: " + std::to_string(named)
                                      + ": must have at most "
                                      + std::to_string(max_rule_groups)
                                      + " named groups");
    else
      return true;
    return false;
  }

  static std::string text_of(const checked_object& fields) {
    return value_for_error(*fields.find("pattern"));
  }

  /// Whether nothing is wrong with it.
  bool read_replica(log_policy& to, const json& value, const field_path& at) {
    checked_object fields{value, at, errors_, {"type", "index"}};
    auto name = fields.text("type", longest_rule_name);
    if (fields.is_object() && !fields.has("type"))
      fields.add_error("type", "Required value: must name a replica type: "
                                   + supported_values(types_of(of_)));
    const auto* type = name ? find_spelled_type(of_, *name) : nullptr;
    if (name && !type)
      fields.add_error("type", "Unsupported value: " + value_for_error(*name)
                                   + ": " + supported_values(types_of(of_)));
    if (type)
      to.type = type->label;
    auto index = fields.number("index", 0, max_replicas - 1);
    to.index = index.value_or(0);
    return type && index.has_value() == fields.has("index");
  }

  const job& of_;
  field_errors& errors_;
  std::set<std::string> names_;
  pattern_budget patterns_{{max_log_pattern_steps, least_log_pattern_share}};
};

/// What of the templates keeps pods from being told where to report, or "".
std::string find_obstacle(const job& of) {
  for (const auto& type : of.replicas)
    if (auto found = obstacle_to_reporting(
            value_at(parse_json_or_null(type.pod_template), {"spec"}),
            type.main_container);
        !found.empty())
      return "the template of " + type.type + " has " + found;
  return {};
}

/// Why a job with this policy could never be known to make progress, or "".
std::string why_always_silent(const progress_policy& policy, const job& of) {
  if (policy.log)
    return {};
  if (!policy.report)
    return "nothing tells how far the job is; set report to true or write "
           "logRules, or remove this";
  auto obstacle = find_obstacle(of);
  return obstacle.empty() ? ""
                          : "its pods are not told where to report, because "
                                + obstacle + " already; remove that, or this";
}

void forbid_without_limit(const checked_object& fields, const char* field,
                          const char* what) {
  if (fields.has(field) && !fields.has("stalledAfter"))
    fields.add_error(field, std::string{"Forbidden: "} + what
                                + " stalledAfter, which is absent; set that, "
                                  "or remove this");
}

stall_action read_action(const checked_object& fields) {
  auto word = fields.word("onStalled", {"Report", "RestartJob", "FailJob"});
  for (auto action : {stall_action::restart_job, stall_action::fail_job})
    if (word && *word == to_string(action))
      return action;
  return stall_action::report;
}

} // namespace

progress_policy read_progress_policy(const json& value, const job& of,
                                     const field_path& at,
                                     field_errors& errors) {
  checked_object fields{value,
                        at,
                        errors,
                        {"report", "stalledAfter", "startWithin", "onStalled",
                         "logRules", "logReplica"}};
  progress_policy out;
  out.report = fields.boolean("report").value_or(false);
  out.log = log_policy_reader{of, errors}.read(fields);
  out.stalled_after =
      fields.duration("stalledAfter", seconds{1}, longest_policy_period);
  out.start_within =
      fields.duration("startWithin", seconds{1}, longest_policy_period);
  out.on_stalled = read_action(fields);
  forbid_without_limit(fields, "startWithin", "is the first time of");
  forbid_without_limit(fields, "onStalled", "says what follows after");
  if (out.stalled_after)
    if (auto why = why_always_silent(out, of); !why.empty()) {
      fields.add_error("stalledAfter", "Forbidden: " + why);
      out.stalled_after.reset();
    }
  if (!out.stalled_after) {
    out.start_within.reset();
    out.on_stalled = stall_action::report;
  }
  return out;
}

} // namespace troupe::core
