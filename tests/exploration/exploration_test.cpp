#include "tests/exploration/explorer.hpp"
#include "tests/exploration/fingerprint.hpp"
#include "tests/exploration/fingerprint_set.hpp"
#include "tests/exploration/worlds.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::exploration;

BOOST_AUTO_TEST_SUITE(exploration_test)

namespace {

std::unique_ptr<setting> make_world(const char* name, const bounds& most) {
  auto row = *find_world(name);
  row.may_happen = most;
  return row.make();
}

/// Two workers, of whom one fails, which restarts both.
std::unique_ptr<setting> restarted_job(int late_ends = 0) {
  bounds b;
  b.failures = 1;
  b.late_ends = late_ends;
  return make_world("jax-2-failure", b);
}

core::shared_status with_recovery(core::job_status s,
                                  const core::recovery_status& r) {
  s.recovery = r;
  return s;
}

/// What explore() finds with this function in place of the plan.
std::string violation_of(setting& s, setting::plan_function plan) {
  s.plan = std::move(plan);
  auto found = explore(s, {});
  BOOST_TEST(!found.trace.empty());
  return found.violation;
}

} // namespace

// -- planted faults -----------------------------------------------------------

namespace {

/// It takes for saved what it has decided.
core::plan_result plan_before_saving(const core::job& j,
                                     const core::observed_children& seen,
                                     const core::expectations& open,
                                     const core::job_status& status,
                                     const core::job_status& saved,
                                     core::time_point now,
                                     const core::cluster_options& cluster) {
  return core::plan(j, seen, open, status,
                    *with_recovery(saved, *status.recovery), now, cluster);
}

/// As if the job had this policy.
setting::plan_function
with_policy(const std::function<void(core::failure_policy&)>& change) {
  return [change](const core::job& j, const core::observed_children& seen,
                  const core::expectations& open,
                  const core::job_status& status, const core::job_status& saved,
                  core::time_point now, const core::cluster_options& cluster) {
    auto other = j;
    auto policy = j.failure_policy_or_default();
    change(policy);
    other.policy.failure = std::make_shared<const core::failure_policy>(policy);
    return core::plan(other, seen, open, status, saved, now, cluster);
  };
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_that_are_deleted_before_the_attempt_is_saved) {
  for (const char* name : {"jax-2-failure", "pruned-1-failure"}) {
    auto s = find_world(name)->make();
    auto found = violation_of(*s, plan_before_saving);
    BOOST_TEST_INFO(found);
    BOOST_TEST(found.find("before the status that says why is saved")
               != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_restart_of_the_job_where_a_rule_fails_it) {
  auto s = find_world("rule-2-fatal")->make();
  auto found =
      violation_of(*s, with_policy([](auto& policy) { policy.rules.clear(); }));
  BOOST_TEST_INFO(found);
  BOOST_TEST(found.find("fail with the code of its rule") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_restart_of_a_type_that_has_lost_no_pod) {
  auto s = find_world("types-1x2-failure")->make();
  auto found = violation_of(*s, with_policy([](auto& policy) {
    policy.scope = core::restart_scope::job;
  }));
  BOOST_TEST(found == "begins an attempt without a reason");
}

BOOST_AUTO_TEST_CASE(an_attempt_that_is_counted_twice) {
  auto s = restarted_job();
  auto found = violation_of(
      *s, [](const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) {
        auto result = core::plan(j, seen, open, status, saved, now, cluster);
        auto r = *result.status.recovery;
        if (r.attempt > status.recovery->attempt)
          ++r.counted;
        result.status.recovery = r;
        return result;
      });
  BOOST_TEST(found == "counts an attempt more often than it may");
}

BOOST_AUTO_TEST_CASE(a_late_success_of_an_old_attempt_that_is_accepted) {
  auto s = restarted_job(/*late_ends=*/1);
  auto found = violation_of(
      *s, [](const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) {
        auto result = core::plan(j, seen, open, status, saved, now, cluster);
        for (const auto& pod : seen.pods())
          if (pod.phase == k8s::pod_phase::succeeded
              && pod.attempt < status.recovery->attempt)
            result.status.set_condition(core::condition_type::succeeded, true,
                                        "JAXJobSucceeded", "done", now);
        return result;
      });
  BOOST_TEST(found == "succeeds without a reason");
}

namespace {

/// Changes what the plan has decided.
setting::plan_function with_decisions(
    const std::function<void(std::vector<core::decision>&)>& change) {
  return [change](const core::job& j, const core::observed_children& seen,
                  const core::expectations& open,
                  const core::job_status& status, const core::job_status& saved,
                  core::time_point now, const core::cluster_options& cluster) {
    auto result = core::plan(j, seen, open, status, saved, now, cluster);
    change(result.decisions);
    return result;
  };
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_that_its_kubelet_could_have_ended) {
  bounds b;
  b.suspensions = 1;
  auto s = make_world("lost-node-jax-1", b);
  auto found = violation_of(*s, with_decisions([](auto& all) {
    for (auto& d : all)
      if (auto* removal = std::get_if<core::delete_child>(&d))
        removal->at_once = true;
  }));
  BOOST_TEST_INFO(found);
  BOOST_TEST(found.find("at once, whose node reports") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_lost_pod_that_stays) {
  auto s = find_world("lost-node-jax-1")->make();
  auto found = violation_of(*s, with_decisions([](auto& all) {
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const auto& d) {
                               return std::holds_alternative<core::read_node>(
                                   d);
                             }),
              all.end());
  }));
  BOOST_TEST_INFO(found);
  BOOST_TEST(found.find("which is not replaced") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_launcher_before_its_workers) {
  auto s = find_world("mpi-2")->make();
  auto found = violation_of(*s, with_decisions([](auto& all) {
    for (auto& d : all)
      if (auto* c = std::get_if<core::create_child>(&d)) {
        c->at = {"launcher", 0};
        break;
      }
  }));
  BOOST_TEST(found == "launcher-0#1 is made before its workers");
}

BOOST_AUTO_TEST_CASE(a_service_that_is_never_made) {
  auto s = find_world("services-jax-1-failure")->make();
  auto found = violation_of(*s, with_decisions([](auto& all) {
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const auto& d) {
                               const auto* c =
                                   std::get_if<core::create_child>(&d);
                               return c && c->kind == core::child_kind::service;
                             }),
              all.end());
  }));
  BOOST_TEST(found == "has 0 services, not 1");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_never_made) {
  auto s = make_world("jax-3", {});
  auto found = violation_of(
      *s, [](const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) {
        auto result = core::plan(j, seen, open, status, saved, now, cluster);
        result.decisions.clear();
        return result;
      });
  BOOST_TEST(found.find("goes on without worker-") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_timer_for_ever) {
  auto s = make_world("jax-3", {});
  auto found = violation_of(
      *s, [](const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) {
        auto result = core::plan(j, seen, open, status, saved, now, cluster);
        result.requeue_at = now + std::chrono::minutes{1};
        return result;
      });
  BOOST_TEST(found == "it can go on for ever: the same state again");
}

// -- the search ---------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_world_is_closed) {
  auto s = make_world("jax-3", {});
  auto found = explore(*s, {});
  BOOST_TEST(found.violation == "");
  BOOST_TEST(found.closed);
  BOOST_TEST(found.states > 1000U);
  BOOST_TEST(found.ends > 0U);
}

BOOST_AUTO_TEST_CASE(a_limit_leaves_it_open) {
  auto s = restarted_job();
  exploration_limits limits;
  limits.states = 1000;
  BOOST_TEST(!explore(*s, limits).closed);
}

BOOST_AUTO_TEST_CASE(a_set_of_fingerprints) {
  fingerprint_set set;
  for (std::uint64_t i = 1; i <= 5000; ++i)
    BOOST_TEST(set.insert({i * 0x9E3779B97F4A7C15, i << 50U}));
  for (std::uint64_t i = 1; i <= 5000; ++i)
    BOOST_TEST(!set.insert({i * 0x9E3779B97F4A7C15, i << 50U}));
  BOOST_TEST(set.size() == 5000U);
}

// -- what is one state --------------------------------------------------------

namespace {

const auto noon = time_of_start();
const pod_places alike{{"job-worker-0", "job-worker-1"}, {{0, 1}}};
const pod_places different{{"job-ps-0", "job-worker-0"}, {{0}, {1}}};

fingerprint of(const pod_places& places,
               const std::function<void(encoder&)>& write) {
  encoder e;
  e.reset(places, noon);
  write(e);
  return e.finish();
}

void write_version(encoder& e, int slot, std::uint64_t v) {
  encoder::part part{e, slot, 1};
  e.version(v);
}

} // namespace

BOOST_AUTO_TEST_CASE(versions_count_by_their_order) {
  auto two = [](std::uint64_t a, std::uint64_t b) {
    return of(different, [=](encoder& e) {
      write_version(e, 0, a);
      write_version(e, 0, b);
    });
  };
  BOOST_TEST((two(3, 9) == two(4, 5)));
  BOOST_TEST(!(two(3, 9) == two(9, 3)));
  BOOST_TEST(!(two(3, 9) == two(3, 3)));
}

BOOST_AUTO_TEST_CASE(versions_of_different_slots_are_not_compared) {
  auto two = [](std::uint64_t a, std::uint64_t b) {
    return of(different, [=](encoder& e) {
      write_version(e, 0, a);
      write_version(e, 1, b);
    });
  };
  BOOST_TEST((two(3, 9) == two(9, 3)));
}

BOOST_AUTO_TEST_CASE(a_list_is_compared_with_the_pods_of_all_slots) {
  auto with_list = [](std::uint64_t pod, std::uint64_t list) {
    return of(different, [=](encoder& e) {
      write_version(e, 1, pod);
      e.list_version(list);
    });
  };
  BOOST_TEST((with_list(3, 9) == with_list(3, 4)));
  BOOST_TEST(!(with_list(3, 9) == with_list(9, 3)));
}

BOOST_AUTO_TEST_CASE(alike_slots_change_places) {
  auto state = [](const pod_places& places, int deleting, int named) {
    return of(places, [&](encoder& e) {
      for (int slot : {0, 1}) {
        encoder::part part{e, slot, 1};
        e.byte(slot == deleting ? 1 : 0);
      }
      e.naming_text("because pod "
                    + places.names[static_cast<std::size_t>(named)]
                    + " failed");
    });
  };
  BOOST_TEST((state(alike, 0, 0) == state(alike, 1, 1)));
  BOOST_TEST((state(alike, 0, 1) == state(alike, 1, 0)));
  BOOST_TEST(!(state(alike, 0, 0) == state(alike, 0, 1)));
  BOOST_TEST(!(state(different, 0, 0) == state(different, 1, 1)));
}

BOOST_AUTO_TEST_CASE(a_pod_counts_if_something_else_tells_of_it) {
  auto state = [](int told, int failed) {
    return of(different, [&](encoder& e) {
      {
        encoder::part part{e, 0, 1};
        e.pod(told);
      }
      e.pod_if_written(0, failed, 2);
    });
  };
  BOOST_TEST((state(2, 1) == state(2, 3)));
  BOOST_TEST(!(state(2, 1) == state(2, 2)));
}

/// What is explored if alike slots are not merged has as many states as the
/// merged search sees, each counted once for all that are alike.
BOOST_AUTO_TEST_CASE(no_state_is_left_out_because_another_one_is_alike) {
  for (const char* name :
       {"jax-2-removal", "jax-3", "jax-2-repetition", "mpi-2"}) {
    auto merged = find_world(name)->make();
    auto apart = find_world(name)->make();
    apart->tell_all_slots_apart();
    encoder e;
    fingerprint_set classes;
    exploration_limits limits;
    limits.on_state = [&](const world& w) {
      classes.insert(fingerprint_of(w, e, merged->places()));
    };
    auto found = explore(*apart, limits);
    BOOST_TEST(found.closed);
    BOOST_TEST(found.states > classes.size());
    BOOST_TEST(classes.size() == explore(*merged, {}).states);
  }
}

BOOST_AUTO_TEST_CASE(times_count_by_their_order_and_distance) {
  using namespace std::chrono_literals;
  auto moment = [](auto ago, auto since) {
    return of(different, [=](encoder& e) {
      e.moment(0, noon - ago);
      e.age(noon - since, 1s);
    });
  };
  BOOST_TEST((moment(9s, 2s) == moment(5s, 90s)));
  BOOST_TEST(!(moment(9s, 2s) == moment(0s, 2s)));
  BOOST_TEST(!(moment(9s, 2s) == moment(9s, 0s)));
}

BOOST_AUTO_TEST_CASE(uids_of_pods_sort_by_slot_and_number) {
  BOOST_TEST(uid_of_pod(0, 9) < uid_of_pod(0, 10));
  BOOST_TEST(uid_of_pod(0, 300) < uid_of_pod(1, 1));
  BOOST_TEST((pod_of_uid(uid_of_pod(2, 17)) == std::make_pair(2, 17)));
  BOOST_TEST((pod_of_uid("") == std::make_pair(-1, -1)));
}

BOOST_AUTO_TEST_SUITE_END()
