#include "actors/process/health_record.hpp"

#include <nlohmann/json.hpp>

namespace troupe::actors {

namespace {

using nlohmann::json;

constexpr auto watch_limit_seconds =
    std::chrono::duration<double>{health_record::watch_limit}.count();

std::string seconds_text(std::chrono::steady_clock::duration d) {
  return std::to_string(
             std::chrono::duration_cast<std::chrono::seconds>(d).count())
         + " s";
}

/// A number of seconds in a report; `otherwise` if it has none.
double seconds_in(const json& report, const char* field, double otherwise) {
  auto i = report.find(field);
  return i != report.end() && i->is_number() ? i->get<double>() : otherwise;
}

/// Whether the API server has answered for as long as a watch may be missing.
bool has_server_answered_for_watch_limit(const json& children) {
  const auto limit = watch_limit_seconds;
  for (const auto& child : children)
    if (child.value("actor", "") == "server-probe")
      return child.value("state", "") != "away"
             && seconds_in(child, "secondsSinceOutage", limit) >= limit;
  return false;
}

std::string missing_watch_problem_if_server_answers(const json& children) {
  if (!has_server_answered_for_watch_limit(children))
    return {};
  for (const auto& child : children) {
    if (child.value("actor", "") != "watcher"
        || !child.value("neededToBeReady", false))
      continue;
    auto missing = seconds_in(child, "secondsUnwatched", 0);
    if (missing >= watch_limit_seconds)
      return "the API server answers, but has accepted no watch of "
             + child.value("resource", "") + " for "
             + std::to_string(static_cast<long>(missing))
             + " s: " + child.value("lastFailure", "");
  }
  return {};
}

} // namespace

void health_record::on_report(const json& report, time_point now) {
  asked_at_ = now;
  std::map<std::uint64_t, silence> silent;
  auto add = [&](std::uint64_t id, std::string name) {
    auto known = silent_.find(id);
    silent.emplace(id, known == silent_.end() ? silence{std::move(name), now}
                                              : known->second);
  };
  if (!report.is_object()) {
    add(0, "root");
    silent_ = std::move(silent);
    return;
  }
  auto children = report.value("children", json::array());
  for (const auto& child : children)
    if (child.value("actor", "") == "silent")
      add(child.value("id", std::uint64_t{0}), child.value("name", ""));
  silent_ = std::move(silent);
  readiness_problem_ = missing_watch_problem_if_server_answers(children);
}

std::string health_record::liveness_problem(time_point now) const {
  if (now - asked_at_ >= silence_limit)
    return "no actor has run for " + seconds_text(now - asked_at_);
  for (const auto& [id, s] : silent_)
    if (now - s.since >= silence_limit)
      return "the " + s.name + " has not answered for "
             + seconds_text(now - s.since);
  return {};
}

} // namespace troupe::actors
