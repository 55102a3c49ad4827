#include "actors/cli/base/signals.hpp"

#include <cerrno>
#include <csignal>
#include <pthread.h>

namespace troupe::cli {

namespace {

sigset_t make_signal_set(signals::kind which) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (which == signals::kind::with_hangup)
    sigaddset(&set, SIGHUP);
  return set;
}

} // namespace

signals::signals(kind which)
    : which_(which) {
  auto set = make_signal_set(which_);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A reader that left is an error of a write, not the end of us.
  std::signal(SIGPIPE, SIG_IGN);
}

int signals::wait_for_signal(std::chrono::milliseconds limit) {
  auto set = make_signal_set(which_);
  timespec t{};
  t.tv_sec = limit.count() / 1000;
  t.tv_nsec = limit.count() % 1000 * 1'000'000;
  int number = ::sigtimedwait(&set, nullptr, &t);
  return number > 0 ? number : 0;
}

int signals::wait_for_signal() {
  auto set = make_signal_set(which_);
  int number = -1;
  while (number < 0)
    number = ::sigwaitinfo(&set, nullptr);
  return number;
}

} // namespace troupe::cli
