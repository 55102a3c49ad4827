#include "frameworks/core/memory/job_memory.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using core::child_kind;
using core::order_outcome;

BOOST_AUTO_TEST_SUITE(job_memory_test)

namespace {

const core::slot w0{"worker", 0};

struct memory_fixture {
  core::job_ptr j = std::make_shared<const core::job>(
      make_job().workers(1).restart_policy("OnFailure").get());
  core::job_memory memory;
  core::job_status saved;
  k8s::time_point now = base_time;

  memory_fixture() { memory.set_job_and_forget_obsolete_failures(j); }

  k8s::object_ptr object(const child_builder& c) const {
    return std::make_shared<const k8s::object>(c.object(*j));
  }
  core::child_order order(const core::decision& d) {
    return memory.record_issued_order(d, {}, now);
  }
  core::memory_change done(const core::child_order& o, k8s::object_ptr item,
                           bool already_satisfied = false) {
    return memory.apply_order_result(
        core::order_done{o, std::move(item), already_satisfied}, saved, {});
  }
  core::memory_change failed(const core::child_order& o, k8s::ec code,
                             k8s::object_ptr there = nullptr) {
    return memory.apply_order_result(
        core::order_failed{o, {code, "no"}, std::move(there)}, saved, now, 0);
  }
  core::memory_change see(const child_builder& c) {
    auto o = c.object(*j);
    return memory.record_child_seen(
        c.what(), o, core::claims_on_kind(o.meta, *j->kind), 1, saved);
  }
  core::child_order create_pod() {
    return order(core::create_child{child_kind::pod, w0, "why"});
  }
  core::child_order remove_pod() {
    return order(core::delete_child{child_kind::pod, w0, "job-worker-0",
                                    "pod-worker-0", "why"});
  }
  bool knows_pod() const {
    return memory.observed().pods().count(core::uid_key{"pod-worker-0"}) > 0;
  }
  bool is_creation_blocked() const {
    return memory.expectations().is_creation_blocked({child_kind::pod, w0},
                                                     now);
  }
};

std::vector<std::string> reasons(const core::memory_change& c) {
  std::vector<std::string> out;
  for (const auto& e : c.events)
    out.push_back(e.reason);
  return out;
}

bool counts(const core::memory_change& c, order_outcome what) {
  return std::count(c.outcomes.begin(), c.outcomes.end(), what) == 1;
}

} // namespace

