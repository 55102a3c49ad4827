// Explores worlds: `make explore`.
//
//   explore            all
//   explore --ci       those that take little time
//   explore --ci 2/3   the second of three parts of them
//   explore NAME...    these
//   explore --list     names them
//
// BOUNDS="failures=2 lag=3": these bounds instead of the worlds' own.
#include "tests/exploration/explorer.hpp"
#include "tests/exploration/worlds.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

using namespace troupe::exploration;

namespace {

const std::vector<std::pair<std::string, int bounds::*>> names_of_bounds{
    {"successes", &bounds::successes},
    {"failures", &bounds::failures},
    {"fatal_failures", &bounds::fatal_failures},
    {"removals", &bounds::removals},
    {"late_ends", &bounds::late_ends},
    {"suspensions", &bounds::suspensions},
    {"deaths", &bounds::deaths},
    {"lost_answers", &bounds::lost_answers},
    {"lists", &bounds::lists},
    {"repetitions", &bounds::repetitions},
    {"lost_nodes", &bounds::lost_nodes},
    {"preemptions", &bounds::preemptions},
    {"time_outs", &bounds::time_outs},
    {"deactivations", &bounds::deactivations},
    {"checks", &bounds::checks},
    {"refusals", &bounds::refusals},
    {"workload_removals", &bounds::workload_removals},
    {"lag", &bounds::lag},
    {"prompt", &bounds::prompt},
    {"calm", &bounds::calm}};

bounds changed_bounds(bounds b) {
  const char* text = std::getenv("BOUNDS");
  std::istringstream words{text ? text : ""};
  for (std::string word; words >> word;)
    for (const auto& [name, field] : names_of_bounds)
      if (word.rfind(name + "=", 0) == 0)
        b.*field = std::stoi(word.substr(name.size() + 1));
  return b;
}

std::string text_of(const bounds& b) {
  std::string text;
  for (const auto& [name, field] : names_of_bounds)
    if (b.*field > 0)
      text += " " + name + "=" + std::to_string(b.*field);
  return text;
}

void print(const world_row& row, const exploration_result& r, bool at_end) {
  std::printf("%s: %zu states, %zu steps, %zu ends, paths of up to %zu, "
              "%.1f s of processor, %zu MiB%s\n",
              row.name.c_str(), r.states, r.steps, r.ends, r.deepest,
              r.seconds.count(), r.bytes >> 20U,
              r.closed ? ", closed"
              : at_end ? ", NOT closed"
                       : " so far");
  std::fflush(stdout);
}

bool explore_row(world_row row) {
  row.may_happen = changed_bounds(row.may_happen);
  std::printf("%s: a %s, and once or as often as said:%s\n", row.name.c_str(),
              row.kind, text_of(row.may_happen).c_str());
  auto s = row.make();
  exploration_limits limits;
  limits.states = 700'000'000; // In 16 GiB.
  if (const char* most = std::getenv("STATES"))
    limits.states = std::stoull(most);
  auto printed = std::chrono::steady_clock::now();
  limits.progress = [&](const exploration_result& r) {
    auto now = std::chrono::steady_clock::now();
    if (now - printed < std::chrono::minutes{1})
      return;
    printed = now;
    print(row, r, false);
  };
  auto result = explore(*s, limits);
  print(row, result, true);
  if (result.violation.empty()) {
    if (!result.closed)
      std::printf("FAIL %s: it was not explored to its end\n",
                  row.name.c_str());
    return result.closed;
  }
  if (std::getenv("SHORTEST"))
    result = find_shortest(*s, std::move(result));
  for (const auto& step : result.trace)
    std::printf("  %s\n", step.c_str());
  std::printf("FAIL %s: %s\nrepeat it: SHORTEST=1 build/explore %s\n",
              row.name.c_str(), result.violation.c_str(), row.name.c_str());
  return false;
}

/// "2/3": of the worlds in the order of their table, each third from the
/// second.
struct share {
  int part = 1;
  int parts = 1;
};

share parse_share(const std::string& text) {
  share result;
  std::istringstream in{text};
  char slash = 0;
  in >> result.part >> slash >> result.parts;
  return result;
}

} // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments{argv + 1, argv + argc};
  bool ci = !arguments.empty() && arguments[0] == "--ci";
  share wanted;
  if (ci) {
    if (arguments.size() == 2)
      wanted = parse_share(arguments[1]);
    if (arguments.size() > 2 || wanted.part < 1 || wanted.parts < wanted.part) {
      std::printf("after --ci a part of all is named by, say, 2/3\n");
      return 2;
    }
    arguments.clear();
  }
  if (arguments == std::vector<std::string>{"--list"}) {
    for (const auto& row : all_worlds())
      std::printf("%s%s\n", row.name.c_str(), row.in_ci ? " (ci)" : "");
    return 0;
  }
  for (const auto& name : arguments)
    if (!find_world(name)) {
      std::printf("no world %s: see --list\n", name.c_str());
      return 2;
    }
  int failed = 0;
  int passed = 0;
  int seen = 0;
  auto explore_if_asked = [&](const world_row& row) {
    bool named = std::find(arguments.begin(), arguments.end(), row.name)
                 != arguments.end();
    if (arguments.empty() ? ci && !row.in_ci : !named)
      return;
    if (seen++ % wanted.parts != wanted.part - 1)
      return;
    ++(explore_row(row) ? passed : failed);
  };
  for (const auto& row : all_worlds())
    explore_if_asked(row);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
