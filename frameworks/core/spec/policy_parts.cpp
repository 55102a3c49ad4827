#include "frameworks/core/spec/policy_parts.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/framework.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <utility>

namespace troupe::core {

const replica_spec* find_spelled_type(const job& of,
                                      const std::string& spelled) {
  const auto* rule = of.kind->find_rule_by_type(spelled);
  if (rule)
    return of.find_replica_spec(rule->label);
  const auto* type = of.find_replica_spec(k8s::lower_case(spelled));
  return type && type->type == spelled ? type : nullptr;
}

std::vector<std::string> types_of(const job& of) {
  std::vector<std::string> out;
  for (const auto& type : of.replicas)
    out.push_back(type.type);
  return out;
}

std::shared_ptr<const k8s::text_pattern>
pattern_budget::read(const checked_object& fields, const char* field) {
  auto text = fields.text(field, longest_pattern);
  if (!text)
    return nullptr;
  auto compiled = k8s::compile_text_pattern(*text, most_.steps);
  if (!compiled.pattern) {
    fields.add_error(field, "Invalid value: " + value_for_error(*text) + ": "
                                + compiled.error);
    return nullptr;
  }
  auto steps = k8s::step_count(*compiled.pattern);
  steps_ += steps;
  if (steps_ <= most_.steps)
    return with_share_of_memory(std::move(compiled.pattern), *text, steps);
  fields.add_error(field,
                   "Invalid value: " + value_for_error(*text)
                       + ": with it the patterns of all rules have more than "
                       + std::to_string(most_.steps)
                       + " steps; shorten them, or repeat less");
  return nullptr;
}

/// Each could take the memory of the largest; what all may have is shared by
/// their steps.
std::shared_ptr<const k8s::text_pattern> pattern_budget::with_share_of_memory(
    std::shared_ptr<const k8s::text_pattern> pattern, const std::string& text,
    std::size_t steps) const {
  // Before it is simplified, a pattern may have more steps.
  auto share = std::max(2 * steps, most_.least_share);
  if (share >= most_.steps)
    return pattern;
  auto smaller = k8s::compile_text_pattern(text, share).pattern;
  return smaller ? smaller : pattern;
}

} // namespace troupe::core
