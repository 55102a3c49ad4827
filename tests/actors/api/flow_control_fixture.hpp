#pragma once

#include "actors/api/flow_control.hpp"
#include "tests/fixtures/default_options.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::fixtures {

using namespace actors;
using std::chrono::milliseconds;

inline const flow_control::time_point beginning{std::chrono::hours{1}};

/// A flow control at some time, and the calls that it has started.
struct flow_control_fixture {
  explicit flow_control_fixture(
      const actor_options& options = default_options())
      : control(options, now) {}

  void add(const std::string& key,
           call_priority priority = call_priority::normal, int calls = 1) {
    while (calls-- > 0)
      add_of_namespace("", key, priority);
  }

  void add_of_namespace(const std::string& ns, const std::string& key,
                        call_priority priority = call_priority::normal) {
    api_call c;
    c.key = key;
    c.ns = ns;
    c.priority = priority;
    control.add(std::move(c));
  }

  /// Starts the calls that may go; returns their keys, like "a b b ".
  std::string
  send(flow_control::allowed which = flow_control::allowed::any_call) {
    std::string result;
    for (;;) {
      auto next = control.take_next_call(now, which);
      ask_again = next.ask_again;
      if (!next.call)
        return result;
      result += next.call->key + " ";
      control.record_call_start(*next.call, now);
      under_way.push_back(std::move(*next.call));
    }
  }

  int count_sent() {
    auto all = send();
    return static_cast<int>(std::count(all.begin(), all.end(), ' '));
  }

  /// The call under way for the longest time ends.
  api_call end_one(const k8s::failure* why = nullptr) {
    auto c = std::move(under_way.front());
    under_way.erase(under_way.begin());
    control.record_call_end_and_adapt_window(c, why, now);
    return c;
  }

  void end_one(const k8s::failure& why) { end_one(&why); }

  /// All calls under way succeed.
  void end_all() {
    while (!under_way.empty())
      end_one();
  }

  /// In how many milliseconds to ask again; -1: not before something happens.
  std::int64_t ask_in() const {
    if (!ask_again)
      return -1;
    return std::chrono::duration_cast<milliseconds>(*ask_again - now).count();
  }

  flow_control::time_point now = beginning;
  flow_control control;
  std::vector<api_call> under_way;
  std::optional<flow_control::time_point> ask_again;
};

inline actor_options with_window(int first, int most) {
  auto result = default_options();
  result.window_first = first;
  result.window_most = most;
  return result;
}

inline actor_options with_rate(double calls_per_second, int burst) {
  auto result = with_window(1000, 1000);
  result.calls_per_second = calls_per_second;
  result.calls_burst = burst;
  result.events_in_flight = 1000;
  return result;
}

inline k8s::failure overloaded(std::optional<milliseconds> retry_after = {}) {
  return {k8s::ec::overloaded, "", retry_after};
}

} // namespace troupe::fixtures
