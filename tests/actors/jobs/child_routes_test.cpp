#include "actors/jobs/child_routes.hpp"
#include "frameworks/core/model/names.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(child_routes_test)

namespace {

const auto* const tf = frameworks::find("TFJob");

std::shared_ptr<const job_reference> job_named(const std::string& name,
                                               const std::string& uid = "") {
  return std::make_shared<const job_reference>(
      job_reference{tf, "ns", name, uid.empty() ? name + "-uid" : uid});
}

/// The worker of a TFJob of this name, whose UID is "NAME-uid".
k8s::object_ptr worker_of(const std::string& name,
                          const child_builder& worker = pod("worker", 0)) {
  auto job = make_job(name).workers(1).get();
  job.uid = name + "-uid";
  return std::make_shared<k8s::object>(worker.object(job));
}

k8s::object_ptr with_controller_label(const char* value) {
  auto o = std::make_shared<k8s::object>(*worker_of("a"));
  o->meta.labels[core::label::operator_name] = value;
  return o;
}

k8s::object_ptr of_replica_set(std::uint64_t version) {
  auto o = std::make_shared<k8s::object>(*worker_of("a"));
  o->meta.owners[0] = {"apps/v1", "ReplicaSet", "a", "a-uid", true};
  o->meta.resource_version = version;
  return o;
}

std::string text_of(const core::uid_key* job) {
  return job ? job->text() : "nobody";
}

/// One thing that happens to the routes, and who has to be told.
struct step {
  enum { job, no_job, seen, deleted, moved, listed } what;
  const char* name; ///< Of the job.
  k8s::object_ptr child;
  const char* told;
};

std::string take_step(child_routes& routes, const step& s) {
  switch (s.what) {
  case step::job: {
    auto taken = routes.add_job(job_named(s.name));
    return std::to_string(taken.facts.size()) + " taken";
  }
  case step::no_job:
    routes.remove_job(core::uid_key{s.name + std::string{"-uid"}});
    return "";
  case step::seen: {
    auto route = routes.record_seen({child_kind::pod, s.child, 1});
    return (route.is_new ? "new, from " : "from ") + text_of(route.from)
           + " to " + text_of(route.to);
  }
  case step::deleted:
    return text_of(routes.record_deleted({child_kind::pod, s.child}));
  case step::moved:
    return text_of(routes.forget_child_if_moved({child_kind::pod, s.child, 1}));
  case step::listed:
    routes.forget_unlisted({{nullptr, child_kind::pod, s.name}, 2, 9});
    return "";
  }
  return "?";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_child_is_told_to_the_jobs_that_it_concerns) {
  struct row {
    const char* what;
    std::vector<step> steps;
    std::size_t known;     ///< In the end.
    std::size_t unclaimed; ///< Of these.
  };
  auto worker = [] { return pod("worker", 0); };
  auto of_a = worker_of("a");
  // clang-format off
  const row rows[] = {
      {"its job is known", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", of_a, "new, from nobody to a-uid"},
          {step::seen, "", of_a, "from nobody to a-uid"},
          {step::deleted, "", of_a, "a-uid"}}, 0, 0},
      {"its job appears", {
          {step::seen, "", of_a, "new, from nobody to nobody"},
          {step::job, "b", nullptr, "0 taken"},
          {step::job, "a", nullptr, "1 taken"},
          {step::seen, "", of_a, "from nobody to a-uid"}}, 1, 0},
      {"an orphan", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", worker_of("a", worker().orphan()),
           "new, from nobody to a-uid"}}, 1, 0},
      {"UID of a, name of b", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", worker_of("a", worker().owned_by("a-uid", "b")),
           "new, from nobody to nobody"}}, 1, 1},
      {"of a job in another namespace", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", worker_of("a", worker().in_namespace("b")),
           "new, from nobody to nobody"}}, 1, 1},
      {"of a former job of the name", {
          {step::seen, "", worker_of("a", worker().owned_by("before", "a")),
           "new, from nobody to nobody"},
          {step::job, "a", nullptr, "0 taken"}}, 1, 1},
      {"from one job to another", {
          {step::job, "a", nullptr, "0 taken"},
          {step::job, "b", nullptr, "0 taken"},
          {step::seen, "", of_a, "new, from nobody to a-uid"},
          {step::seen, "", worker_of("a", worker().owned_by("b-uid", "b")),
           "from a-uid to b-uid"}}, 1, 0},
      {"from a job to one that is not known", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", of_a, "new, from nobody to a-uid"},
          {step::seen, "", worker_of("a", worker().owned_by("b-uid", "b")),
           "from a-uid to nobody"}}, 1, 1},
      {"to something that is no job", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", of_a, "new, from nobody to a-uid"},
          {step::seen, "", of_replica_set(2), "from a-uid to nobody"}}, 0, 0},
      {"of something that is no job", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", of_replica_set(1), "from nobody to nobody"}}, 0, 0},
      {"its job is gone", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", of_a, "new, from nobody to a-uid"},
          {step::no_job, "a", nullptr, ""},
          {step::deleted, "", of_a, "nobody"}}, 0, 0},
      {"a deletion tells who knew it", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", of_a, "new, from nobody to a-uid"},
          {step::deleted, "", worker_of("a", worker().owned_by("b-uid", "b")),
           "a-uid"}}, 0, 0},
      {"a deletion of what was never seen", {
          {step::job, "a", nullptr, "0 taken"},
          {step::deleted, "", of_a, "a-uid"}}, 0, 0},
      {"the end of a former label", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", with_controller_label("mpijob-controller"),
           "new, from nobody to a-uid"},
          {step::deleted, "", of_a, "nobody"}}, 1, 0},
      {"another directory's, as it was before", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", of_a, "new, from nobody to a-uid"},
          {step::moved, "", of_a, "nobody"}}, 1, 0},
      {"another directory's now", {
          {step::job, "a", nullptr, "0 taken"},
          {step::seen, "", of_a, "new, from nobody to a-uid"},
          {step::moved, "", worker_of("b", worker().version(2)), "a-uid"}},
       0, 0},
      {"not in the list", {
          {step::seen, "", of_a, "new, from nobody to nobody"},
          {step::listed, "", nullptr, ""},
          {step::job, "a", nullptr, "0 taken"}}, 0, 0},
      {"not in a list of another namespace", {
          {step::seen, "", of_a, "new, from nobody to nobody"},
          {step::listed, "other", nullptr, ""}}, 1, 1},
      {"newer than the list", {
          {step::seen, "", worker_of("a", worker().version(10)),
           "new, from nobody to nobody"},
          {step::listed, "", nullptr, ""}}, 1, 1},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      child_routes routes;
      for (const auto& s : r.steps)
        BOOST_TEST(take_step(routes, s) == s.told);
      BOOST_TEST(routes.known() == r.known);
      BOOST_TEST(routes.unclaimed() == r.unclaimed);
    }
}

