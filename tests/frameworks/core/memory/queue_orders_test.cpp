#include "frameworks/core/memory/events.hpp"
#include "frameworks/core/memory/job_memory.hpp"
#include "tests/fixtures/builders.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;
using core::queue_action;

BOOST_AUTO_TEST_SUITE(queue_orders_test)

namespace {

const auto builder = make_queued_job().workers(1);

struct queue_memory {
  core::job_ptr j = std::make_shared<const core::job>(builder.get());
  core::job_memory memory;
  core::job_status saved;

  queue_memory() { memory.set_job_and_forget_obsolete_failures(j); }

  static core::queue_order order(queue_action what, const char* uid) {
    core::queue_order o;
    o.what = what;
    o.name = "w";
    o.uid = uid;
    o.message = "cq";
    return o;
  }
  core::child_order issued(queue_action what, const char* uid = "workload") {
    return memory.record_issued_order(order(what, uid), {}, base_time);
  }
  core::memory_change done(const core::child_order& o, k8s::object_ptr item,
                           bool already = false) {
    return memory.apply_order_result(
        core::order_done{o, std::move(item), already}, saved, {});
  }
  bool is_blocked(const char* uid) const {
    return memory.expectations().is_child_operation_blocked(
        child_kind::workload, uid, base_time);
  }
  std::size_t known() const {
    return memory.observed().children_of_kind(child_kind::workload).size();
  }
};

k8s::object_ptr object(const workload_builder& w) {
  return std::make_shared<const k8s::object>(w.object());
}

k8s::object_ptr job_object() {
  return std::make_shared<const k8s::object>(builder.object());
}

std::string reasons(const core::memory_change& c) {
  std::string out;
  for (const auto& e : c.events)
    out += (out.empty() ? "" : " ") + e.reason;
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_class_that_is_not_there_holds_nothing_else_up) {
  queue_memory m;
  for (int i = 0; i < 3; ++i) {
    auto ranked = m.issued(queue_action::rank);
    auto change = m.memory.apply_order_result(
        core::order_failed{ranked, {k8s::ec::not_found, "no class"}, nullptr},
        m.saved, base_time, 0.5);
    // It is told once.
    BOOST_TEST(reasons(change) == (i == 0 ? "FailedQueueing" : ""));
    BOOST_TEST(m.is_blocked("workload/rank"));
    BOOST_TEST(!m.is_blocked("workload"));
  }
  auto finished = m.issued(queue_action::finish);
  BOOST_TEST(m.is_blocked("workload"));
}

BOOST_AUTO_TEST_CASE(a_written_workload_is_known_at_once) {
  queue_memory m;
  auto asked = m.issued(queue_action::ask, "");
  BOOST_TEST(m.is_blocked(""));
  auto change = m.done(asked, object(workload_builder{builder}));
  BOOST_TEST(reasons(change) == "CreatedWorkload");
  BOOST_TEST(change.must_reconcile);
  BOOST_TEST(!m.is_blocked(""));
  BOOST_REQUIRE_EQUAL(m.known(), 1u);
  const auto& known =
      *m.memory.observed().children_of_kind(child_kind::workload).begin();
  BOOST_TEST(known.owned);
  BOOST_TEST(known.version == 5u);
  m.done(m.issued(queue_action::release),
         object(workload_builder{builder}.version(6)));
  BOOST_REQUIRE_EQUAL(m.known(), 1u);
  BOOST_TEST(m.memory.observed()
                 .children_of_kind(child_kind::workload)
                 .begin()
                 ->version
             == 6u);
}

BOOST_AUTO_TEST_CASE(one_that_is_gone_is_forgotten) {
  for (auto what : {queue_action::remove, queue_action::report}) {
    queue_memory m;
    m.done(m.issued(queue_action::ask, ""), object(workload_builder{builder}));
    auto change = m.done(m.issued(what), nullptr, what != queue_action::remove);
    BOOST_TEST(m.known() == 0u);
    BOOST_TEST(change.must_reconcile);
    BOOST_TEST(reasons(change)
               == (what == queue_action::remove ? "DeletedWorkload" : ""));
  }
}

BOOST_AUTO_TEST_CASE(a_written_job_changes_no_workload) {
  queue_memory m;
  m.done(m.issued(queue_action::ask, ""), object(workload_builder{builder}));
  for (auto what : {queue_action::hold, queue_action::start}) {
    auto change = m.done(m.issued(what), job_object());
    BOOST_TEST(m.known() == 1u);
    BOOST_TEST(!m.is_blocked("workload"));
    BOOST_TEST(change.must_reconcile);
    BOOST_TEST(reasons(change)
               == (what == queue_action::hold ? "Stopped" : "Started"));
  }
}

BOOST_AUTO_TEST_CASE(what_was_so_already_is_not_told) {
  queue_memory m;
  auto change = m.done(m.issued(queue_action::ask, ""),
                       object(workload_builder{builder}), true);
  BOOST_TEST(reasons(change) == "");
  BOOST_TEST(m.known() == 1u);
}

BOOST_AUTO_TEST_CASE(a_refusal_is_told_and_tried_again_later) {
  queue_memory m;
  auto change = m.memory.apply_order_result(
      core::order_failed{
          m.issued(queue_action::ask, ""), {k8s::ec::forbidden, "no"}, nullptr},
      m.saved, base_time, 0);
  BOOST_REQUIRE_EQUAL(change.events.size(), 1u);
  BOOST_TEST(change.events[0].warning);
  BOOST_TEST(change.events[0].reason == "FailedQueueing");
  BOOST_TEST(change.events[0].message
             == "Cannot ask for quota with Workload w: no");
  BOOST_TEST(m.is_blocked(""));
  BOOST_TEST(m.memory.expectations().next_retry_at(base_time).has_value());
}

BOOST_AUTO_TEST_CASE(events_have_the_reasons_of_kueue) {
  struct row {
    queue_action what;
    const char* event;
  };
  const row rows[] = {
      {queue_action::ask, "CreatedWorkload: Created Workload: ns/w"},
      {queue_action::ask_anew, "UpdatedWorkload: Updated Workload: ns/w"},
      {queue_action::rank, "UpdatedWorkload: Updated Workload: ns/w"},
      {queue_action::shrink, "UpdatedWorkload: Updated Workload: ns/w"},
      {queue_action::remove, "DeletedWorkload: Deleted Workload: ns/w"},
      {queue_action::finish,
       "FinishedWorkload: Workload 'ns/w' is declared finished"},
      {queue_action::start, "Started: Admitted by clusterQueue cq"},
      {queue_action::hold, "Stopped: cq"},
      {queue_action::report, ""},
      {queue_action::release, ""},
      {queue_action::label, ""},
      {queue_action::unguard, ""},
  };
  auto text = [](const std::optional<core::job_event>& e) {
    return e ? e->reason + ": " + e->message : "";
  };
  const core::workload_state written;
  for (const auto& r : rows)
    BOOST_TEST(text(core::queue_event(builder, queue_memory::order(r.what, "u"),
                                      &written))
               == r.event);
  auto grow = queue_memory::order(queue_action::grow, "u");
  grow.second = "second";
  BOOST_TEST(text(core::queue_event(builder, grow, &written))
             == "CreatedWorkload: Created Workload: ns/second");
  // The job was given the queue of its namespace instead.
  BOOST_TEST(!core::queue_event(
      builder, queue_memory::order(queue_action::ask, ""), nullptr));
  // A hold that follows no message of Kueue tells nothing.
  auto hold = queue_memory::order(queue_action::hold, "u");
  hold.message.clear();
  BOOST_TEST(!core::queue_event(builder, hold, nullptr));
  core::workload_state failed;
  failed.finished = core::workload_condition{true, "FailedToStart", "why", {}};
  auto event = core::queue_event(
      builder, queue_memory::order(queue_action::start, "u"), &failed);
  BOOST_TEST(event->warning);
  BOOST_TEST(text(event) == "FailedToStart: why");
}

BOOST_AUTO_TEST_SUITE_END()
