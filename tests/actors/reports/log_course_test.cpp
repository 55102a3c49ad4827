#include "actors/reports/log_course.hpp"
#include "actors/reports/log_pipe.hpp"
#include "actors/reports/log_places.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(log_course_test)

namespace {

const log_course::time_point begin{1h};

k8s::failure failed(k8s::ec code) {
  return {code, "why"};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_log_is_requested_at_once_and_when_its_stream_has_ended) {
  log_course c;
  BOOST_TEST(c.is_due(begin));
  c.on_requested();
  BOOST_TEST(!c.is_due(begin + 1h));
  c.on_ended(k8s::nothing{}, begin);
  BOOST_TEST(!c.is_done());
  BOOST_TEST(!c.is_due(begin));
  BOOST_TEST(c.is_due(begin + 1s));
}

BOOST_AUTO_TEST_CASE(waits_grow_until_there_is_something_new) {
  log_course c;
  std::chrono::seconds expected[] = {1s, 2s, 4s, 8s, 16s, 30s, 30s};
  for (auto wait : expected) {
    c.on_requested();
    c.on_opened(begin); // And says what was read before.
    c.on_ended(k8s::nothing{}, begin);
    BOOST_TEST(!c.is_due(begin + wait - 1s));
    BOOST_TEST(c.is_due(begin + wait));
  }
  c.on_requested();
  c.on_news();
  c.on_ended(k8s::nothing{}, begin);
  BOOST_TEST(c.is_due(begin + 1s));
}

BOOST_AUTO_TEST_CASE(after_the_end_of_the_pod_it_is_requested_once_more) {
  log_course c;
  c.on_requested();
  c.note_pod_ended();
  c.on_ended(k8s::nothing{}, begin); // Perhaps too early.
  BOOST_TEST(!c.is_done());
  BOOST_TEST(c.is_due(begin));
  c.on_requested();
  c.on_ended(k8s::nothing{}, begin);
  BOOST_TEST(c.is_done());
  BOOST_TEST(!c.is_due(begin + 1h));
}

BOOST_AUTO_TEST_CASE(the_log_of_a_pod_that_is_gone_is_not_waited_for) {
  log_course gone;
  gone.note_pod_ended();
  gone.on_requested();
  gone.on_ended(failed(k8s::ec::not_found), begin);
  BOOST_TEST(gone.is_done());
  log_course away;
  away.note_pod_ended();
  for (int i = 0; i < log_course::most_failures; ++i) {
    BOOST_TEST(!away.is_done());
    away.on_requested();
    away.on_ended(failed(k8s::ec::unreachable), begin);
  }
  BOOST_TEST(away.is_done());
}

BOOST_AUTO_TEST_CASE(
    a_missing_right_is_told_at_once_and_asked_for_each_minute) {
  log_course c;
  c.on_requested();
  c.on_ended(failed(k8s::ec::forbidden), begin);
  BOOST_TEST(c.is_forbidden());
  BOOST_TEST(c.problem().find("deploy/overlays/pod-logs") != std::string::npos);
  BOOST_TEST(!c.is_due(begin + 59s));
  BOOST_TEST(c.is_due(begin + 60s));
  c.on_requested();
  c.on_news();
  BOOST_TEST(c.problem() == "");
}

BOOST_AUTO_TEST_CASE(other_failures_are_told_if_they_stay) {
  log_course c;
  for (int i = 1; i <= log_course::most_failures; ++i) {
    BOOST_TEST(c.problem() == "");
    c.on_requested();
    c.on_ended(failed(k8s::ec::unreachable), begin);
  }
  BOOST_TEST(c.problem() == "it is tried again: why");
  c.on_requested();
  c.on_opened(begin);
  BOOST_TEST(c.problem() != "");
  c.on_news();
  BOOST_TEST(c.problem() == "");
}

BOOST_AUTO_TEST_CASE(what_is_accepted_and_breaks_at_once_stays_a_problem) {
  log_course c;
  auto now = begin;
  auto open_for = [&](std::chrono::seconds time,
                      const k8s::result<k8s::nothing>& how) {
    c.on_requested();
    c.on_opened(now);
    now += time;
    c.on_time(now);
    auto while_open = c.problem();
    c.on_ended(how, now);
    return while_open;
  };
  for (int i = 1; i <= log_course::most_failures; ++i) {
    BOOST_TEST(c.problem() == "");
    open_for(1s, failed(k8s::ec::unreachable));
  }
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST(open_for(9s, failed(k8s::ec::unreachable)) != "");
    BOOST_TEST(open_for(0s, k8s::nothing{}) != "");
    BOOST_TEST(c.problem() == "it is tried again: why");
  }
  BOOST_TEST(open_for(10s, failed(k8s::ec::unreachable)) == "");
  BOOST_TEST(c.problem() == ""); // Once is no problem.
}

