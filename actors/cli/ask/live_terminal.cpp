#include "actors/cli/ask/live_terminal.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace troupe::cli {

namespace {

// Alternate screen; cursor hidden. And back.
constexpr const char* enter_screen = "\033[?1049h\033[?25l";
constexpr const char* leave_screen = "\033[?25h\033[?1049l";

void write_to_stdout(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    auto n = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR)
      return; // The terminal is gone; a signal will tell.
    done += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
}

void read_signal_or_resize(int from, terminal_events& found) {
  signalfd_siginfo info{};
  if (::read(from, &info, sizeof info) != sizeof info)
    return;
  auto number = static_cast<int>(info.ssi_signo);
  if (number == SIGWINCH)
    found.resized = true;
  else
    found.signal = number;
}

void read_ready_keys_or_hangup(terminal_events& found) {
  char bytes[256];
  auto n = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (n > 0)
    found.typed.assign(bytes, static_cast<std::size_t>(n));
  else if (n == 0)
    found.signal = SIGHUP; // Nobody will type any more.
}

} // namespace

terminal_event_queue::terminal_event_queue() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH})
    sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  wakeups_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

terminal_event_queue::~terminal_event_queue() {
  ::close(signals_);
  ::close(wakeups_);
}

terminal_events
terminal_event_queue::wait_for_event(std::chrono::milliseconds limit) {
  pollfd all[] = {
      {STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}, {wakeups_, POLLIN, 0}};
  terminal_events found;
  if (::poll(all, 3, static_cast<int>(limit.count())) <= 0)
    return found;
  if (all[0].revents != 0)
    read_ready_keys_or_hangup(found);
  if (all[1].revents != 0)
    read_signal_or_resize(signals_, found);
  if (all[2].revents != 0) {
    std::uint64_t count = 0;
    found.woken = ::read(wakeups_, &count, sizeof count) == sizeof count;
  }
  return found;
}

void terminal_event_queue::wake_waiting_thread() {
  std::uint64_t one = 1;
  // It fails only if it is full of others.
  [[maybe_unused]] auto n = ::write(wakeups_, &one, sizeof one);
}

live_terminal::live_terminal() {
  ::tcgetattr(STDIN_FILENO, &before_);
  enter_raw_mode();
}

live_terminal::~live_terminal() {
  restore_terminal();
}

void live_terminal::write_frame(const std::string& frame) {
  write_to_stdout(frame);
}

void live_terminal::suspend_process() {
  restore_terminal();
  ::raise(SIGSTOP);
  enter_raw_mode();
}

void live_terminal::enter_raw_mode() {
  auto raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  write_to_stdout(enter_screen);
}

void live_terminal::restore_terminal() {
  write_to_stdout(leave_screen);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

} // namespace troupe::cli
