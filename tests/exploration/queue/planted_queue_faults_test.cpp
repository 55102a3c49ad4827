// What explore() finds where a pass treats a job in a queue wrongly.
#include "tests/exploration/explorer.hpp"
#include "tests/exploration/worlds.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::exploration;

BOOST_AUTO_TEST_SUITE(planted_queue_faults_test)

namespace {

using core::queue_action;
using core::queue_order;

/// Looks at the Workload that the pass has seen, and changes what it decided.
using fault = std::function<void(core::plan_result&, const core::child_view&,
                                 core::time_point)>;

const core::workload_state& state_of(const core::child_view& w) {
  return *w.content->workload;
}

void erase_orders(core::plan_result& plan,
                  const std::function<bool(const queue_order&)>& which) {
  auto& all = plan.decisions;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const auto& d) {
                             const auto* o = std::get_if<queue_order>(&d);
                             return o && which(*o);
                           }),
            all.end());
}

fault forgets(queue_action what) {
  return [what](auto& plan, const auto&, auto) {
    erase_orders(plan, [&](const auto& o) { return o.what == what; });
  };
}

/// In place of what it has decided about the Workload.
fault does(queue_action what,
           std::function<bool(const core::workload_state&)> when) {
  return [what, when](auto& plan, const auto& w, auto now) {
    if (!when(state_of(w)))
      return;
    erase_orders(plan, [](const auto&) { return true; });
    queue_order order;
    order.what = what;
    order.name = w.name;
    order.uid = w.uid.text();
    order.version = w.version;
    order.reason = "Succeeded";
    order.decided = now;
    plan.decisions.push_back(order);
  };
}

fault changes(queue_action what, std::function<void(queue_order&)> how) {
  return [what, how](auto& plan, const auto&, auto) {
    for (auto& d : plan.decisions)
      if (auto* o = std::get_if<queue_order>(&d); o && o->what == what)
        how(*o);
  };
}

/// What is found in this world.
std::string violation_of(const char* world, setting::plan_function plan) {
  auto row = *find_world(world);
  row.may_happen.prompt = 1;
  row.may_happen.calm = 0;
  auto s = row.make();
  s->plan = std::move(plan);
  return explore(*s, {}).violation;
}

std::string violation_of(const char* world, const fault& planted) {
  return violation_of(
      world, [&](const core::job& j, const core::observed_children& seen,
                 const core::expectations& open, const core::job_status& status,
                 const core::job_status& saved, core::time_point now,
                 const core::cluster_options& cluster) {
        auto result = core::plan(j, seen, open, status, saved, now, cluster);
        for (const auto& w : seen.children_of_kind(core::child_kind::workload))
          if (!open.is_child_operation_blocked(core::child_kind::workload,
                                               w.uid.text(), now))
            planted(result, w, now);
        return result;
      });
}

bool is_evicted(const core::workload_state& w) {
  return w.is(w.evicted) && w.is(w.quota_reserved);
}
bool is_admitted(const core::workload_state& w) {
  return w.lets_pods_run();
}
bool has_ready_pods(const core::workload_state& w) {
  return w.lets_pods_run() && w.keeps_quota && w.is(w.pods_ready);
}
bool waits(const core::workload_state& w) {
  return !w.is(w.quota_reserved);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_queue_that_is_ignored) {
  auto found = violation_of(
      "queue-1",
      [](const core::job& j, const core::observed_children& seen,
         const core::expectations& open, const core::job_status& status,
         const core::job_status& saved, core::time_point now,
         const core::cluster_options& cluster) {
        auto other = cluster;
        other.queueing.on = false;
        return core::plan(j, seen, open, status, saved, now, other);
      });
  BOOST_TEST(found == "makes worker-0#1, and nothing is granted");
}

BOOST_AUTO_TEST_CASE(each_fault_of_a_pass_is_found) {
  auto no_pods_deleted = [](auto& plan, const auto& w, auto) {
    if (!state_of(w).active)
      plan.decisions.erase(
          std::remove_if(plan.decisions.begin(), plan.decisions.end(),
                         [](const auto& d) {
                           return std::holds_alternative<core::delete_child>(d);
                         }),
          plan.decisions.end());
  };
  auto no_pods_made = [](auto& plan, const auto&, auto) {
    plan.decisions.erase(
        std::remove_if(plan.decisions.begin(), plan.decisions.end(),
                       [](const auto& d) {
                         return std::holds_alternative<core::create_child>(d);
                       }),
        plan.decisions.end());
  };
  struct row {
    const char* what;
    const char* world;
    fault planted;
    const char* found;
  } rows[] = {
      {"released beside pods", "queue-1-preemption",
       does(queue_action::release, is_evicted),
       "releases the Workload beside 1 live pods"},
      {"never released", "queue-1-preemption", forgets(queue_action::release),
       "an evicted Workload keeps its quota"},
      {"let go beside pods", "queue-1",
       does(queue_action::unguard, has_ready_pods),
       "lets go the Workload beside 1 live pods"},
      {"finished beside pods", "queue-1",
       does(queue_action::finish, has_ready_pods),
       "finishes the Workload beside 1 live pods"},
      {"never finished", "queue-1-success", forgets(queue_action::finish),
       "keeps the Workload of a job that has ended, or a deleted one"},
      {"never let go", "queue-1-success", forgets(queue_action::unguard),
       "keeps the Workload of a job that has ended, or a deleted one"},
      {"removed with quota", "queue-1", does(queue_action::remove, is_admitted),
       "deletes a Workload that has quota"},
      {"started without quota", "queue-1", does(queue_action::start, waits),
       "starts the job, and nothing is granted"},
      {"never started", "queue-1", forgets(queue_action::start),
       "is not started, though it is admitted"},
      {"admitted, and makes no pods", "queue-1", no_pods_made,
       "goes on without worker-0"},
      {"held without its templates", "queue-1-preemption",
       changes(queue_action::hold, [](auto& o) { o.uid.clear(); }),
       "holds the job with other templates than were written"},
      {"never held", "queue-1-deactivation", forgets(queue_action::hold),
       "is not active, and goes on"},
      {"inactive, and keeps its pods", "queue-1-deactivation", no_pods_deleted,
       "is not active, and goes on"},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what)
  BOOST_TEST(violation_of(r.world, r.planted) == r.found);
}

BOOST_AUTO_TEST_SUITE_END()
