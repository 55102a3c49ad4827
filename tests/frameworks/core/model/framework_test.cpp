#include "frameworks/core/model/framework.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(framework_test)

namespace {

/// A framework with a type of every chief_rule.
framework sample(bool single_process) {
  framework f;
  f.names.type = {"kubeflow.org", "v1", "jobs", "Job"};
  f.replicas = {
      {"Chief", "chief"}, {"Worker", "worker"}, {"PS", "ps"}, {"Solo", "solo"}};
  f.replicas[0].chief = chief_rule::if_present;
  f.replicas[1].chief = chief_rule::if_no_other;
  f.replicas[3].chief = chief_rule::if_single_process;
  f.replicas[3].indexed = false;
  f.ending.is_single_process = single_process
                                   ? [](const job&) { return true; }
                                   : [](const job&) { return false; };
  f.messages.with_chief.running = "with";
  f.messages.without_chief.running = "without";
  return f;
}

job job_with(const framework& kind, std::vector<std::string> labels) {
  job j;
  j.kind = &kind;
  j.ns = "ns";
  j.name = "job";
  for (auto& label : labels) {
    replica_spec r;
    r.label = std::move(label);
    j.replicas.push_back(std::move(r));
  }
  return j;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_job_belongs_to_the_version_that_it_was_born_as) {
  struct row {
    const char* born_as;
    const char* created_as;
    bool ours;
  };
  const row rows[] = {
      {"", "", true},
      {"", "v1", true}, // Of a kind without such a field it says nothing.
      {"v1", "v1", true},
      {"v1", "v2beta1", false},
      {"v2beta1", "v1", false},
      {"v2beta1", "v2beta1", true},
      {"v1", "", true}, // The definition does not have it.
      {"v2beta1", "", true},
      {"v1", "v3", false},
  };
  for (const auto& r : rows) {
    auto f = sample(false);
    f.names.born_as = r.born_as;
    BOOST_TEST(is_job_of(f, r.created_as) == r.ours,
               r.born_as << " and " << r.created_as);
  }
}

BOOST_AUTO_TEST_CASE(which_types_lead_depends_on_what_is_present) {
  struct row {
    std::vector<std::string> present;
    bool single_process;
    const char* chiefs; ///< The labels of all chief types.
    const char* messages;
  };
  const row rows[] = {
      {{"worker", "ps"}, false, "chief worker ", "without"},
      {{"chief", "worker"}, false, "chief ", "with"},
      {{"chief", "worker"}, true, "chief solo ", "with"},
      {{"solo"}, true, "chief worker solo ", "without"},
      {{"unknown"}, false, "chief worker ", "without"},
  };
  for (const auto& r : rows) {
    auto kind = sample(r.single_process);
    auto j = job_with(kind, r.present);
    std::string chiefs;
    for (const auto& rule : kind.replicas)
      if (is_chief(j, rule))
        chiefs += std::string{rule.label} + " ";
    BOOST_TEST(chiefs == r.chiefs);
    BOOST_TEST(message_templates_for(j).running == r.messages);
  }
}

BOOST_AUTO_TEST_CASE(types_are_found_as_they_are_spelled) {
  auto kind = sample(false);
  BOOST_TEST((kind.find_rule_by_label("worker") == &kind.replicas[1]));
  BOOST_TEST((kind.find_rule_by_label("Worker") == nullptr));
  BOOST_TEST((kind.find_rule_by_type("Worker") == &kind.replicas[1]));
  BOOST_TEST((kind.find_rule_by_type("worker") == nullptr));
  kind.accepted.case_insensitive_types = true;
  BOOST_TEST((kind.find_rule_by_type("wORKER") == &kind.replicas[1]));
  BOOST_TEST((kind.find_rule_by_type("none") == nullptr));
  BOOST_TEST(kind.is_indexed_or_unknown_type("worker"));
  BOOST_TEST(!kind.is_indexed_or_unknown_type("solo"));
  BOOST_TEST(kind.is_indexed_or_unknown_type("unknown"));
}

BOOST_AUTO_TEST_CASE(placeholders_are_filled_once) {
  auto kind = sample(false);
  auto j = job_with(kind, {});
  struct row {
    const char* name; ///< Of the job.
    const char* text;
    const char* filled;
  } rows[] = {
      {"job", "{kind} {ns}/{name}: {count} of {type}", "Job ns/job: 3 of PS"},
      {"job", "{name}{name}", "jobjob"},
      {"{kind}", "{name}", "{kind}"}, // A value is no template.
      {"job", "{other} {", "{other} {"},
      {"job", "", ""},
  };
  for (const auto& r : rows) {
    j.name = r.name;
    BOOST_TEST(fill_template(r.text, j, 3, "PS") == r.filled);
  }
}

BOOST_AUTO_TEST_SUITE_END()
