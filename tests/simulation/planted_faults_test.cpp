// A pass that treats silence wrongly is found by some life.
#include "frameworks/core/pass/plan.hpp"
#include "tests/simulation/lives.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

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

/// The present one; both may be empty.
struct planted_fault {
  std::function<void(core::progress_policy&)> in_policy;
  std::function<void(core::job_status& decided, const core::job_status& before)>
      in_status;
};

planted_fault& present_fault() {
  static planted_fault present;
  return present;
}

struct log_level_fixture {
  log_level_fixture() { start_log(); }
};

constexpr std::uint64_t most_lives = 4'000;

/// What the first life finds that finds anything; "": none does.
std::string find_with(const planted_fault& fault, const char* kind) {
  present_fault() = fault;
  std::string found;
  for (const auto& k : simulated_kinds())
    if (k.name == std::string{kind})
      for (std::uint64_t seed = 1; seed <= most_lives && found.empty(); ++seed)
        for (const auto& what : simulate(random_life(k, seed)).violations)
          found += what + "\n";
  present_fault() = {};
  return found;
}

using seconds = std::chrono::seconds;

} // namespace

core::plan_result
planted_plan(const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) {
  const auto& fault = present_fault();
  if (!fault.in_policy && !fault.in_status)
    return real_plan(j, seen, open, status, saved, now, cluster);
  auto other = j;
  if (fault.in_policy && j.policy.progress.stalled_after)
    fault.in_policy(other.policy.progress);
  auto result = real_plan(other, seen, open, status, saved, now, cluster);
  if (fault.in_status)
    fault.in_status(result.status, status);
  return result;
}

BOOST_TEST_GLOBAL_FIXTURE(log_level_fixture);

BOOST_AUTO_TEST_CASE(a_pass_that_treats_silence_wrongly_is_found) {
  struct row {
    const char* what;
    planted_fault fault;
    const char* found; ///< Part of what is found.
  } rows[] = {
      {"too early",
       {[](auto& p) {
          p.stalled_after = p.start_within = seconds{1};
          p.on_stalled = core::stall_action::report;
        },
        {}},
       "after a sign of life"},
      {"never", {[](auto& p) { p.stalled_after.reset(); }, {}}, "is silent, "},
      {"only told",
       {[](auto& p) { p.on_stalled = core::stall_action::report; }, {}},
       "is silent, and nothing follows"},
      {"fails at once",
       {[](auto& p) { p.on_stalled = core::stall_action::fail_job; }, {}},
       "ailed"},
      {"uncounted",
       {{},
        [](auto& decided, const auto& before) {
          if (decided.recovery->attempt == before.recovery->attempt
              || decided.recovery->last.reason != "Stalled")
            return;
          auto r = *decided.recovery;
          r.counted = before.recovery->counted;
          r.counted_times = before.recovery->counted_times;
          decided.recovery = r;
        }},
       "restarts a silent job uncounted"},
  };
  for (const char* kind : {"TFJob", "MPIJob-ssh"})
    for (const auto& r : rows)
      BOOST_TEST_CONTEXT(kind << ", " << r.what) {
        auto found = find_with(r.fault, kind);
        BOOST_TEST_INFO(found);
        BOOST_TEST(found.find(r.found) != found.npos);
      }
}