BOOST_AUTO_TEST_CASE(what_was_read_to_its_end_is_no_problem) {
  log_course c;
  for (int i = 1; i <= log_course::most_failures; ++i) {
    c.on_requested();
    c.on_ended(failed(k8s::ec::unreachable), begin);
  }
  c.note_pod_ended();
  c.on_requested();
  c.on_opened(begin);
  c.on_ended(k8s::nothing{}, begin);
  BOOST_TEST(c.is_done());
  BOOST_TEST(c.problem() == "");
}

BOOST_AUTO_TEST_CASE(a_log_is_that_of_the_pod_that_is_there_after_its_opening) {
  struct row {
    const char* description;
    k8s::result<std::string> pod;
    const char* why; ///< Part of it; "": the lines count.
  } rows[] = {
      {"the same", std::string{R"({"metadata": {"uid": "u1"}})"}, ""},
      {"it has gone since", failed(k8s::ec::not_found), ""},
      {"another one", std::string{R"({"metadata": {"uid": "u2"}})"},
       "another one"},
      {"no pod", std::string{"{}"}, "another one"},
      {"no JSON", std::string{"<html>"}, "another one"},
      {"nobody answers", failed(k8s::ec::timeout), "cannot be read"},
      {"no right", failed(k8s::ec::forbidden), "cannot be read"},
  };
  for (const auto& r : rows) {
    auto mine = check_pod_of_log(r.pod, "u1");
    BOOST_TEST(bool(mine) == (*r.why == '\0'), r.description);
    if (mine)
      continue;
    BOOST_TEST(mine.error().message.find(r.why) != std::string::npos,
               r.description);
    BOOST_TEST((mine.error().code != k8s::ec::forbidden), r.description);
    BOOST_TEST((mine.error().code != k8s::ec::timeout), r.description);
  }
}

BOOST_AUTO_TEST_CASE(a_program_may_be_silent) {
  log_course c;
  for (int i = 0; i < 2 * log_course::most_failures; ++i) {
    c.on_requested();
    c.on_opened(begin);
    c.on_ended(failed(k8s::ec::timeout), begin);
  }
  BOOST_TEST(c.problem() == "");
  BOOST_TEST(!c.is_done());
}

BOOST_AUTO_TEST_CASE(a_server_that_does_not_answer_is_a_problem) {
  log_course c;
  for (int i = 0; i < log_course::most_failures; ++i) {
    c.on_requested();
    c.on_ended(failed(k8s::ec::timeout), begin);
  }
  BOOST_TEST(c.problem() != "");
}

BOOST_AUTO_TEST_CASE(places_are_given_in_the_order_of_arrival) {
  log_places p{2};
  BOOST_TEST(p.enter(1));
  BOOST_TEST(p.enter(2));
  BOOST_TEST(p.enter(1));
  BOOST_TEST(!p.enter(3));
  BOOST_TEST(!p.enter(4));
  BOOST_TEST(!p.enter(3));
  BOOST_TEST(p.waiting() == 2);
  BOOST_TEST(!p.leave(4)); // It only waited.
  BOOST_TEST((p.leave(1) == std::optional<std::uint64_t>{3}));
  BOOST_TEST(p.has_place(3));
  BOOST_TEST(!p.leave(2));
  BOOST_TEST(!p.leave(2));
  BOOST_TEST(p.taken() == 1);
  BOOST_TEST(!log_places{0}.enter(1));
}

BOOST_AUTO_TEST_CASE(a_full_pipe_asks_for_a_pause) {
  log_pipe p;
  BOOST_TEST(p.put("a"));
  BOOST_TEST(!p.put("b")); // The reader was told.
  BOOST_TEST((p.wanted_pause() == 0ms));
  p.put(std::string(log_pipe::most_backlog, 'x'));
  BOOST_TEST((p.wanted_pause() > 0ms));
  BOOST_TEST(p.take_all().size() == log_pipe::most_backlog + 2);
  BOOST_TEST((p.wanted_pause() == 0ms));
  BOOST_TEST(p.take_all() == "");
  BOOST_TEST(p.put("c"));
}

BOOST_AUTO_TEST_SUITE_END()
