#include "frameworks/core/gangs/gang_events.hpp"
#include "frameworks/core/observed/pod_events.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(gang_events_test)

namespace {

constexpr const char* counts =
    "0/0 tasks in gang unschedulable: pod group is not ready, 1 minAvailable";
constexpr const char* full = "queue resource quota insufficient";

json event(const char* message, const char* time, const char* uid = "g") {
  return {{"involvedObject", {{"uid", uid}}},
          {"reason", "Unschedulable"},
          {"message", message},
          {"lastTimestamp", time}};
}

std::string said(const std::vector<json>& events) {
  auto got =
      core::most_telling_gang_reason(json{{"items", events}}.dump(), "g");
  return got ? got->reason + ": " + got->message : "nothing";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_event_that_says_most_is_heard) {
  const char* early = "2026-01-31T12:00:00Z";
  const char* late = "2026-01-31T12:05:00Z";
  BOOST_TEST(said({}) == "nothing");
  BOOST_TEST(said({event(counts, late), event(full, early)})
             == "Unschedulable: queue resource quota insufficient");
  BOOST_TEST(said({event(full, early), event(counts, late)})
             == "Unschedulable: queue resource quota insufficient");
  BOOST_TEST(said({event(full, late), event("older", early)})
             == "Unschedulable: queue resource quota insufficient");
  BOOST_TEST(said({event(counts, late)})
             == "Unschedulable: " + std::string{counts});
  // Of another object, or without a word.
  BOOST_TEST(said({event(full, late, "other"), event("", late)}) == "nothing");
  for (const char* odd : {"", "null", "[]", R"({"items":5})",
                          R"({"items":[5,null,{"involvedObject":7}]})"})
    BOOST_TEST(!core::most_telling_gang_reason(odd, "g"));
  // Newer recorders have their time elsewhere.
  auto series = event("newest", early);
  series.erase("lastTimestamp");
  series["series"] = {{"lastObservedTime", "2026-01-31T12:06:00.5Z"}};
  BOOST_TEST(said({series, event(full, late)}) == "Unschedulable: newest");
}

BOOST_AUTO_TEST_CASE(a_queue_that_admits_nobody_is_named) {
  auto of = [](std::optional<std::string> queue) {
    auto got = core::gang_reason_unless_queue_open("q", queue);
    return got ? got->message : "";
  };
  BOOST_TEST(of(std::nullopt) == "queue q does not exist");
  BOOST_TEST(of(R"({"status":{"state":"Closed"}})")
             == "the state of queue q is Closed, not Open");
  BOOST_TEST(of(R"({"status":{"state":"Open"}})") == "");
  BOOST_TEST(of(R"({"status":{}})") == "");
}

BOOST_AUTO_TEST_CASE(looks_become_rare) {
  auto since = base_time;
  BOOST_TEST((core::next_gang_reason_query_at(since, {}, 0) == since + 30s));
  auto last = since + 40s;
  BOOST_TEST((core::next_gang_reason_query_at(since, last, 1) == last + 60s));
  BOOST_TEST((core::next_gang_reason_query_at(since, last, 2) == last + 120s));
  BOOST_TEST((core::next_gang_reason_query_at(since, last, 5) == last + 600s));
  BOOST_TEST(
      (core::next_gang_reason_query_at(since, last, 5000) == last + 600s));
}

BOOST_AUTO_TEST_CASE(some_messages_are_only_about_the_rest_of_the_gang) {
  for (auto message :
       {counts, "pod group is not ready, 3 Pending, 3 minAvailable",
        "0/1 nodes are available: 1 optimistic rejection in PostFilter.",
        "0/1 nodes are available: 1 rejection in Unreserve.",
        "rejected due to timeout after waiting 3s at plugin Coscheduling",
        "pre-filter pod w-1 cannot find enough sibling pods"})
    BOOST_TEST(core::is_about_other_gang_members(message));
  BOOST_TEST(!core::is_about_other_gang_members(
      "0/1 nodes are available: 1 Insufficient cpu. PodGroup ns/gang gets "
      "rejected due to Pod w-1 is unschedulable even after PostFilter"));
}

BOOST_AUTO_TEST_SUITE_END()