BOOST_AUTO_TEST_CASE(auxiliary_objects_are_kept_if_a_job_owns_them) {
  for (bool ours : {true, false}) {
    child_routes routes;
    routes.record_seen(
        {child_kind::role, ours ? worker_of("a") : of_replica_set(1), 1});
    BOOST_TEST(routes.known() == (ours ? 1u : 0u));
  }
}

BOOST_AUTO_TEST_CASE(a_pod_of_a_launcher_s_job_comes_to_the_job_in_its_labels) {
  const auto* mpi = frameworks::find("kubeflow.org/v2beta1", "MPIJob");
  auto job = std::make_shared<const job_reference>(
      job_reference{mpi, "ns", "pi", "pi-uid"});
  auto pod = std::make_shared<k8s::object>();
  pod->meta.name = "pi-launcher-x7k2p";
  pod->meta.ns = "ns";
  pod->meta.uid = "pod-uid";
  pod->meta.resource_version = 1;
  pod->meta.labels = {{core::label::operator_name, "mpi-operator"},
                      {core::label::job_name, "pi"},
                      {core::label::job_role, "launcher"}};
  pod->meta.owners.push_back(
      {"batch/v1", "Job", "pi-launcher", "launcher-uid", true});
  const child_seen fact{child_kind::pod, pod, 1};
  child_routes before;
  BOOST_TEST(text_of(before.record_seen(fact).to) == "nobody");
  BOOST_TEST(before.add_job(job).facts.size() == 1u);
  child_routes after;
  after.add_job(job);
  BOOST_TEST(text_of(after.record_seen(fact).to) == "pi-uid");
  BOOST_TEST(text_of(after.record_deleted({child_kind::pod, pod})) == "pi-uid");
}

