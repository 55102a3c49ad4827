#include "frameworks/core/observed/failure_rules.hpp"

#include "k8s/text_pattern.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::core {

namespace {

template <class Items, class Item>
bool contains(const Items& all, const Item& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Of a pod of which only the code of its main container is known, that one
/// counts.
bool matches_exit_codes(const exit_code_matcher& wanted, const child_view& pod,
                        const replica_spec& type) {
  auto matches = [&](const std::string& container, std::int32_t code) {
    return code != 0
           && (wanted.container.empty() || wanted.container == container)
           && contains(wanted.values, code) == wanted.in;
  };
  if (pod.trouble && !pod.trouble->ended.empty())
    return std::any_of(
        pod.trouble->ended.begin(), pod.trouble->ended.end(),
        [&](const auto& c) { return matches(c.name, c.exit_code); });
  return pod.exit_code && matches(type.main_container, *pod.exit_code);
}

bool matches_a_condition(const std::vector<pod_condition_matcher>& wanted,
                         const pod_trouble& pod) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const auto& w) {
    return std::any_of(pod.conditions.begin(), pod.conditions.end(),
                       [&](const auto& c) {
                         return c.type == w.type && c.status == w.status;
                       });
  });
}

bool has_a_reason(const std::vector<std::string>& wanted,
                  const pod_trouble& pod) {
  auto is_wanted = [&](const std::string& reason) {
    return !reason.empty() && contains(wanted, reason);
  };
  return is_wanted(pod.reason)
         || std::any_of(pod.ended.begin(), pod.ended.end(),
                        [&](const auto& c) {
                          return c.exit_code != 0 && is_wanted(c.reason);
                        })
         || std::any_of(pod.conditions.begin(), pod.conditions.end(),
                        [&](const auto& c) { return is_wanted(c.reason); });
}

bool has_a_message(const k8s::text_pattern& wanted, const pod_trouble& pod) {
  auto found_in = [&](const std::string& text) {
    return !text.empty() && k8s::matches_part_of_text(wanted, text);
  };
  return found_in(pod.message)
         || std::any_of(pod.ended.begin(), pod.ended.end(),
                        [&](const auto& c) { return found_in(c.message); });
}

bool has_a_message_searched_once(const job& j, const failure_rule& rule,
                                 const pod_trouble& pod) {
  constexpr std::uint8_t no = 1;
  constexpr std::uint8_t yes = 2;
  if (pod.searched_for != j.policy.failure) {
    pod.searched_for = j.policy.failure;
    pod.message_matches.assign(j.policy.failure->rules.size(), 0);
  }
  auto& known = pod.message_matches[static_cast<std::size_t>(
      &rule - j.policy.failure->rules.data())];
  if (known == 0)
    known = has_a_message(*rule.message, pod) ? yes : no;
  return known == yes;
}

bool matches(const job& j, const failure_rule& rule, const replica_spec& type,
             const child_view& pod, pod_loss how) {
  static const pod_trouble no_trouble;
  const auto& trouble = pod.trouble ? *pod.trouble : no_trouble;
  return (rule.types.empty() || contains(rule.types, type.type))
         && (!rule.exit_codes
             || (how == pod_loss::failed
                 && matches_exit_codes(*rule.exit_codes, pod, type)))
         && (rule.conditions.empty()
             || matches_a_condition(rule.conditions, trouble))
         && (rule.reasons.empty() || has_a_reason(rule.reasons, trouble)
             || (how == pod_loss::node_lost
                 && contains(rule.reasons, node_lost_reason)))
         && (!rule.message
             || (pod.trouble
                 && has_a_message_searched_once(j, rule, *pod.trouble)));
}

} // namespace

const failure_rule* find_matching_rule(const job& j, const replica_spec& type,
                                       const child_view& pod, pod_loss how) {
  const auto& rules = j.failure_policy_or_default().rules;
  auto i = std::find_if(rules.begin(), rules.end(), [&](const auto& rule) {
    return matches(j, rule, type, pod, how);
  });
  return i == rules.end() ? nullptr : &*i;
}

} // namespace troupe::core
