#include "tests/k8s/node/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <future>
#include <mutex>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_CASE(a_log_holds_both_streams_to_the_last_byte) {
  node_fixture l;
  l.create(node_fixture::pod("talker", "echo out; echo err >&2; seq 20000; "
                                       "printf last"));
  l.wait_for_phase("talker", "Succeeded");
  auto text = l.log("talker");
  BOOST_TEST(text.rfind("out\nerr\n1\n2\n", 0) == 0u);
  BOOST_TEST(text.substr(text.size() - 10) == "20000\nlast");
}

BOOST_AUTO_TEST_CASE(a_follower_hears_until_the_container_ends) {
  node_fixture l;
  auto go = l.directory() + "/go";
  l.create(node_fixture::pod("talker", "echo one; until test -e " + go
                                           + "; do sleep 0.02; done; "
                                             "echo two"));
  l.wait_for_log("talker", "one");
  log_options follow;
  follow.follow = true;
  std::string text;
  std::promise<void> first;
  std::promise<void> over;
  auto cancel = l.running_node().stream_log(
      "default", "talker", "main", follow,
      {[&](const std::string& piece) {
         if (text.empty())
           first.set_value();
         text += piece;
         return true;
       },
       [&](const result<nothing>&) { over.set_value(); }});
  first.get_future().wait();
  std::ofstream{go};
  over.get_future().wait();
  BOOST_TEST(text == "one\ntwo\n");
}

BOOST_AUTO_TEST_CASE(a_follower_may_leave_even_from_inside_a_call) {
  node_fixture l;
  l.create(
      node_fixture::pod("talker", "while true; do echo x; sleep 0.01; done"));
  l.wait_for_log("talker", "x");
  log_options follow;
  follow.follow = true;
  std::mutex mutex;
  std::function<void()> cancel;
  std::promise<void> left;
  bool gone = false;
  bool late = false;
  std::unique_lock guard{mutex};
  cancel = l.running_node().stream_log(
      "default", "talker", "", follow,
      {[&](const std::string&) {
         std::lock_guard inner{mutex};
         late = late || gone;
         gone = true;
         cancel();
         left.set_value();
         return true;
       },
       [&](const result<nothing>&) { late = true; }});
  guard.unlock();
  left.get_future().wait();
  l.running_node().stop();
  BOOST_TEST(!late);
}

BOOST_AUTO_TEST_CASE(a_life_before_has_a_log_of_its_own) {
  node_fixture l(
      [](node_options& o) { o.back_off_base = std::chrono::hours{1}; });
  auto once = l.directory() + "/once";
  auto p = node_fixture::pod("twice", "test -e " + once
                                          + " && echo second && sleep "
                                            "600; touch "
                                          + once + "; echo first; exit 1");
  p["spec"]["restartPolicy"] = "OnFailure";
  l.create(p);
  l.wait_for_log("twice", "second");
  log_options previous;
  previous.previous = true;
  BOOST_TEST(l.log("twice", "", previous) == "first\n");
}

BOOST_AUTO_TEST_CASE(a_log_that_is_not_there_says_so) {
  node_fixture l;
  l.create(node_fixture::pod("quiet", "sleep 600"));
  l.wait_for_phase("quiet", "Running");
  log_options previous;
  previous.previous = true;
  BOOST_TEST(l.log("nobody")
             == "no log: pod \"nobody\" has no log on this "
                "node");
  BOOST_TEST(l.log("quiet", "other")
             == "no log: container \"other\" in pod \"quiet\" is not "
                "available");
  BOOST_TEST(l.log("quiet", "main", previous)
             == "no log: previous terminated container \"main\" in pod "
                "\"quiet\" not found");
}
