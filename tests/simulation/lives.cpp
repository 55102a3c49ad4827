#include "tests/simulation/lives.hpp"

#include "config/logging.hpp"

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <sstream>
#include <thread>

namespace troupe::simulation {

namespace {

[[noreturn]] void exit_with_error(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(2);
}

/// The command that shows it again.
std::string replay_command(const simulation_options& s) {
  return "TROUPE_KIND=" + s.kind->name + " TROUPE_SEED="
         + std::to_string(s.seed) + " LIVES=1 TROUPE_TRACE=1 build/lives";
}

std::string describe(const simulation_options& s, const simulation_result& r) {
  std::ostringstream text;
  text << s.kind->name << ", seed " << s.seed;
  if (s.restart_after_call > 0)
    text << ", restarted after call " << s.restart_after_call;
  for (const auto& v : r.violations)
    text << "\n  " << v;
  text << "\n  end: " << r.end;
  if (s.restart_after_call == 0)
    text << "\n  replay: " << replay_command(s);
  return text.str();
}

/// What is wrong with it, or "".
std::string simulate_and_describe(const simulation_options& s) {
  simulation_result result;
  try {
    result = simulate(s);
  } catch (const std::exception& e) {
    result.violations.push_back(std::string{"throws "} + e.what());
  }
  return result.violations.empty() ? "" : describe(s, result);
}

/// The batch, while threads work on it.
class batch_run {
public:
  explicit batch_run(const life_batch& batch)
      : batch_(batch)
      , current_(batch.threads) {}

  std::vector<std::string> run() {
    std::vector<std::thread> others;
    for (unsigned n = 1; n < batch_.threads; ++n)
      others.emplace_back([this, n] { work(n); });
    work(0);
    for (auto& t : others)
      t.join();
    return std::move(failures_);
  }

private:
  void work(unsigned thread) {
    for (;;) {
      auto i = next_++;
      current_[thread] = i;
      if (i >= batch_.count || failed_ >= batch_.most_failures)
        return;
      auto options = batch_.get(i);
      options.trace = tracing();
      auto failure = simulate_and_describe(options);
      if (!failure.empty()) {
        ++failed_;
        std::lock_guard lock{mutex_};
        failures_.push_back(std::move(failure));
      } else if (thread == 0 && batch_.progress) {
        batch_.progress(first_unfinished());
      }
    }
  }

  std::size_t first_unfinished() const {
    auto first = next_.load();
    for (unsigned t = 1; t < batch_.threads; ++t)
      first = std::min(first, current_[t].load());
    return first;
  }

  const life_batch& batch_;
  std::vector<std::atomic<std::size_t>> current_; ///< By thread.
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> failed_{0};
  std::mutex mutex_;
  std::vector<std::string> failures_;
};

} // namespace

simulation_options random_life(const simulated_kind& kind, std::uint64_t seed) {
  simulation_options s;
  s.kind = &kind;
  s.seed = seed;
  s.restarts = 20;
  s.leader_changes = 20;
  return s;
}

std::vector<std::string> simulate_all(const life_batch& batch) {
  return batch_run{batch}.run();
}

std::uint64_t number_setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  if (!text)
    return otherwise;
  std::uint64_t n = 0;
  const char* end = text + std::strlen(text);
  auto [stop, error] = std::from_chars(text, end, n);
  if (error != std::errc{} || stop != end)
    exit_with_error(std::string{name} + "=" + text
                    + " is not a number: give a whole number from 0 on");
  return n;
}

bool tracing() {
  return std::getenv("TROUPE_TRACE") != nullptr;
}

std::vector<const simulated_kind*> kinds_to_simulate() {
  const char* wanted = std::getenv("TROUPE_KIND");
  std::vector<const simulated_kind*> result;
  std::string known;
  for (const auto& kind : simulated_kinds()) {
    if (!wanted || kind.name == wanted)
      result.push_back(&kind);
    known += " " + kind.name;
  }
  if (result.empty())
    exit_with_error(std::string{"TROUPE_KIND="} + wanted
                    + " is no kind of jobs: give one of" + known);
  return result;
}

void start_log() {
  log::configure(tracing() ? log::level::debug : log::level::error,
                 log::format::text);
}

} // namespace troupe::simulation
