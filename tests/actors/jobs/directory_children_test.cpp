// Which job hears of a child.
#include "frameworks/core/model/names.hpp"
#include "tests/actors/jobs/directory_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;
using core::child_kind;

BOOST_AUTO_TEST_SUITE(directory_children_test)

BOOST_AUTO_TEST_CASE(an_owner_may_be_named_in_any_version) {
  for (bool job_first : {true, false}) {
    directory_fixture f;
    f.listed();
    if (job_first)
      f.see(f.job_object("a"));
    auto o = f.child_object(pod("worker", 0), "a");
    o.meta.owners[0].api_version = "kubeflow.org/v2";
    f.send(f.subject,
           child_seen{child_kind::pod, std::make_shared<k8s::object>(o), 1});
    if (!job_first)
      f.see(f.job_object("a"));
    BOOST_TEST(f.pods_of("a") == strings{"pod-worker-0"}, per_element());
    BOOST_TEST(f.report()["childrenUnclaimed"] == 0);
  }
}

BOOST_AUTO_TEST_CASE(what_can_be_no_jobs_child_is_not_kept) {
  for (bool was_ours : {false, true}) {
    directory_fixture f;
    f.listed();
    f.see(f.job_object("a"));
    if (was_ours)
      f.see(pod("worker", 0), "a");
    auto o = f.child_object(pod("worker", 0).version(2), "a");
    o.meta.owners[0] = {"apps/v1", "ReplicaSet", "a", "a-uid", true};
    f.send(f.subject,
           child_seen{child_kind::pod, std::make_shared<k8s::object>(o), 1});
    BOOST_TEST(f.report()["childrenKnown"] == 0);
    BOOST_TEST(f.report()["childrenUnclaimed"] == 0);
    BOOST_TEST(f.pods_of("a").empty());
  }
}

BOOST_AUTO_TEST_CASE(a_job_lists_children_that_were_too_large_to_be_kept) {
  for (bool large : {false, true}) {
    directory_fixture f;
    f.listed();
    auto o = f.child_object(pod("worker", 0), "a");
    if (large)
      for (int i = 0; i < 200; ++i)
        o.meta.labels["l" + std::to_string(i)] = std::string(100, 'x');
    f.send(f.subject,
           child_seen{child_kind::pod, std::make_shared<k8s::object>(o), 1});
    f.see(f.job_object("a"));
    BOOST_TEST(f.report()["childrenUnclaimed"] == 0);
    BOOST_TEST(f.report_of("a")["recovering"] == large);
    BOOST_TEST(f.waits("get tfjobs a") == large);
    BOOST_TEST(f.pods_of("a").size() == (large ? 0u : 1u));
  }
}

BOOST_AUTO_TEST_CASE(a_child_that_another_directory_has_seen_is_forgotten) {
  struct row {
    int version; ///< As the other directory has seen it; here it is 2.
    bool kept;
  };
  for (const auto& r : {row{1, true}, row{2, true}, row{3, false}})
    for (bool job_known : {true, false}) {
      directory_fixture f;
      f.listed();
      if (job_known)
        f.see(f.job_object("a"));
      f.see(pod("worker", 0).version(2), "a");
      auto moved = f.child_object(pod("worker", 0).version(r.version), "b");
      f.send(f.subject, child_moved{{child_kind::pod,
                                     std::make_shared<k8s::object>(moved), 1}});
      if (!job_known)
        f.see(f.job_object("a"));
      BOOST_TEST(f.pods_of("a").size() == (r.kept ? 1u : 0u));
      BOOST_TEST(f.report()["childrenKnown"] == (r.kept ? 1 : 0));
    }
}

