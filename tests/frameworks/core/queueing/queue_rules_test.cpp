#include "frameworks/core/queueing/queue_rules.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(queue_rules_test)

namespace {

constexpr const char* queue = "kueue.x-k8s.io/queue-name";
constexpr const char* longest = "kueue.x-k8s.io/max-exec-time-seconds";
constexpr const char* priority = "kueue.x-k8s.io/priority-class";

json spec_of(bool suspended, json annotations = json::object()) {
  return {{"runPolicy", {{"suspend", suspended}}},
          {"tfReplicaSpecs",
           {{"Worker",
             {{"template", {{"metadata", {{"annotations", annotations}}}}}}}}}};
}

struct written {
  json labels;
  json spec = spec_of(true);
};

/// The fields that are wrong, each with the first words of why.
std::string errors_of(const written& job, const written* old = nullptr) {
  std::string all;
  core::written_queueing before;
  if (old)
    before = {&old->labels, old->spec.dump()};
  for (const auto& e : core::find_queueing_errors(
           row_of_kind("TFJob"), {&job.labels, job.spec.dump()}, before))
    all += (all.empty() ? "" : "; ") + e.field + " "
           + e.text.substr(0, e.text.find(';'));
  return all;
}

std::string errors_of_update(const written& old, const written& job) {
  return errors_of(job, &old);
}

const json in_queue{{queue, "team-a"}};

json with(json labels, const char* key, const char* value) {
  labels[key] = value;
  return labels;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_name_of_a_queue) {
  for (const char* name : {"a", "team-a", "a.b-c.1", "0"})
    BOOST_TEST(errors_of({{{queue, name}}}) == "");
  for (const char* name : {"A", "-a", "a-", "a..b", "a.-b", "a-.b", "a_b"})
    BOOST_TEST(errors_of({{{queue, name}}})
               == std::string{"metadata.labels[kueue.x-k8s.io/queue-name] "
                              "Invalid value: \""}
                      + name
                      + "\": must be the name of a LocalQueue, a DNS "
                        "subdomain");
}

BOOST_AUTO_TEST_CASE(the_queue_of_a_job_that_runs_stays) {
  const std::string refused =
      "metadata.labels[kueue.x-k8s.io/queue-name] Forbidden: must not change "
      "while the job is not suspended";
  written runs{in_queue, spec_of(false)};
  written other{{{queue, "b"}}, spec_of(false)};
  written without{json::object(), spec_of(false)};
  BOOST_TEST(errors_of_update(runs, other) == refused);
  BOOST_TEST(errors_of_update(runs, without) == refused);
  BOOST_TEST(errors_of_update(without, runs) == refused);
  BOOST_TEST(errors_of_update(runs, runs) == "");
  BOOST_TEST(errors_of_update(runs, {{{queue, "b"}}, spec_of(true)}) == "");
  BOOST_TEST(errors_of_update({{{queue, "A"}}, spec_of(false)},
                              {{{queue, "A"}}, spec_of(false)})
             == "");
}

BOOST_AUTO_TEST_CASE(the_longest_time) {
  for (const char* value : {"1", "3600"})
    BOOST_TEST(errors_of({with(in_queue, longest, value)}) == "");
  for (const char* value : {"0", "00", "-1", "1.5", "1h", "9999999999"})
    BOOST_TEST(errors_of({with(in_queue, longest, value)}).find("integer")
               != std::string::npos);
  written waits{in_queue};
  BOOST_TEST(errors_of_update(waits, {with(in_queue, longest, "5")}) == "");
  BOOST_TEST(errors_of_update({in_queue, spec_of(false)},
                              {with(in_queue, longest, "5")})
             == "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds] "
                "Forbidden: must not change while the job is not suspended");
}

BOOST_AUTO_TEST_CASE(the_priority) {
  auto high = with(in_queue, priority, "high");
  auto low = with(in_queue, priority, "low");
  written runs{high, spec_of(false)};
  BOOST_TEST(errors_of_update(runs, {low, spec_of(false)}) == "");
  BOOST_TEST(errors_of_update(runs, {in_queue, spec_of(true)})
             == "metadata.labels[kueue.x-k8s.io/priority-class] Forbidden: "
                "must not be removed");
  BOOST_TEST(errors_of_update({in_queue, spec_of(false)}, runs)
             == "metadata.labels[kueue.x-k8s.io/priority-class] Forbidden: "
                "must not be added while the job is not suspended");
  BOOST_TEST(errors_of_update({in_queue}, {high}) == "");
}

BOOST_AUTO_TEST_CASE(one_topology) {
  json one{{"kueue.x-k8s.io/podset-required-topology", "rack"},
           {"kueue.x-k8s.io/podset-slice-size", "2"}};
  auto two = one;
  two["kueue.x-k8s.io/podset-preferred-topology"] = "rack";
  written wrong{in_queue, spec_of(true, two)};
  BOOST_TEST(errors_of({in_queue, spec_of(true, one)}) == "");
  BOOST_TEST(errors_of(wrong).rfind(
                 "spec.tfReplicaSpecs[Worker].template.metadata.annotations "
                 "Invalid value: at most one of ",
                 0)
             == 0u);
  BOOST_TEST(errors_of_update(wrong, wrong) == "");
}

BOOST_AUTO_TEST_CASE(a_job_without_a_queue_is_free) {
  BOOST_TEST(errors_of({{{longest, "x"}}}) == "");
  BOOST_TEST(errors_of({nullptr, nullptr}) == "");
  BOOST_TEST(errors_of({{{queue, 5}}, 5}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
