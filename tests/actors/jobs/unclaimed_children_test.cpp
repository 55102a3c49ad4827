#include "actors/jobs/unclaimed_children.hpp"
#include "frameworks/core/model/names.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(unclaimed_children_test)

namespace {

const auto* const tf_kind = frameworks::find("TFJob");
const auto* const mpi_kind = frameworks::find("MPIJob");

k8s::object worker_object(const std::string& uid) {
  core::job j = make_job("j").workers(1);
  return pod("worker", 0).uid(uid).object(j);
}

child_seen fact_about(k8s::object o) {
  return {child_kind::pod, std::make_shared<k8s::object>(std::move(o)), 1};
}

auto any_child = [](const child_fact&) { return true; };

} // namespace

BOOST_AUTO_TEST_CASE(what_is_large_is_kept_without_annotations_or_not_at_all) {
  struct row {
    std::size_t labels, annotations, message;
    bool kept, whole;
  } rows[] = {
      {0, 0, 0, true, true},           {0, 10'000, 0, true, true},
      {0, 20'000, 0, true, false},     {20'000, 0, 0, false, false},
      {0, 0, 20'000, false, false},    {9'000, 9'000, 0, true, false},
      {9'000, 0, 9'000, false, false},
  };
  for (const auto& r : rows) {
    auto o = worker_object("u");
    o.meta.labels["l"] = std::string(r.labels, 'x');
    o.meta.annotations["a"] = std::string(r.annotations, 'x');
    o.meta.annotations[core::label::early_failures] = "3";
    std::get<k8s::pod_state>(o.state).message = std::string(r.message, 'x');
    auto kept =
        child_within_limit_or_null(std::make_shared<k8s::object>(o), 16'384);
    BOOST_TEST_CONTEXT(r.labels << " " << r.annotations << " " << r.message) {
      BOOST_REQUIRE((kept != nullptr) == r.kept);
      if (!kept)
        continue;
      BOOST_TEST(kept->meta.annotations.count("a") == (r.whole ? 1u : 0u));
      BOOST_TEST(kept->meta.annotations.at(core::label::early_failures) == "3");
      BOOST_TEST(kept->meta.labels == o.meta.labels);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_pod_group_is_as_large_as_its_text) {
  for (std::size_t size : {100u, 20'000u}) {
    k8s::object o;
    o.state = k8s::full_state{std::string(size, 'x'), "{}"};
    bool kept =
        child_within_limit_or_null(std::make_shared<k8s::object>(o), 16'384)
        != nullptr;
    BOOST_TEST(kept == (size == 100));
  }
}

BOOST_AUTO_TEST_CASE(only_so_many_are_kept_after_the_jobs_were_listed) {
  const auto most = unclaimed_children::most_after_list;
  for (bool listed_first : {false, true}) {
    unclaimed_children all;
    if (listed_first)
      all.on_jobs_listed(tf_kind);
    for (std::size_t i = 0; i < most + 50; ++i)
      all.add("j" + std::to_string(i), tf_kind,
              fact_about(worker_object(std::to_string(i))));
    BOOST_TEST(all.kept() == (listed_first ? most : most + 50));
    all.on_jobs_listed(mpi_kind); // Their jobs may still be to come.
    BOOST_TEST(all.kept() == (listed_first ? most : most + 50));
    all.on_jobs_listed(tf_kind);
    BOOST_TEST(all.kept() == most);
    BOOST_TEST(all.size() == most + 50);
    std::size_t facts = 0;
    std::size_t not_kept = 0;
    for (std::size_t i = 0; i < most + 50; ++i) {
      auto taken = all.take("j" + std::to_string(i), any_child);
      facts += taken.facts.size();
      not_kept += taken.not_kept.size();
    }
    BOOST_TEST(facts == most);
    BOOST_TEST(not_kept == 50u);
    BOOST_TEST((all.kept() == 0 && all.size() == 0));
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_the_jobs_stays_until_it_is_forgotten) {
  unclaimed_children all;
  all.add("j", tf_kind, fact_about(worker_object("a")));
  all.add("j", tf_kind, fact_about(worker_object("b")));
  all.add("j", tf_kind, fact_about(worker_object("b")));
  BOOST_TEST(all.kept() == 2u);
  auto taken = all.take(
      "j", [](const auto& fact) { return fact.item->meta.uid == "a"; });
  BOOST_TEST(taken.facts.size() == 1u);
  BOOST_TEST(all.size() == 1u);
  all.forget("j", std::string{"b"});
  all.forget("j", std::string{"b"});
  BOOST_TEST((all.kept() == 0 && all.size() == 0));
}

BOOST_AUTO_TEST_SUITE_END()
