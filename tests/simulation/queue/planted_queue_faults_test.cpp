// A pass that treats a job in a queue wrongly is found by some life.
#include "frameworks/core/model/children.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "tests/simulation/lives.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <variant>

using namespace troupe;
using namespace troupe::simulation;

/// What the linker has put in place of core::plan(), and that.
core::plan_result
planted_plan(const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) asm("__wrap_" PLAN_SYMBOL);
core::plan_result
real_plan(const core::job& j, const core::observed_children& seen,
          const core::expectations& open, const core::job_status& status,
          const core::job_status& saved, core::time_point now,
          const core::cluster_options& cluster) asm("__real_" PLAN_SYMBOL);

namespace {

using core::queue_action;

/// Of the job's Workload, an order that the pass has not decided.
core::queue_order order_about(const core::child_view& workload,
                              queue_action what, core::time_point now) {
  core::queue_order result;
  result.what = what;
  result.name = workload.name;
  result.uid = workload.uid.text();
  result.version = workload.version;
  result.decided = now;
  return result;
}

/// `plan` has no order of its own about the Workload.
using order_change =
    std::function<void(core::plan_result& plan,
                       const core::child_view& workload, core::time_point now)>;

struct planted_fault {
  bool ignores_queue = false;
  order_change in_orders;
};

planted_fault& present_fault() {
  static planted_fault present;
  return present;
}

struct log_level_fixture {
  log_level_fixture() { start_log(); }
};

constexpr std::uint64_t most_lives = 400;

/// Whether some life finds this.
bool finds(const planted_fault& fault, const char* kind,
           const std::string& wanted) {
  present_fault() = fault;
  bool found = false;
  for (const auto& k : simulated_kinds())
    if (k.name == std::string{kind})
      for (std::uint64_t seed = 1; seed <= most_lives && !found; ++seed)
        for (const auto& what : simulate(random_life(k, seed)).violations)
          found |= what.find(wanted) != what.npos;
  present_fault() = {};
  return found;
}

void erase_orders(core::plan_result& plan, queue_action what) {
  auto& all = plan.decisions;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const auto& d) {
                             auto* order = std::get_if<core::queue_order>(&d);
                             return order && order->what == what;
                           }),
            all.end());
}

/// In place of the order that there is, if there is one, or of none.
order_change does(queue_action what,
                  std::function<bool(const core::workload_state&)> when) {
  return [what, when](auto& plan, const auto& workload, auto now) {
    if (!when(*workload.content->workload))
      return;
    auto& all = plan.decisions;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const auto& d) {
                               return std::holds_alternative<core::queue_order>(
                                   d);
                             }),
              all.end());
    all.push_back(order_about(workload, what, now));
  };
}

order_change forgets(queue_action what) {
  return [what](auto& plan, const auto&, auto) { erase_orders(plan, what); };
}

} // namespace

core::plan_result
planted_plan(const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) {
  const auto& fault = present_fault();
  auto other = cluster;
  if (fault.ignores_queue)
    other.queueing.on = false;
  auto result = real_plan(j, seen, open, status, saved, now, other);
  if (fault.in_orders)
    for (const auto& w : seen.children_of_kind(core::child_kind::workload))
      if (w.owned
          && !open.is_child_operation_blocked(core::child_kind::workload,
                                              w.uid.text(), now))
        fault.in_orders(result, w, now);
  return result;
}

BOOST_TEST_GLOBAL_FIXTURE(log_level_fixture);

BOOST_AUTO_TEST_CASE(a_pass_that_treats_a_queue_wrongly_is_found) {
  auto evicted = [](const auto& w) {
    return w.is(w.evicted) && w.is(w.quota_reserved);
  };
  auto admitted = [](const auto& w) { return w.lets_pods_run(); };
  auto waits = [](const auto& w) { return !w.is(w.quota_reserved); };
  struct row {
    const char* what;
    planted_fault fault;
    const char* found; ///< Part of what is found.
  } rows[] = {
      {"pods without quota", {true, {}}, "and nothing is granted"},
      {"released beside pods",
       {false, does(queue_action::release, evicted)},
       "releases a Workload beside"},
      {"never released",
       {false, forgets(queue_action::release)},
       "keeps quota"},
      {"let go beside pods",
       {false, does(queue_action::unguard, admitted)},
       "lets go a Workload beside"},
      {"never let go",
       {false, forgets(queue_action::unguard)},
       "a Workload keeps quota of a job that has ended"},
      {"started without quota",
       {false, does(queue_action::start, waits)},
       "starts the job, and nothing is granted"},
      {"never held",
       {false, forgets(queue_action::hold)},
       "and is not suspended"},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what)
  BOOST_TEST(finds(r.fault, "PyTorchJob-queued", r.found));
}
