#include "actors/api/outage_detector.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::actors;
using boost::test_tools::per_element;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(outage_detector_test)

namespace {

/// What a step says, and what becomes of calls then.
std::string text_of(const outage_detector::step& s, const outage_detector& d) {
  std::string out;
  auto add = [&out](bool set, const char* what) {
    if (set)
      out += (out.empty() ? "" : ", ") + std::string{what};
  };
  add(s.ask_probe, "ask");
  add(s.dismiss_probe, "dismiss");
  add(s.begin_trials, "try");
  add(s.outage_is_over, "over");
  add(s.send_waiting, "send");
  add(d.holds_calls(), d.is_away() ? "away" : "held");
  add(d.sends_trials(), "trying");
  return out;
}

/// `input`: "ok", the name of a code, or what the probe reports: "away",
/// "not ready" or "ready".
std::string tell(outage_detector& d, const std::string& input) {
  if (input == "away" || input == "not ready")
    return text_of(d.on_unavailable(input == "not ready"), d);
  if (input == "ready")
    return text_of(d.on_available(), d);
  if (input == "ok")
    return text_of(d.on_result(nullptr), d);
  for (auto code :
       {k8s::ec::unreachable, k8s::ec::timeout, k8s::ec::overloaded,
        k8s::ec::server_error, k8s::ec::cancelled, k8s::ec::not_found,
        k8s::ec::forbidden, k8s::ec::garbage, k8s::ec::conflict})
    if (input == k8s::to_string(code)) {
      k8s::failure why{code, "why"};
      return text_of(d.on_result(&why), d);
    }
  BOOST_FAIL("no input: " << input);
  return "";
}

struct row {
  const char* claim;
  strings inputs;
  strings steps; ///< One for each.
};

void check(const std::vector<row>& rows) {
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.claim) {
      outage_detector d;
      strings steps;
      for (const auto& input : r.inputs)
        steps.push_back(tell(d, input));
      BOOST_TEST(steps == r.steps, per_element());
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(results_show_what_the_probe_is_asked_for) {
  // clang-format off
  check({
      {"a failed connection makes calls wait, and asks once",
       {"unreachable", "unreachable"}, {"ask, held", "held"}},
      {"errors in responses ask after three in a row, and nothing waits",
       {"timeout", "overloaded", "server_error", "server_error"},
       {"", "", "ask", ""}},
      {"a success ends the row",
       {"timeout", "timeout", "ok", "timeout", "timeout"},
       {"", "", "", "", ""}},
      {"so does any answer",
       {"timeout", "timeout", "not_found", "timeout", "timeout", "forbidden",
        "timeout", "timeout", "garbage", "conflict"},
       {"", "", "", "", "", "", "", "", "", ""}},
      {"what we cancelled shows nothing",
       {"timeout", "timeout", "cancelled", "timeout"}, {"", "", "", "ask"}},
      {"nor while calls wait",
       {"unreachable", "cancelled"}, {"ask, held", "held"}},
      {"a success ends the wait, before the probe has reported",
       {"unreachable", "ok", "unreachable"},
       {"ask, held", "dismiss, send", "ask, held"}},
      {"a refusal as well",
       {"unreachable", "not_found"}, {"ask, held", "dismiss, send"}},
      {"a success while nothing waits leaves the probe asked",
       {"timeout", "timeout", "timeout", "ok", "away"},
       {"", "", "ask", "", "away"}},
  });
  // clang-format on
}

BOOST_AUTO_TEST_CASE(reports_of_the_probe_begin_and_end_an_outage) {
  // clang-format off
  check({
      {"the server is away, and back",
       {"unreachable", "away", "away", "ready"},
       {"ask, held", "away", "away", "over, send"}},
      {"it was not away at all",
       {"unreachable", "ready"}, {"ask, held", "send"}},
      {"nothing waited",
       {"timeout", "timeout", "timeout", "ready"}, {"", "", "ask", ""}},
      {"after that all is counted anew",
       {"timeout", "timeout", "timeout", "ready", "timeout", "timeout",
        "timeout"},
       {"", "", "ask", "", "", "", "ask"}},
      {"a report that was on its way when a call succeeded is too late",
       {"unreachable", "ok", "away"}, {"ask, held", "dismiss, send", ""}},
      {"failures during an outage change nothing",
       {"unreachable", "away", "unreachable", "timeout"},
       {"ask, held", "away", "away", "away"}},
      {"a call that succeeds ends the outage",
       {"unreachable", "away", "ok"},
       {"ask, held", "away", "dismiss, over, send"}},
      {"a server that responds is tried",
       {"unreachable", "not ready", "not ready", "away", "not ready", "ready"},
       {"ask, held", "try, away, trying", "away, trying", "away",
        "try, away, trying", "over, send"}},
      {"a trial that failed is not the last one",
       {"unreachable", "not ready", "timeout", "not ready"},
       {"ask, held", "try, away, trying", "away, trying", "away, trying"}},
  });
  // clang-format on
}

BOOST_AUTO_TEST_CASE(how_many_errors_are_too_many_is_an_argument) {
  outage_detector d{1};
  BOOST_TEST(tell(d, "timeout") == "ask");
  tell(d, "ready");
  BOOST_TEST(tell(d, "timeout") == "ask"); // It is kept.
}

BOOST_AUTO_TEST_SUITE_END()