BOOST_AUTO_TEST_CASE(a_child_is_announced_to_the_other_directories_once) {
  directory_fixture f;
  f.listed();
  strings announced;
  auto peer = f.spawn([&]() -> caf::behavior {
    return {[&](const child_moved& m) {
      announced.push_back(m.fact.item->meta.name);
    }};
  });
  f.send(f.subject,
         peer_directories{{caf::actor_cast<peer_directory_actor>(peer)}});
  f.see(pod("worker", 0), "a");
  f.see(pod("worker", 0).version(2), "a");
  f.see(pod("worker", 1).owned_by("x"), "a");
  BOOST_TEST(announced.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_part_of_the_pods_is_swept_by_the_list_of_that_part) {
  const auto* mpi = frameworks::find("MPIJob");
  for (bool same_part : {true, false}) {
    directory_fixture f;
    f.listed();
    f.see(f.job_object("a"));
    f.see(pod("worker", 0), "a");
    f.send(
        f.subject,
        list_complete{
            {nullptr, child_kind::pod, "", {same_part ? tf_kind : mpi}}, 2, 9});
    BOOST_TEST(f.report()["childrenKnown"] == (same_part ? 0 : 1));
    BOOST_TEST(f.pods_of("a").size() == (same_part ? 0u : 1u));
  }
}

BOOST_AUTO_TEST_CASE(an_end_in_the_watch_of_a_former_label_is_none) {
  directory_fixture f;
  f.listed();
  f.see(f.job_object("a"));
  auto pod_object = f.child_object(pod("worker", 0), "a");
  auto with_controller = [&](const char* controller) {
    auto o = pod_object;
    o.meta.labels[core::label::operator_name] = controller;
    return std::make_shared<k8s::object>(o);
  };
  f.send(f.subject,
         child_seen{child_kind::pod, with_controller("mpijob-controller"), 1});
  f.send(f.subject,
         child_deleted{child_kind::pod, with_controller("tfjob-controller")});
  BOOST_TEST(f.report()["childrenKnown"] == 1);
  f.send(f.subject,
         child_deleted{child_kind::pod, with_controller("mpijob-controller")});
  BOOST_TEST(f.report()["childrenKnown"] == 0);
}

BOOST_AUTO_TEST_CASE(auxiliary_objects_without_a_job_as_owner_are_not_kept) {
  for (bool ours : {false, true}) {
    directory_fixture f;
    auto o = f.child_object(child_builder{child_kind::role, "worker", 0}, "a");
    if (!ours)
      o.meta.owners[0].kind = "Deployment";
    f.send(f.subject,
           child_seen{child_kind::role, std::make_shared<k8s::object>(o), 1});
    BOOST_TEST(f.report()["childrenKnown"] == (ours ? 1 : 0));
  }
}

BOOST_AUTO_TEST_CASE(a_change_of_owner_is_told_to_both_jobs) {
  directory_fixture f;
  f.listed();
  f.see(pod("worker", 0), "a");
  f.see(f.job_object("a"));
  f.see(f.job_object("b"));
  BOOST_TEST(!f.waits("create pods a-worker-0"));
  f.see(pod("worker", 0).owned_by("b-uid", "b").version(2), "a");
  BOOST_TEST(f.pods_of("a").empty());
  BOOST_TEST(f.waits("create pods a-worker-0"));
  BOOST_TEST(f.pods_of("b") == strings{"pod-worker-0"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_deletion_reaches_the_job_that_knew_the_child) {
  directory_fixture f;
  f.listed();
  f.see(f.job_object("a"));
  f.see(pod("worker", 0), "a");
  // Its owner has changed in between; no event told so.
  f.forget(pod("worker", 0).owned_by("b-uid", "b"), "a");
  BOOST_TEST(f.pods_of("a").empty());
  BOOST_TEST(f.report()["childrenKnown"] == 0);
}

BOOST_AUTO_TEST_CASE(what_was_deleted_before_its_job_is_seen_is_forgotten) {
  for (bool by_list : {false, true}) {
    directory_fixture f;
    f.listed();
    f.see(pod("worker", 0), "a");
    if (by_list)
      f.complete_list(child_kind::pod, 2, 1);
    else
      f.forget(pod("worker", 0), "a");
    BOOST_TEST(f.report()["childrenUnclaimed"] == 0);
    f.see(f.job_object("a"));
    BOOST_TEST(f.pods_of("a").empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
