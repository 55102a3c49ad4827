#include "frameworks/core/observed/classify.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using k8s::pod_phase;

BOOST_AUTO_TEST_SUITE(classify_test)

namespace {

std::string uids_of(const std::vector<core::misplaced_child>& children) {
  std::string out;
  for (const auto& c : children)
    out += (out.empty() ? "" : " ") + c.view->uid.text();
  return out;
}

std::string uid_of(const core::child_view* v) {
  return v ? v->uid.text() : "";
}

core::classified_children classified(job_fixture& s) {
  return core::classify_children(s.j, s.seen);
}

} // namespace

BOOST_AUTO_TEST_CASE(each_child_has_one_class) {
  struct row {
    const char* description;
    child_builder child;
    const char* pod; ///< UID in slot worker-0.
    const char* orphan;
    const char* duplicates;
    const char* out_of_range;
    const char* unplaced;
    const char* mislabelled;
  };
  // clang-format off
  const row rows[] = {
      {"in its slot", pod("worker", 0).uid("a"), "a", "", "", "", "", ""},
      {"index too high", pod("worker", 1).uid("a"), "", "", "", "a", "", ""},
      {"unknown type", pod("ps", 0).uid("a"), "", "", "", "a", "", ""},
      {"no index", pod("worker", 0).index("x").uid("a"), "", "", "", "", "a", ""},
      {"negative index", pod("worker", -1).uid("a"), "", "", "", "", "a", ""},
      {"labels of another job", pod("worker", 0).of_job("b").uid("a"), "", "", "", "", "", "a"},
      {"orphan", pod("worker", 0).orphan().uid("a"), "", "a", "", "", "", ""},
      {"orphan, wrong name", pod("worker", 0).orphan().name("x").uid("a"), "", "", "", "", "", ""},
      {"orphan, other job", pod("worker", 0).orphan().of_job("b").uid("a"), "", "", "", "", "", ""},
      {"orphan, out of range", pod("worker", 1).orphan().uid("a"), "", "", "", "", "", ""},
  };
  // clang-format on
  for (const auto& r : rows) {
    job_fixture s{make_job().workers(1)};
    s.observe(r.child);
    auto c = classified(s);
    BOOST_TEST_CONTEXT(r.description) {
      BOOST_TEST(uid_of(c.types.at(0).slots.at(0).pod) == r.pod);
      BOOST_TEST(uid_of(c.types.at(0).slots.at(0).orphan_pod) == r.orphan);
      BOOST_TEST(uids_of(c.duplicates) == r.duplicates);
      BOOST_TEST(uids_of(c.out_of_range) == r.out_of_range);
      BOOST_TEST(uids_of(c.unplaced) == r.unplaced);
      BOOST_TEST(uids_of(c.mislabelled) == r.mislabelled);
    }
  }
}

BOOST_AUTO_TEST_CASE(of_two_in_one_slot_the_better_one_is_kept) {
  struct row {
    const char* description;
    child_builder better, worse;
  };
  auto in = [](pod_phase p) { return pod("worker", 0).in(p); };
  const auto pending = in(pod_phase::pending);
  const auto running = in(pod_phase::running);
  const auto succeeded = in(pod_phase::succeeded);
  const auto failed = in(pod_phase::failed);
  const auto unknown = in(pod_phase::unknown);
  // clang-format off
  const row rows[] = {
      {"not being deleted", failed, pod("worker", 0).succeeded().deleting()},
      {"succeeded", succeeded, running},
      {"running", running, unknown},
      {"unknown", unknown, pending},
      {"pending", pending, failed},
      {"the right name", pod("worker", 0), pod("worker", 0).name("x")},
  };
  // clang-format on
  for (const auto& r : rows)
    for (bool first : {true, false}) { // Also against the order of UIDs.
      job_fixture s{make_job().workers(1)};
      auto better = r.better;
      auto worse = r.worse;
      s.observe(better.uid(first ? "1" : "2"));
      s.observe(worse.uid(first ? "2" : "1"));
      auto c = classified(s);
      BOOST_TEST_CONTEXT(r.description) {
        BOOST_TEST(uid_of(c.types[0].slots[0].pod) == (first ? "1" : "2"));
        BOOST_TEST(uids_of(c.duplicates) == (first ? "2" : "1"));
      }
    }
}

BOOST_AUTO_TEST_CASE(of_two_with_one_name_the_older_one_is_gone) {
  auto old = pod("worker", 0).running().uid("a").version(24);
  auto fresh = pod("worker", 0).in(pod_phase::pending).uid("b").version(27);
  for (bool old_first : {true, false}) {
    job_fixture s{make_job().workers(1)};
    s.observe(old_first ? old : fresh);
    s.observe(old_first ? fresh : old);
    auto c = classified(s);
    BOOST_TEST(uid_of(c.types[0].slots[0].pod) == "b");
    BOOST_TEST(uids_of(c.duplicates) == "");
  }
}

BOOST_AUTO_TEST_CASE(of_two_equal_ones_the_smaller_uid_is_kept) {
  job_fixture s{make_job().workers(1)};
  s.observe({pod("worker", 0).uid("b"), pod("worker", 0).uid("a"),
             pod("worker", 0).uid("c")});
  auto c = classified(s);
  BOOST_TEST(uid_of(c.types[0].slots[0].pod) == "a");
  BOOST_TEST(uids_of(c.duplicates) == "b c");
}

BOOST_AUTO_TEST_CASE(misplaced_children_are_in_the_order_of_slots) {
  job_fixture s{make_job().workers(1)};
  s.observe({service("worker", 2).uid("a"), pod("worker", 2).uid("b"),
             pod("worker", 10).uid("c"), pod("worker", 1).uid("d"),
             pod("ps", 0).uid("e")});
  BOOST_TEST(uids_of(classified(s).out_of_range) == "e d b a c");
}

BOOST_AUTO_TEST_SUITE_END()