BOOST_AUTO_TEST_CASE(a_service_that_two_watches_show_is_one_child) {
  const auto* mpi = frameworks::find("kubeflow.org/v2beta1", "MPIJob");
  child_routes routes;
  routes.add_job(std::make_shared<const job_reference>(
      job_reference{mpi, "ns", "pi", "pi-uid"}));
  auto service = std::make_shared<k8s::object>();
  service->meta.name = "pi";
  service->meta.ns = "ns";
  service->meta.uid = "service-uid";
  service->meta.resource_version = 1;
  service->meta.labels = {{core::label::operator_name, "mpi-operator"}};
  service->meta.owners.push_back(
      {"kubeflow.org/v2beta1", "MPIJob", "pi", "pi-uid", true});
  auto seen = [&](child_kind kind) {
    return text_of(routes.record_seen({kind, service, 1}).to);
  };
  auto deleted = [&](child_kind kind) {
    return text_of(routes.record_deleted({kind, service}));
  };
  BOOST_TEST(seen(child_kind::service) == "nobody");
  BOOST_TEST(seen(child_kind::job_service) == "pi-uid");
  BOOST_TEST(seen(child_kind::service) == "nobody");
  BOOST_TEST(deleted(child_kind::service) == "nobody");
  BOOST_TEST(routes.known() == 1u);
  routes.forget_unlisted({{nullptr, child_kind::service, ""}, 2, 9});
  BOOST_TEST(routes.known() == 1u);
  BOOST_TEST(deleted(child_kind::job_service) == "pi-uid");
  BOOST_TEST(routes.known() == 0u);
}

BOOST_AUTO_TEST_CASE(what_was_too_large_is_named_to_its_job) {
  auto large = std::make_shared<k8s::object>(*worker_of("a"));
  large->meta.labels["x"] =
      std::string(unclaimed_children::most_bytes_of_child, 'x');
  child_routes routes;
  routes.record_seen({child_kind::pod, large, 1});
  auto taken = routes.add_job(job_named("a"));
  BOOST_TEST(taken.facts.empty());
  BOOST_TEST(taken.not_kept.size() == 1u);
  BOOST_TEST(text_of(routes.record_deleted({child_kind::pod, large}))
             == "a-uid");
}

BOOST_AUTO_TEST_CASE(a_job_is_found_by_its_name_and_version) {
  const auto* v1 = frameworks::find("DIJob");
  const core::framework* v2 = nullptr;
  for (const auto& f : frameworks::all())
    if (f.names.type.kind == "DIJob" && &f != v1)
      v2 = &f;
  BOOST_REQUIRE(v2);
  child_routes routes;
  routes.add_job(job_named("b"));
  routes.add_job(job_named("a"));
  routes.add_job(std::make_shared<const job_reference>(
      job_reference{v1, "ns", "a", "di-uid"}));
  BOOST_TEST(text_of(routes.find_job_of_any_version("ns", "TFJob", "a"))
             == "a-uid");
  BOOST_TEST(text_of(routes.find_job_of_any_version("ns", "DIJob", "a"))
             == "di-uid");
  BOOST_TEST(text_of(routes.find_job_of_any_version("other", "TFJob", "a"))
             == "nobody");
  BOOST_TEST(text_of(routes.find_job(*v1, "ns", "a")) == "di-uid");
  BOOST_TEST(text_of(routes.find_job(*v2, "ns", "a")) == "nobody");
  strings found;
  for (const auto* uid : routes.find_jobs(*tf, ""))
    found.push_back(uid->text());
  BOOST_TEST(found == (strings{"a-uid", "b-uid"}));
  BOOST_TEST(routes.find_jobs(*tf, "other").empty());
}

// The end of the first one was not seen, and is reported late.
BOOST_AUTO_TEST_CASE(a_name_is_the_latest_jobs) {
  child_routes routes;
  routes.add_job(job_named("a", "first"));
  routes.add_job(job_named("a", "second"));
  routes.remove_job(std::string{"first"});
  BOOST_TEST(text_of(routes.find_job_of_any_version("ns", "TFJob", "a"))
             == "second");
  routes.remove_job(std::string{"second"});
  BOOST_TEST(text_of(routes.find_job_of_any_version("ns", "TFJob", "a"))
             == "nobody");
}

BOOST_AUTO_TEST_SUITE_END()
