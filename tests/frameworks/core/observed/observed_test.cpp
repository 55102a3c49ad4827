#include "frameworks/core/observed/observed.hpp"
#include "tests/frameworks/core/observed/observed_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(observed_test)

BOOST_AUTO_TEST_CASE(older_news_never_overwrites_newer) {
  observed_fixture w;
  w.observe(pod("worker", 0).running().version(5));
  BOOST_TEST(w.changed);
  w.observe(pod("worker", 0).version(4));
  BOOST_TEST(!w.changed);
  w.observe(pod("worker", 0).version(5));
  BOOST_TEST(!w.changed);
  BOOST_TEST((w.seen.pods().begin()->phase == k8s::pod_phase::running));
}

BOOST_AUTO_TEST_CASE(news_that_no_pass_reads_changes_nothing) {
  observed_fixture w;
  w.observe(pod("worker", 0).running());
  w.observe(pod("worker", 0).running().version(2));
  BOOST_TEST(!w.changed);
  w.observe(pod("worker", 0).running(1).version(3));
  BOOST_TEST(w.changed);
}

BOOST_AUTO_TEST_CASE(labels_name_the_slot_or_none) {
  struct row {
    const char* index;
    int place;
  } rows[] = {{"0", 0},   {"17", 17},         {"-1", -1}, {"", -1},
              {"x", -1},  {"1x", -1},         {"01", -1}, {"+1", -1},
              {" 1", -1}, {"99999999999", -1}};
  for (const auto& r : rows) {
    observed_fixture w;
    w.observe(pod("worker", 0).index(r.index));
    BOOST_TEST(w.seen.pods().begin()->at.index == r.place, r.index);
  }
}

BOOST_AUTO_TEST_CASE(what_becomes_a_strangers_is_lost_to_us) {
  observed_fixture w;
  w.observe(pod("worker", 0));
  w.observe(pod("worker", 0).owned_by("them").version(2));
  BOOST_TEST(w.changed);
  BOOST_TEST(w.seen.pods().empty());
  w.observe(pod("worker", 0).owned_by("them").version(3));
  BOOST_TEST(!w.changed);
}

BOOST_AUTO_TEST_CASE(an_orphan_is_known_while_its_labels_match) {
  observed_fixture w;
  w.observe(pod("worker", 0).orphan());
  BOOST_TEST(w.changed);
  BOOST_TEST(!w.seen.pods().begin()->owned);
  w.observe(pod("worker", 0).orphan().of_job("b").version(2));
  BOOST_TEST(w.seen.pods().empty());
}

BOOST_AUTO_TEST_CASE(nobody_comes_back_from_termination) {
  observed_fixture w;
  w.observe(pod("worker", 0).running());
  w.seen.mark_delete_accepted(core::child_kind::pod, "pod-worker-0");
  // Written before the deletion, seen after its answer.
  w.observe(pod("worker", 0).running(1).version(2));
  BOOST_TEST(w.seen.pods().begin()->terminating);
}

BOOST_AUTO_TEST_CASE(a_complete_list_ends_what_it_does_not_confirm) {
  observed_fixture w;
  w.observe(pod("worker", 0).version(10), 1);
  w.observe(pod("worker", 1).version(11), 1);
  w.observe(pod("worker", 2).version(30), 0); // Our own, younger than the list.
  w.observe(pod("worker", 3).version(20), 0); // Our own, and gone since.
  w.observe(pod("worker", 0).version(10), 2); // Confirmed.
  BOOST_TEST(w.seen.forget_unlisted(core::child_kind::pod, 2, 25));
  BOOST_TEST(w.seen.pods().size() == 2u);
  BOOST_TEST(w.seen.pods().count(core::uid_key{"pod-worker-0"}) == 1u);
  BOOST_TEST(w.seen.pods().count(core::uid_key{"pod-worker-2"}) == 1u);
  BOOST_TEST(!w.seen.forget_unlisted(core::child_kind::pod, 2, 25));
}

BOOST_AUTO_TEST_CASE(a_late_answer_brings_back_nothing_a_list_has_missed) {
  observed_fixture w;
  w.seen.forget_unlisted(core::child_kind::pod, 1, 25);
  w.observe(pod("worker", 0).version(20), 0);
  BOOST_TEST(w.seen.pods().empty());
  w.observe(pod("worker", 0).version(26), 0);
  BOOST_TEST(w.seen.pods().size() == 1u);
}

BOOST_AUTO_TEST_CASE(losing_what_was_not_known_is_nothing) {
  observed_fixture w;
  BOOST_TEST(!w.seen.record_deleted(core::child_kind::pod, "x"));
  w.observe(service("worker", 0));
  BOOST_TEST(
      w.seen.record_deleted(core::child_kind::service, "service-worker-0"));
}

BOOST_AUTO_TEST_SUITE_END()
