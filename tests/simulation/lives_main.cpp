// Simulates very many jobs, for hours: `make lives`.
//
// LIVES: how many of all kinds together; JOBS: threads, all cores if not given;
// TROUPE_SEED, TROUPE_KIND, TROUPE_TRACE: see lives.hpp.
#include "tests/simulation/lives.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace troupe;
using namespace troupe::simulation;

namespace {

using steady = std::chrono::steady_clock;

/// Prints once a minute how far it is.
class progress_printer {
public:
  progress_printer(std::uint64_t first_seed, std::size_t kinds,
                   std::size_t count)
      : first_seed_(first_seed)
      , kinds_(kinds)
      , count_(count) {}

  void print_once_a_minute(std::size_t done) {
    auto now = steady::now();
    if (now - printed_ < std::chrono::minutes{1})
      return;
    printed_ = now;
    print(done);
  }

  void print(std::size_t done) const {
    std::chrono::duration<double> passed = steady::now() - begin_;
    double per_second = static_cast<double>(done) / passed.count();
    double left = static_cast<double>(count_ - done) / per_second / 60;
    std::printf("%zu of %zu lives, all seeds below %zu; %.0f a second, %.0f "
                "minutes left\n",
                done, count_, static_cast<std::size_t>(seed_of(done)),
                per_second, left);
    std::fflush(stdout);
  }

  std::uint64_t seed_of(std::size_t life) const {
    return first_seed_ + life / kinds_;
  }

private:
  std::uint64_t first_seed_;
  std::size_t kinds_;
  std::size_t count_;
  steady::time_point begin_ = steady::now();
  steady::time_point printed_ = begin_;
};

} // namespace

int main() {
  start_log();
  auto kinds = kinds_to_simulate();
  progress_printer progress{number_setting("TROUPE_SEED", 1), kinds.size(),
                            number_setting("LIVES", 1'000'000)};
  life_batch batch;
  batch.count = number_setting("LIVES", 1'000'000);
  batch.get = [&](std::size_t i) {
    return random_life(*kinds[i % kinds.size()], progress.seed_of(i));
  };
  auto cores = std::max(std::thread::hardware_concurrency(), 1u);
  auto threads = static_cast<unsigned>(number_setting("JOBS", cores));
  batch.threads = tracing() ? 1 : std::max(threads, 1u);
  batch.progress = [&](std::size_t done) {
    progress.print_once_a_minute(done);
  };
  auto failures = simulate_all(batch);
  for (const auto& f : failures)
    std::printf("%s\n", f.c_str());
  if (!failures.empty())
    return 1;
  progress.print(batch.count);
  return 0;
}
