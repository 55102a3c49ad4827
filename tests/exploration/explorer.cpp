#include "tests/exploration/explorer.hpp"

#include "tests/exploration/fingerprint.hpp"
#include "tests/exploration/fingerprint_set.hpp"
#include "tests/exploration/invariants.hpp"

#include <algorithm>
#include <ctime>
#include <unordered_map>
#include <utility>

namespace troupe::exploration {

namespace {

/// Those of all worlds have a few hundred steps. Each takes some KiB.
constexpr std::size_t longest_path = 10'000;

struct frame {
  world state;
  fingerprint id;
  std::vector<move> moves;
  std::size_t next = 0;
};

struct fingerprint_hash {
  std::size_t operator()(const fingerprint& f) const { return f.low; }
};

/// Of this process: others may keep the processors busy.
double seconds_of_processor() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

class search {
public:
  search(const setting& s, const exploration_limits& limits)
      : s_(s)
      , limits_(limits) {}

  exploration_result run();

private:
  enum class visit : std::uint8_t { first, again, on_path };

  visit visit_state(const fingerprint& id);
  /// Adds it to the path, if it is new.
  void enter(world state);
  void stop(const world& last, std::string why);

  const setting& s_;
  const exploration_limits& limits_;
  double begin_ = seconds_of_processor();
  encoder encoder_;
  fingerprint_set seen_;
  /// If the depth is limited: the shortest path that has led there.
  std::unordered_map<fingerprint, std::size_t, fingerprint_hash> depths_;
  std::unordered_map<fingerprint, std::size_t, fingerprint_hash> on_path_;
  std::vector<frame> path_;
  exploration_result result_;
};

search::visit search::visit_state(const fingerprint& id) {
  if (on_path_.count(id) > 0)
    return visit::on_path;
  if (limits_.depth == 0)
    return seen_.insert(id) ? visit::first : visit::again;
  auto [known, is_new] = depths_.emplace(id, path_.size());
  if (!is_new && known->second <= path_.size())
    return visit::again;
  known->second = path_.size();
  return visit::first;
}

void search::stop(const world& last, std::string why) {
  result_.violation = std::move(why);
  for (const auto& f : path_)
    if (f.next > 0)
      result_.trace.push_back(f.state.describe(f.moves[f.next - 1]) + "\n      "
                              + f.state.describe());
  result_.trace.push_back(last.describe());
}

void search::enter(world state) {
  if (!state.violation.empty())
    return stop(state, state.violation);
  if (limits_.depth > 0 && path_.size() >= limits_.depth)
    return;
  auto id = fingerprint_of(state, encoder_);
  switch (visit_state(id)) {
  case visit::on_path:
    return stop(state, "it can go on for ever: the same state again");
  case visit::again:
    return;
  case visit::first:
    break;
  }
  if (limits_.on_state)
    limits_.on_state(state);
  auto moves = state.moves();
  if (std::none_of(moves.begin(), moves.end(),
                   [](const move& m) { return is_certain(m.what); })) {
    ++result_.ends;
    check_end(state);
    if (!state.violation.empty())
      return stop(state, state.violation);
  }
  if (path_.size() == longest_path)
    return stop(state, "it can go on for ever: a path without an end");
  on_path_.emplace(id, path_.size());
  path_.push_back({std::move(state), id, std::move(moves)});
  result_.deepest = std::max(result_.deepest, path_.size());
}

exploration_result search::run() {
  auto count = [&] {
    result_.states = limits_.depth > 0 ? depths_.size() : seen_.size();
    result_.bytes = seen_.bytes();
    result_.seconds =
        std::chrono::duration<double>{seconds_of_processor() - begin_};
  };
  enter(world{s_});
  while (!path_.empty() && result_.violation.empty()) {
    auto& top = path_.back();
    if (top.next == top.moves.size()) {
      on_path_.erase(top.id);
      path_.pop_back();
      continue;
    }
    auto next = top.state;
    next.make(top.moves[top.next++]);
    enter(std::move(next));
    if ((++result_.steps & 0xFFFFU) == 0) {
      count();
      if (limits_.progress)
        limits_.progress(result_);
      if (limits_.states > 0 && result_.states >= limits_.states)
        break;
    }
  }
  count();
  result_.closed = path_.empty() && result_.violation.empty();
  return result_;
}

} // namespace

exploration_result explore(const setting& s, const exploration_limits& limits) {
  return search{s, limits}.run();
}

exploration_result find_shortest(const setting& s, exploration_result found) {
  std::size_t low = 0; // No trace is so short.
  while (found.trace.size() - low > 1) {
    exploration_limits limits;
    limits.depth = low + (found.trace.size() - low) / 2;
    auto shorter = explore(s, limits);
    if (shorter.violation.empty())
      low = limits.depth;
    else
      found = std::move(shorter);
  }
  return found;
}

} // namespace troupe::exploration
