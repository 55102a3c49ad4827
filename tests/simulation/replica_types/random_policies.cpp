#include "tests/simulation/replica_types/random_policies.hpp"

#include "tests/simulation/random.hpp"

#include <iterator>

namespace troupe::simulation {

namespace {

template <class Array>
auto pick_from(const Array& all, std::mt19937_64& random) {
  return all[random() % std::size(all)];
}

std::string random_type(const json& types, std::mt19937_64& random) {
  auto i = types.begin();
  std::advance(i, static_cast<std::ptrdiff_t>(random() % types.size()));
  return i.key();
}

json random_codes(std::mt19937_64& random) {
  const json values[] = {{1}, {2}, {1, 137}, {137, 143}, {127, 128, 255}};
  return {{"operator", chance(random, 80) ? "In" : "NotIn"},
          {"values", pick_from(values, random)}};
}

json random_rule(const json& types, std::mt19937_64& random) {
  const char* const actions[] = {"FailJob", "Ignore", "RestartPod",
                                 "RestartReplicaType", "RestartJob"};
  json rule{{"action", pick_from(actions, random)}};
  bool fails = rule["action"] == "FailJob";
  switch (random() % (fails ? 3 : 5)) {
  case 0:
    rule["onExitCodes"] = random_codes(random);
    break;
  case 1:
    rule["onReasons"] = {chance(random, 60) ? "OOMKilled" : "Evicted"};
    break;
  case 2:
    rule["onMessagePattern"] = "NCCL";
    break;
  case 3:
    rule["onPodConditions"] = {{{"type", "DisruptionTarget"}}};
    break;
  case 4:
    rule["onReasons"] = {"NodeLost", "Error"};
    break;
  }
  if (chance(random, 20))
    rule["targetReplicaTypes"] = {random_type(types, random)};
  return rule;
}

} // namespace

json random_failure_policy(const json& types, std::mt19937_64& random) {
  json policy = json::object();
  const char* const scopes[] = {"Job", "Job", "Job", "ReplicaType", "Pod"};
  if (chance(random, 90))
    policy["restartScope"] = pick_from(scopes, random);
  if (chance(random, 60)) {
    const char* const windows[] = {"10s", "60s", "5m", "1h"};
    policy["maxRestarts"] = up_to(random, 4);
    if (chance(random, 40))
      policy["restartWindow"] = pick_from(windows, random);
  }
  if (chance(random, 15))
    policy["lostNodePeriod"] = "30s";
  if (chance(random, 50))
    for (int i = up_to(random, 2); i >= 0; --i)
      policy["rules"].push_back(random_rule(types, random));
  return policy;
}

json random_progress_policy(std::mt19937_64& random) {
  const char* const times[] = {"10s", "60s", "5m", "15m"};
  const char* const actions[] = {"Report", "RestartJob", "RestartJob",
                                 "FailJob"};
  json policy{{"report", true}};
  if (chance(random, 10))
    return policy;
  policy["stalledAfter"] = pick_from(times, random);
  if (chance(random, 40))
    policy["startWithin"] = pick_from(times, random);
  if (chance(random, 80))
    policy["onStalled"] = pick_from(actions, random);
  return policy;
}

json random_success_policy(const json& types, std::mt19937_64& random) {
  json policy{{"operator", chance(random, 50) ? "Any" : "All"}};
  if (policy["operator"] == "Any" || chance(random, 80))
    policy["targetReplicaTypes"] = {random_type(types, random)};
  return policy;
}

} // namespace troupe::simulation
