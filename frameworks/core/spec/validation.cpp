#include "frameworks/core/spec/validation.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "k8s/json_outline.hpp"
#include "k8s/json_parts.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <set>

namespace troupe::core {

namespace {

constexpr std::size_t longest_label = 63;

constexpr const char* dns_1035_rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or "
    "'-', start with an alphabetic character, and end with an alphanumeric "
    "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

constexpr const char* managers[] = {"kueue.x-k8s.io/multikueue",
                                    "kubeflow.org/training-operator"};

std::string quote_as_json(const std::string& text) {
  return to_text(text);
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_lower_or_digit(char c) {
  return is_lower(c) || (c >= '0' && c <= '9');
}

bool has_dns_1035_characters(const std::string& s) {
  return !s.empty() && is_lower(s.front()) && is_lower_or_digit(s.back())
         && std::all_of(s.begin(), s.end(), [](char c) {
              return is_lower_or_digit(c) || c == '-';
            });
}

/// Checks one spec and collects what is wrong with it.
struct check {
  const framework& f;
  const std::string& name;
  bool writing; ///< It is being written now; else it is there already.
  std::vector<field_error> errors;

  /// `old_spec` is null if there is none.
  void check_spec(const json& spec, const json& old_spec) {
    check_job_name_unless_dots_allowed();
    if (!old_spec.is_null())
      check_managed_by_unchanged(spec, old_spec);
    check_managed_by(spec);
    if (f.accepted.find_spec_errors)
      for (auto& e : f.accepted.find_spec_errors(spec))
        errors.push_back(std::move(e));
    check_replica_map(spec);
  }

  void add_error(std::string field, std::string text) {
    errors.push_back({std::move(field), std::move(text)});
  }

  std::string replica_map_field() const {
    return std::string{"spec."} + f.names.spec_field;
  }
  std::string replica_type_field(const std::string& type) const {
    return replica_map_field() + "[" + type + "]";
  }

  void check_job_name_unless_dots_allowed() {
    if (f.accepted.allows_dotted_names)
      return; // The API server has checked it.
    if (auto e = find_job_name_label_error(name))
      errors.push_back(std::move(*e));
  }

  void check_managed_by(const json& spec) {
    const auto& m = value_at(spec, {"runPolicy", "managedBy"});
    if (m.is_null())
      return;
    auto text = text_at(m, {});
    for (const char* known : managers)
      if (text == known)
        return;
    add_error("spec.runPolicy.managedBy",
              "Unsupported value: " + quote_as_json(text)
                  + ": supported values: \"" + managers[0] + "\", \""
                  + managers[1] + "\"");
  }

  void check_managed_by_unchanged(const json& spec, const json& old_spec) {
    const auto& now = value_at(spec, {"runPolicy", "managedBy"});
    const auto& before = value_at(old_spec, {"runPolicy", "managedBy"});
    if (now != before) // The original quotes its null.
      add_error("spec.runPolicy.managedBy",
                "Invalid value: "
                    + (now.is_null() ? quote_as_json("null") : to_text(now))
                    + ": field is immutable");
  }

  void check_replica_map(const json& spec) {
    const auto& map = value_at(spec, {f.names.spec_field});
    if (map.is_null()) {
      add_error(replica_map_field(), "Required value: must be required");
      check_required_types({});
      return;
    }
    if (!map.is_object()) {
      add_error(replica_map_field(), "Invalid value: must be an object");
      return;
    }
    int chiefs = 0;
    std::set<std::string> labels;
    for (const auto& [type, r] : map.items()) {
      const auto* rule = f.find_rule_by_type(type);
      bool chief = rule && rule->chief == chief_rule::if_present;
      chiefs += chief && value_at(r, {"replicas"}) != 0 ? 1 : 0;
      if (!rule && !f.accepted.allows_unknown_types)
        add_unknown_type_error(type);
      auto label = rule ? std::string{rule->label} : k8s::lower_case(type);
      if (!labels.insert(label).second)
        add_error(replica_type_field(type),
                  "Duplicate value: " + quote_as_json(label));
      static const replica_rule common;
      check_containers(type, r);
      check_replica_count_and_pod_names(type, label, rule ? *rule : common, r);
    }
    check_required_types(labels);
    if (chiefs > 1 && f.accepted.allows_one_chief_only)
      add_error(replica_map_field(),
                "Forbidden: must not have more than 1 Chief or Master role");
  }

  void check_required_types(const std::set<std::string>& labels) {
    for (const auto& rule : f.replicas)
      if (rule.required && labels.count(rule.label) == 0)
        add_error(replica_type_field(rule.type),
                  "Required value: must be present");
  }

  void check_replica_count_and_pod_names(const std::string& type,
                                         const std::string& label,
                                         const replica_rule& rule,
                                         const json& r) {
    auto field = replica_type_field(type) + ".replicas";
    const auto& given = value_at(r, {"replicas"});
    auto n = given.is_null() ? rule.default_replicas
                             : int64_at(given, {}).value_or(-1);
    if (!given.is_null() && !int64_at(given, {})) {
      add_error(field,
                "Invalid value: " + to_text(given) + ": must be a number");
    } else if (breaks_rule_of_one_replica(rule, given, n)) {
      add_error(field, "Forbidden: must be 1");
    } else if (writing && n < 1 && rule.allowed == replica_count::not_zero) {
      add_error(field, "Forbidden: must be at least 1");
    } else if (n < 0) {
      add_error(field, "Invalid value: " + std::to_string(n)
                           + ": must be greater than or equal to 0");
    } else if (n > max_replicas) {
      add_error(field, "Invalid value: " + std::to_string(n)
                           + ": must be less than or equal to "
                           + std::to_string(max_replicas));
    } else if (n > 0) {
      check_longest_pod_name({label, static_cast<std::int32_t>(n - 1)}, type);
    }
  }

  /// The original asks for the number even where it can be one only.
  bool breaks_rule_of_one_replica(const replica_rule& rule, const json& given,
                                  std::int64_t n) const {
    bool one = rule.allowed == replica_count::one
               || rule.allowed == replica_count::one_or_unset;
    bool must_say =
        writing && rule.allowed == replica_count::one && given.is_null();
    return one && (n != 1 || must_say);
  }

  /// Pods may be longer, but services of the same name may not.
  void check_longest_pod_name(const slot& last, const std::string& type) {
    if (!f.pods.services)
      return;
    auto child = child_name(f, name, last);
    if (auto e = find_child_name_length_error(name, child))
      errors.push_back(std::move(*e));
    else if (!has_dns_1035_characters(child) && has_dns_1035_characters(name))
      add_error(replica_type_field(type),
                "Invalid value: " + quote_as_json(type)
                    + ": gives its replicas the name " + quote_as_json(child)
                    + "; should match: " + dns_1035_rule);
  }

  void check_containers(const std::string& type, const json& r) {
    auto field = replica_type_field(type) + ".template.spec.containers";
    const auto& list = value_at(r, {"template", "spec", "containers"});
    if (!list.is_array() || list.empty())
      add_error(field, "Required value: must be specified");
    bool found = false;
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
      if (text_at(list[i], {"image"}).empty())
        add_error(field + "[" + std::to_string(i) + "].image",
                  "Required value: must be required");
      found |= text_at(list[i], {"name"}) == f.pods.container;
    }
    if (!found && !f.accepted.allows_any_container_name)
      add_error(field, std::string{"Required value: must have at least one "
                                   "container with name "}
                           + (f.accepted.quotes_container_in_errors
                                  ? quote_as_json(f.pods.container)
                                  : f.pods.container));
  }

  void add_unknown_type_error(const std::string& type) {
    std::string supported;
    for (const auto& rule : f.replicas)
      supported +=
          (supported.empty() ? "\"" : ", \"") + std::string{rule.type} + "\"";
    add_error(replica_type_field(type),
              "Unsupported value: " + quote_as_json(type)
                  + ": supported values: " + supported);
  }
};

std::vector<field_error> find_spec_rule_errors(const framework& f,
                                               const std::string& name,
                                               bool writing, const json& spec,
                                               const json& old_spec) {
  if (f.own.find_job_errors)
    return f.own.find_job_errors(name, spec);
  check c{f, name, writing, {}};
  c.check_spec(spec, old_spec);
  return std::move(c.errors);
}

bool is_same_error(const field_error& a, const field_error& b) {
  return a.field == b.field && a.text == b.text;
}

/// An update that leaves alone what exceeds a limit is let through.
void remove_known_errors(std::vector<field_error>& errors,
                         const std::vector<field_error>& known) {
  auto is_known = [&](const field_error& e) {
    return std::any_of(known.begin(), known.end(),
                       [&](const auto& k) { return is_same_error(e, k); });
  };
  errors.erase(std::remove_if(errors.begin(), errors.end(), is_known),
               errors.end());
}

std::optional<field_error> find_new_depth_error(std::string_view spec,
                                                std::string_view old_spec) {
  auto error = find_depth_error(spec);
  if (!error)
    return std::nullopt;
  auto known = find_depth_error(old_spec);
  return known && is_same_error(*error, *known) ? std::nullopt : error;
}

/// Of an old spec no values are made but who manages the job. Null if there is
/// no spec.
json spec_with_managed_by_only(std::string_view spec) {
  if (spec.empty() || spec == "null")
    return nullptr;
  auto manager = k8s::find_json_member(k8s::find_json_member(spec, "runPolicy"),
                                       "managedBy");
  if (!has_readable_value_count(manager))
    manager = {};
  return {{"runPolicy", {{"managedBy", parse_json_or_null(manager)}}}};
}

/// Of a message that is kept in a status, and told in an event.
constexpr std::size_t longest_message = 4096;

} // namespace

std::optional<field_error> find_job_name_label_error(const std::string& name) {
  std::string rules;
  if (name.size() > longest_label)
    rules = "must be no more than 63 characters";
  if (!has_dns_1035_characters(name))
    rules += (rules.empty() ? "" : ",") + std::string{dns_1035_rule};
  if (rules.empty())
    return std::nullopt;
  return field_error{"metadata.name", "Invalid value: " + quote_as_json(name)
                                          + ": should match: " + rules};
}

std::optional<field_error>
find_child_name_length_error(const std::string& job, const std::string& child) {
  if (child.size() <= longest_label || job.size() > longest_label)
    return std::nullopt;
  return field_error{"metadata.name",
                     "Invalid value: " + quote_as_json(job)
                         + ": is too long for the names of its replicas: "
                         + quote_as_json(child) + " has "
                         + std::to_string(child.size())
                         + " characters, the limit is 63"};
}

std::vector<field_error> validate_spec_without_limits(const framework& f,
                                                      const std::string& name,
                                                      std::string_view spec) {
  return find_spec_rule_errors(f, name, false, parse_json_or_null(spec), {});
}

std::vector<field_error> validate_write(const framework& f,
                                        const std::string& name,
                                        const written_job& job,
                                        const written_job& old,
                                        const std::string& ns) {
  if (auto e = find_new_density_error(job.spec, old.spec))
    return {std::move(*e)};
  if (!has_readable_value_count(job.spec))
    return {}; // It was so, and no other rule can be looked at.
  if (auto e = find_new_depth_error(job.spec, old.spec))
    return {std::move(*e)};
  const auto wanted = parse_json_or_null(job.spec);
  auto errors = find_spec_rule_errors(f, name, true, wanted,
                                      spec_with_managed_by_only(old.spec));
  if (!errors.empty())
    return errors;
  errors = find_limit_errors(read_job(f, ns, name, wanted, job.annotations));
  if (!errors.empty() && !old.spec.empty()
      && has_readable_value_count(old.spec))
    remove_known_errors(errors, find_limit_errors(read_job(
                                    f, ns, name, parse_json_or_null(old.spec),
                                    old.annotations)));
  return errors;
}

std::optional<field_error> find_new_density_error(std::string_view spec,
                                                  std::string_view old_spec) {
  auto error = find_density_error(spec);
  bool was_so =
      error
      && k8s::estimate_json_value_count(spec)
             <= k8s::estimate_json_value_count(old_spec) + max_added_values;
  return was_so ? std::nullopt : error;
}

std::vector<std::string> find_spec_warnings(const framework& f,
                                            std::string_view spec) {
  if (!f.accepted.find_spec_warnings || !has_readable_value_count(spec))
    return {};
  return f.accepted.find_spec_warnings(parse_json_or_null(spec));
}

std::string to_string(const std::vector<field_error>& errors) {
  std::string result;
  std::size_t told = 0;
  for (const auto& e : errors) {
    if (result.size() > longest_message)
      break;
    result += (result.empty() ? "" : ", ") + e.field + ": " + e.text;
    ++told;
  }
  result = shorten_message(std::move(result));
  if (told < errors.size())
    result += ", and " + std::to_string(errors.size() - told) + " more";
  return errors.size() > 1 ? "[" + result + "]" : result;
}

std::string shorten_message(std::string text) {
  return k8s::shorten_text(std::move(text), longest_message);
}

} // namespace troupe::core