BOOST_FIXTURE_TEST_CASE(a_creation_is_expected_until_it_is_reported,
                        memory_fixture) {
  auto o = create_pod();
  BOOST_TEST(is_creation_blocked());
  BOOST_TEST(memory.orders_in_flight().size() == 1u);
  auto change = done(o, object(pod("worker", 0)));
  BOOST_TEST(!is_creation_blocked());
  BOOST_TEST(memory.orders_in_flight().empty());
  BOOST_TEST(knows_pod());
  BOOST_TEST(change.must_reconcile);
  BOOST_TEST(counts(change, order_outcome::pod_created));
  BOOST_TEST(reasons(change) == strings{"SuccessfulCreatePod"},
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(what_was_there_is_neither_counted_nor_told,
                        memory_fixture) {
  auto change = done(create_pod(), object(pod("worker", 0)), true);
  BOOST_TEST(knows_pod());
  BOOST_TEST(change.outcomes.empty());
  BOOST_TEST(change.events.empty());
}

BOOST_FIXTURE_TEST_CASE(a_late_answer_does_not_bring_back_what_is_gone,
                        memory_fixture) {
  auto o = create_pod();
  memory.record_child_deleted(child_kind::pod, "pod-worker-0");
  done(o, object(pod("worker", 0)));
  BOOST_TEST(!knows_pod());
  // Nothing is under way any more: the next answer is of a later object.
  done(create_pod(), object(pod("worker", 0)));
  BOOST_TEST(knows_pod());
}

BOOST_FIXTURE_TEST_CASE(an_own_list_does_not_bring_back_what_is_gone,
                        memory_fixture) {
  memory.begin_recovery_lists();
  memory.record_child_deleted(child_kind::pod, "pod-worker-0");
  auto listed = pod("worker", 0).object(*j);
  memory.record_child_listed_if_own(child_kind::pod, listed, 9, saved);
  BOOST_TEST(!knows_pod());
  memory.end_recovery_lists();
  memory.record_child_listed_if_own(child_kind::pod, listed, 9, saved);
  BOOST_TEST(knows_pod());
}

BOOST_FIXTURE_TEST_CASE(auxiliary_objects_of_others_are_not_taken_from_a_list,
                        memory_fixture) {
  k8s::object other;
  other.meta.name = "files";
  other.meta.ns = "ns";
  other.meta.uid = "u";
  memory.record_child_listed_if_own(child_kind::config_map, other, 9, saved);
  BOOST_TEST(
      memory.observed().children_of_kind(child_kind::config_map).empty());
  other.meta.owners.push_back(
      {"kubeflow.org/v1", "TFJob", "job", "job-uid", true});
  memory.record_child_listed_if_own(child_kind::config_map, other, 9, saved);
  BOOST_TEST(memory.observed().children_of_kind(child_kind::config_map).size()
             == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_refused_creation_waits_longer_each_time,
                        memory_fixture) {
  auto change = failed(create_pod(), k8s::ec::forbidden);
  BOOST_TEST(reasons(change) == strings{"FailedCreatePod"},
             boost::test_tools::per_element());
  BOOST_TEST(change.must_reconcile);
  auto first = *memory.expectations().next_retry_at(now) - now;
  now += first;
  failed(create_pod(), k8s::ec::forbidden);
  BOOST_TEST((*memory.expectations().next_retry_at(now) - now > first));
}

BOOST_FIXTURE_TEST_CASE(a_pod_whose_name_is_free_again_is_decided_anew_at_once,
                        memory_fixture) {
  auto free_again = [&] {
    core::order_failed result{create_pod(), {k8s::ec::exists, "no"}, nullptr};
    result.name_is_free = true;
    return memory.apply_order_result(result, saved, now, 0);
  };
  for (int i = 0; i < 2; ++i) {
    auto change = free_again();
    BOOST_TEST(reasons(change) == strings{}, boost::test_tools::per_element());
    BOOST_TEST(change.must_reconcile);
    BOOST_TEST(!memory.expectations().next_retry_at(now).has_value());
  }
  // Not for ever.
  BOOST_TEST(reasons(free_again()) == strings{"FailedCreatePod"},
             boost::test_tools::per_element());
  BOOST_TEST((*memory.expectations().next_retry_at(now) > now));
}

BOOST_FIXTURE_TEST_CASE(an_orphan_that_has_the_name_is_remembered,
                        memory_fixture) {
  failed(create_pod(), k8s::ec::exists, object(pod("worker", 0).orphan()));
  BOOST_REQUIRE(knows_pod());
  BOOST_TEST(
      !memory.observed().pods().find(core::uid_key{"pod-worker-0"})->owned);
}

BOOST_AUTO_TEST_CASE(the_end_of_what_has_the_name_ends_the_wait) {
  struct row {
    child_kind kind;
    const char* name;
    bool ends;
  } rows[] = {
      {child_kind::pod, "job-worker-0", true},
      {child_kind::service, "job-worker-0", false},
      {child_kind::pod, "job-worker-1", false},
  };
  for (const auto& r : rows)
    for (auto code : {k8s::ec::exists, k8s::ec::forbidden}) {
      memory_fixture f;
      f.failed(f.create_pod(), code);
      bool ends = r.ends && code == k8s::ec::exists;
      BOOST_TEST(f.memory.record_name_freed(r.kind, r.name).must_reconcile
                 == ends);
      BOOST_TEST(f.is_creation_blocked() == !ends);
    }
  // A list may be the first to show that it is gone.
  memory_fixture f;
  f.failed(f.create_pod(), k8s::ec::exists);
  BOOST_TEST(
      !f.memory.record_list_complete(child_kind::service, 2, 9).must_reconcile);
  BOOST_TEST(
      f.memory.record_list_complete(child_kind::pod, 2, 9).must_reconcile);
  BOOST_TEST(!f.is_creation_blocked());
}

// The watch may be faster than the answer to the creation, or to the read that
// follows it.
BOOST_AUTO_TEST_CASE(
    a_name_freed_while_the_order_is_in_flight_is_not_waited_for) {
  struct row {
    const char* name;
    k8s::ec answer;
    bool waits;
  } rows[] = {
      {"job-worker-0", k8s::ec::exists, false},
      {"job-worker-1", k8s::ec::exists, true},
      {"job-worker-0", k8s::ec::forbidden, true},
  };
  for (const auto& r : rows) {
    memory_fixture f;
    auto o = f.create_pod();
    BOOST_TEST(
        !f.memory.record_name_freed(child_kind::pod, r.name).must_reconcile);
    BOOST_TEST(f.is_creation_blocked());
    auto change = f.failed(o, r.answer, f.object(pod("worker", 0).orphan()));
    BOOST_TEST(change.must_reconcile);
    BOOST_TEST(f.is_creation_blocked() == r.waits);
    BOOST_TEST(change.events.empty() == !r.waits);
    BOOST_TEST(f.knows_pod() == r.waits);
    // It counts for that order only.
    f.memory.record_name_freed(child_kind::pod, "job-worker-0");
    f.failed(f.create_pod(), k8s::ec::exists);
    BOOST_TEST(f.is_creation_blocked());
  }
  memory_fixture f;
  auto o = f.create_pod();
  f.memory.record_list_complete(child_kind::pod, 2, 9);
  f.failed(o, k8s::ec::exists);
  BOOST_TEST(!f.is_creation_blocked());
}

BOOST_FIXTURE_TEST_CASE(only_what_fails_is_told, memory_fixture) {
  BOOST_TEST(failed(create_pod(), k8s::ec::cancelled).events.empty());
  auto refused = failed(order(core::create_child{child_kind::service, w0, ""}),
                        k8s::ec::invalid);
  BOOST_TEST(counts(refused, order_outcome::service_refused));
  // What it refers to may be too new for the server: told the second time.
  core::auxiliary_object wanted{child_kind::role_binding, "b", "{}", ""};
  wanted.refers_to = child_kind::role;
  core::create_auxiliary binding{wanted, ""};
  BOOST_TEST(failed(order(binding), k8s::ec::not_found).events.empty());
  BOOST_TEST(failed(order(binding), k8s::ec::not_found).events.size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(the_removal_of_a_failed_pod_is_a_restart,
                        memory_fixture) {
  see(pod("worker", 0).failed(1));
  auto change = done(remove_pod(), nullptr);
  BOOST_TEST(counts(change, order_outcome::pod_deleted));
  BOOST_TEST(counts(change, order_outcome::replica_restarted));
  BOOST_TEST(reasons(change) == strings{"SuccessfulDeletePod"},
             boost::test_tools::per_element());
  // Accepted: it is on its way out until the watch has seen the end.
  BOOST_TEST(memory.observed()
                 .pods()
                 .find(core::uid_key{"pod-worker-0"})
                 ->terminating);

  see(pod("worker", 0).failed(1));
  core::job_status over;
  over.set_condition(core::condition_type::succeeded, true, "R", "m", now);
  auto cleanup = memory.record_issued_order(
      core::delete_child{child_kind::pod, w0, "p", "pod-worker-0", ""}, over,
      now);
  BOOST_TEST(!counts(done(cleanup, nullptr), order_outcome::replica_restarted));
}

BOOST_FIXTURE_TEST_CASE(a_pod_is_leaving_from_when_its_deletion_is_sent,
                        memory_fixture) {
  auto is_leaving = [&] {
    return memory.observed()
        .pods()
        .find(core::uid_key{"pod-worker-0"})
        ->is_leaving();
  };
  see(pod("worker", 0).running());
  auto first = remove_pod();
  BOOST_TEST(is_leaving());
  see(pod("worker", 0).running().version(2));
  BOOST_TEST(is_leaving());
  failed(first, k8s::ec::server_error);
  BOOST_TEST(!is_leaving());
  done(remove_pod(), nullptr);
  BOOST_TEST(is_leaving());
}

BOOST_FIXTURE_TEST_CASE(what_was_gone_already_is_forgotten, memory_fixture) {
  see(pod("worker", 0));
  auto change = done(remove_pod(), nullptr, true);
  BOOST_TEST(!knows_pod());
  BOOST_TEST(change.events.empty());
  see(pod("worker", 0).version(2).orphan());
  done(order(core::adopt_child{child_kind::pod, w0, "p", "pod-worker-0", ""}),
       nullptr, true);
  BOOST_TEST(!knows_pod());
  BOOST_TEST(!memory.expectations().is_child_operation_blocked(
      child_kind::pod, "pod-worker-0", now));
}

BOOST_FIXTURE_TEST_CASE(a_cancelled_order_leaves_nothing_behind,
                        memory_fixture) {
  auto o = create_pod();
  memory.apply_order_result(core::orders_cancelled{{o}});
  BOOST_TEST(!is_creation_blocked());
  BOOST_TEST(memory.orders_in_flight().empty());
}

BOOST_FIXTURE_TEST_CASE(the_content_of_the_answer_counts_as_wanted,
                        memory_fixture) {
  core::create_auxiliary files{
      core::auxiliary_object{child_kind::config_map, "files",
                             R"({"data":{"a":"1"}})", ""},
      ""};
  auto made = std::make_shared<k8s::object>();
  made->meta.name = "files";
  made->meta.ns = "ns";
  made->meta.uid = "u";
  made->meta.resource_version = 3;
  made->meta.owners.push_back(
      {"kubeflow.org/v1", "TFJob", "job", "job-uid", true});
  made->state = k8s::full_state{R"({"data":{"a":"1"}})", "{}"};
  done(order(files), made);
  const auto& v = *memory.observed()
                       .children_of_kind(child_kind::config_map)
                       .find(core::uid_key{"u"});
  BOOST_TEST(v.content->is_result_of_applying(*files.wanted));
}

BOOST_FIXTURE_TEST_CASE(failures_of_what_is_no_longer_wanted_are_forgotten,
                        memory_fixture) {
  memory.set_job_and_forget_obsolete_failures(std::make_shared<const core::job>(
      make_job().workers(3).servers(1).get()));
  for (const auto& at :
       {core::slot{"worker", 0}, core::slot{"worker", 2}, core::slot{"ps", 0}})
    failed(order(core::create_child{child_kind::pod, at, "why"}),
           k8s::ec::invalid);
  order(core::create_child{child_kind::pod, core::slot{"worker", 1}, "why"});
  BOOST_TEST(memory.expectations().creation_count() == 4u);
  memory.set_job_and_forget_obsolete_failures(
      std::make_shared<const core::job>(make_job().workers(1).get()));
  BOOST_TEST(memory.expectations().creation_count() == 2u);
  BOOST_TEST(memory.expectations().has_creation(
      {child_kind::pod, core::slot{"worker", 0}}));
  BOOST_TEST(memory.expectations().has_creation( // It is in flight.
      {child_kind::pod, core::slot{"worker", 1}}));
}

BOOST_FIXTURE_TEST_CASE(children_without_a_job_are_dropped, memory_fixture) {
  memory.set_job_and_forget_obsolete_failures(nullptr);
  BOOST_TEST(!see(pod("worker", 0)).must_reconcile);
  BOOST_TEST(!knows_pod());
}

// Whatever keeps the object from its slot: the creation is not repeated at once
// for ever.
BOOST_AUTO_TEST_CASE(a_creation_that_finds_the_same_object_again_backs_off) {
  using std::chrono::milliseconds;
  memory_fixture f;
  const core::creation_key key{core::child_kind::pod, core::slot{"worker", 0}};
  auto blocked = [&] {
    return f.memory.expectations().is_creation_blocked(key, f.now);
  };
  auto found = [&](const char* uid) {
    auto there = f.object(pod("worker", 1).uid(uid));
    auto change = f.done(f.create_pod(), there, true);
    return change.events.size();
  };
  BOOST_TEST(found("a") == 0u);
  BOOST_TEST(!blocked());
  BOOST_TEST(found("a") == 1u);
  BOOST_TEST(blocked());
  f.now += milliseconds{50};
  BOOST_TEST(!blocked());
  found("a");
  f.now += milliseconds{50};
  BOOST_TEST(blocked());
  f.now += milliseconds{50};
  BOOST_TEST(!blocked());
  // Another object, and one that was made.
  BOOST_TEST(found("b") == 0u);
  BOOST_TEST(!blocked());
  f.done(f.create_pod(), f.object(pod("worker", 0).uid("c")));
  BOOST_TEST(found("b") == 0u);
  BOOST_TEST(!blocked());
  // What the job is may have changed.
  f.memory.set_job_and_forget_obsolete_failures(f.j);
  BOOST_TEST(found("b") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
