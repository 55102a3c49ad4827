#include "frameworks/core/spec/limits.hpp"

#include "frameworks/core/model/names.hpp"
#include "k8s/deep_json.hpp"
#include "k8s/json.hpp"
#include "k8s/json_outline.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <string>

namespace troupe::core {

namespace {

std::string replica_map_field(const job& j) {
  const auto& f = *j.kind;
  return std::string{"spec."}
         + (*f.names.replicas_field == '\0' ? f.names.spec_field
                                            : f.names.replicas_field);
}

std::string replica_type_field(const job& j, const replica_spec& type) {
  return replica_map_field(j) + "[" + type.type + "]";
}

std::int64_t sum_of_replicas(const job& j) {
  std::int64_t sum = 0;
  for (const auto& type : j.replicas)
    sum += std::max(type.replicas, 0);
  return sum;
}

/// What a pod of this type has at least, in bytes: its template, and the names
/// of others.
std::size_t estimated_pod_bytes(const job& j, const replica_spec& type) {
  return type.pod_template.size()
         + (j.kind->hooks.listed_names_bytes
                ? j.kind->hooks.listed_names_bytes(j)
                : 0);
}

struct limit_check {
  const job& j;
  std::vector<field_error> errors = {};

  void add_error(std::string field, std::string text) {
    errors.push_back({std::move(field), std::move(text)});
  }

  void check_type_count() {
    if (j.replicas.size() > max_replica_types)
      add_error(replica_map_field(j),
                "Too many: " + std::to_string(j.replicas.size())
                    + ": must have at most " + std::to_string(max_replica_types)
                    + " items; make one of those that are alike");
  }

  void check_replica_sum() {
    if (auto sum = sum_of_replicas(j); sum > max_replicas)
      add_error(replica_map_field(j),
                "Invalid value: " + std::to_string(sum)
                    + ": the replicas of all types together must be less than "
                      "or equal to "
                    + std::to_string(max_replicas)
                    + "; ask for fewer, or make several jobs");
  }

  void check_pod_size(const replica_spec& type) {
    auto size = estimated_pod_bytes(j, type);
    if (type.replicas < 1 || size <= max_pod_bytes)
      return;
    auto of_template = type.pod_template.size();
    auto text = "Too long: each pod would have " + std::to_string(size)
                + " bytes, " + std::to_string(of_template) + " of its template";
    if (size > of_template)
      text += " and " + std::to_string(size - of_template)
              + " of the names of all " + std::to_string(sum_of_replicas(j))
              + " replicas";
    text += "; the limit is " + std::to_string(max_pod_bytes)
            + ", as an API server stores no larger ones: ";
    add_error(replica_type_field(j, type),
              text
                  + (size > of_template
                         ? "ask for fewer replicas, or shorten the names or "
                           "the template"
                         : "shorten the template, with a ConfigMap for one"));
  }

  /// Most others are refused as names of pods and services already.
  void check_type_name(const replica_spec& type) {
    if (k8s::is_alphanumeric_name(type.label))
      return;
    add_error(replica_type_field(j, type),
              "Invalid value: " + k8s::to_quoted(type.type)
                  + ": must begin and end with a letter or digit, as it is the "
                    "value of a label of its pods; give the type a name, such "
                    "as Worker");
  }

  void check_restart_policy(const replica_spec& type) {
    if (type.restart != restart_policy::other || type.restart_text.empty())
      return;
    add_error(replica_type_field(j, type) + ".restartPolicy",
              "Unsupported value: " + k8s::to_quoted(type.restart_text)
                  + ": supported values: \"Always\", \"OnFailure\", \"Never\", "
                    "\"ExitCode\"");
  }

  /// Names of other kinds are checked as names of services.
  void check_dotted_job_name_length() {
    if (j.kind->accepted.allows_dotted_names && j.name.size() > max_label_value)
      add_error("metadata.name",
                "Invalid value: " + k8s::to_quoted(j.name)
                    + ": must be no more than "
                    + std::to_string(max_label_value)
                    + " characters, as it is the value of a label of its pods");
  }
};

} // namespace

std::size_t name_list_bytes(const job& j, const replica_spec& type,
                            std::size_t beside_each) {
  if (type.replicas < 1)
    return 0;
  auto longest = child_name(j, {type.label, type.replicas - 1}).size();
  return static_cast<std::size_t>(type.replicas) * (longest + beside_each);
}

std::int32_t most_replicas_of_type_in_pass(const job& j) {
  if (sum_of_replicas(j) <= max_replicas)
    return max_replicas;
  std::vector<std::int64_t> counts;
  for (const auto& type : j.replicas)
    counts.push_back(std::max(type.replicas, 0));
  std::sort(counts.begin(), counts.end());
  std::int64_t left = max_replicas;
  auto types = static_cast<std::int64_t>(counts.size());
  for (auto count : counts) {
    if (count > left / types)
      break;
    left -= count;
    --types;
  }
  return static_cast<std::int32_t>(std::max<std::int64_t>(left / types, 1));
}

std::vector<field_error> find_limit_errors(const job& j) {
  limit_check c{j};
  c.check_type_count();
  if (!c.errors.empty())
    return std::move(c.errors);
  c.check_replica_sum();
  c.check_dotted_job_name_length();
  for (const auto& type : j.replicas) {
    c.check_type_name(type);
    c.check_restart_policy(type);
    if (c.errors.empty())
      c.check_pod_size(type);
  }
  c.errors.insert(c.errors.end(), j.policy_errors.begin(),
                  j.policy_errors.end());
  if (j.kind->accepted.find_own_limit_errors)
    for (auto& e : j.kind->accepted.find_own_limit_errors(j))
      c.errors.push_back(std::move(e));
  return std::move(c.errors);
}

std::optional<field_error> find_depth_error(std::string_view spec) {
  auto depth = k8s::nesting_depth(spec);
  if (depth <= max_spec_depth)
    return std::nullopt;
  return field_error{"spec", "Invalid value: is nested " + std::to_string(depth)
                                 + " levels deep, the limit is "
                                 + std::to_string(max_spec_depth)
                                 + "; take out levels that nothing reads"};
}

bool has_readable_value_count(std::string_view spec) {
  return k8s::estimate_json_value_count(spec) <= max_read_values;
}

std::optional<field_error> find_density_error(std::string_view spec) {
  auto count = k8s::estimate_json_value_count(spec);
  if (count <= max_spec_values)
    return std::nullopt;
  return field_error{"spec", "Too many: has " + std::to_string(count)
                                 + " values, the limit is "
                                 + std::to_string(max_spec_values)
                                 + "; put data into a ConfigMap, or into the "
                                   "image"};
}

} // namespace troupe::core
