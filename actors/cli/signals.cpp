#include "actors/cli/signals.hpp"

#include <cerrno>
#include <csignal>
#include <pthread.h>

namespace troupe::cli {

namespace {

sigset_t termination_signal_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

} // namespace

signals::signals() {
  auto set = termination_signal_set();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A reader that left is an error of a write, not the end of us.
  std::signal(SIGPIPE, SIG_IGN);
}

int signals::wait(std::chrono::milliseconds limit) {
  auto set = termination_signal_set();
  timespec t{};
  t.tv_sec = limit.count() / 1000;
  t.tv_nsec = limit.count() % 1000 * 1'000'000;
  int number = ::sigtimedwait(&set, nullptr, &t);
  return number > 0 ? number : 0;
}

int signals::wait() {
  auto set = termination_signal_set();
  int number = -1;
  while (number < 0)
    number = ::sigwaitinfo(&set, nullptr);
  return number;
}

} // namespace troupe::cli
