#include "frameworks/core/pass/foreign_queue.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "tests/fixtures/job_builder.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(foreign_queue_test)

namespace {

core::job in_queue(const char* queue) {
  core::job j = make_job().workers(1);
  j.queue = queue;
  return j;
}

core::queueing_options off(const char* why) {
  core::queueing_options q;
  q.why_off = why;
  return q;
}

core::queueing_options on() {
  core::queueing_options q;
  q.on = true;
  return q;
}

core::queueing_options left_to_kueue() {
  auto q = on();
  q.left_to_kueue.insert(core::name_in_queueing(*in_queue("q").kind));
  return q;
}

core::queueing_options holding(const char* why) {
  auto q = off(why);
  q.holds = true;
  return q;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_queue_that_others_keep_or_nobody_does_is_told) {
  const struct {
    const char* queue;
    core::queueing_options queueing;
    const char* text;
  } rows[] = {
      {"", off("a right is missing"), ""},
      {"", left_to_kueue(), ""},
      {"q", off(""), ""},
      {"q", on(), ""},
      {"q", holding("Kueue is not installed"), ""},
      {"q", off("a right is missing"), "; queue q: a right is missing"},
      {"q", left_to_kueue(),
       "; queue q: Kueue's own integration of the kind looks after it"}};
  for (const auto& row : rows) {
    core::cluster_options cluster;
    cluster.queueing = row.queueing;
    BOOST_TEST(core::describe_foreign_queue(in_queue(row.queue), cluster)
               == row.text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
