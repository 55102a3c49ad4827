#include "tests/simulation/admission_webhook.hpp"

#include "tests/simulation/random.hpp"
#include "tests/simulation/simulated_api_server.hpp"

#include <iterator>

namespace troupe::simulation {

namespace {

using k8s::verb;

bool is_status(const k8s::request& r) {
  return r.resource.find("/status") != std::string::npos;
}

bool is_replica_child(const k8s::request& r) {
  return r.resource == "pods" || r.resource == "services";
}

using admission_rule = bool (*)(const k8s::request&);

/// Which writes one webhook reviews.
const admission_rule rules[] = {
    is_write,
    is_status,
    [](const k8s::request& r) { return is_write(r) && !is_status(r); },
    [](const k8s::request& r) {
      return r.method == verb::create && r.resource == "pods";
    },
    [](const k8s::request& r) {
      return r.method == verb::create && r.resource == "services";
    },
    [](const k8s::request& r) {
      return is_write(r) && !is_status(r) && !is_replica_child(r);
    },
    [](const k8s::request& r) { return r.method == verb::remove; },
    [](const k8s::request& r) { return r.method == verb::patch; }};

} // namespace

void admission_webhook::install(std::mt19937_64& random) {
  mode_ = chance(random, 50) ? mode::denies : mode::is_late;
  rule_ = random() % std::size(rules);
}

admission_webhook::outcome admission_webhook::review(const k8s::request& call,
                                                     k8s::time_point now,
                                                     std::mt19937_64& random) {
  if (!installed() || !rules[rule_](call))
    return {};
  return mode_ == mode::denies ? deny(call, random)
                               : answer_late(call, now, random);
}

admission_webhook::outcome
admission_webhook::deny(const k8s::request& r, std::mt19937_64& random) const {
  auto code = chance(random, 50) ? k8s::ec::forbidden : k8s::ec::invalid;
  if (r.method == verb::remove && chance(random, 30))
    code = k8s::ec::conflict;
  outcome result;
  result.failure = k8s::failure{
      code, "admission webhook \"policy.example.com\" denied the request: no"};
  return result;
}

admission_webhook::outcome
admission_webhook::answer_late(const k8s::request& r, k8s::time_point now,
                               std::mt19937_64& random) {
  outcome result;
  auto [entry, first] = waiting_.try_emplace(
      r.path + r.body, now + std::chrono::seconds{10 + up_to(random, 20)});
  if (first || entry->second > now) {
    result.waits = true;
    return result;
  }
  waiting_.erase(entry);
  switch (random() % 3) {
  case 0: // failurePolicy: Fail
    result.failure = k8s::failure{
        k8s::ec::server_error, "failed calling webhook \"policy.example.com\": "
                               "context deadline exceeded"};
    break;
  case 1:
    result.caller_gave_up = true;
    break;
  case 2: // failurePolicy: Ignore
    break;
  }
  return result;
}

} // namespace troupe::simulation
