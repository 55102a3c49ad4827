#pragma once

#include <chrono>
#include <string>
#include <termios.h>

namespace troupe::cli {

/// What woke a program that shows a live screen.
struct terminal_events {
  std::string typed;    ///< As the terminal sent it.
  int signal = 0;       ///< SIGINT, SIGTERM, SIGHUP or SIGTSTP; 0: none.
  bool resized = false; ///< The terminal has another size.
  bool woken = false;   ///< Somebody has called wake_waiting_thread().
};

/// Takes the signals of a terminal from all threads and waits for them, for
/// keys and for other threads. Must be made before any other thread starts.
class terminal_event_queue {
public:
  terminal_event_queue();
  ~terminal_event_queue();
  terminal_event_queue(const terminal_event_queue&) = delete;
  terminal_event_queue& operator=(const terminal_event_queue&) = delete;

  /// Waits for events, at most for `limit`.
  terminal_events wait_for_event(std::chrono::milliseconds limit);
  /// Ends the current or next wait. Any thread.
  void wake_waiting_thread();

private:
  int signals_ = -1;
  int wakeups_ = -1;
};

/// The terminal as a separate screen, on which keys arrive at once and are not
/// shown. The destructor restores the former contents.
class live_terminal {
public:
  live_terminal();
  ~live_terminal();
  live_terminal(const live_terminal&) = delete;
  live_terminal& operator=(const live_terminal&) = delete;

  void write_frame(const std::string& frame);
  /// Restores the terminal and stops this process until the shell continues it.
  void suspend_process();

private:
  void enter_raw_mode();
  void restore_terminal();

  termios before_{};
};

} // namespace troupe::cli
