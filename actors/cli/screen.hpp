#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Standard output, as a terminal or as a pipe. On a terminal a table stands
/// at the bottom and is drawn anew, lines scroll by above it; in a pipe there
/// are lines only. For one thread.
class screen {
public:
  screen();
  ~screen(); ///< Takes the table away.

  bool is_terminal() const { return terminal_; }
  /// On a terminal, unless NO_COLOR is set.
  bool has_colours() const { return colours_; }
  std::size_t width() const;
  std::size_t height() const;

  void print_line(const std::string& text);
  /// A line of a log; each prefix has a colour of its own on a terminal.
  void print_log_line(const std::string& prefix, const std::string& text);
  /// Nothing happens in a pipe, or if it stands there already.
  void draw_table(const std::vector<std::string>& lines);
  /// What was written is on its way.
  void flush();

private:
  void erase_table();

  bool terminal_;
  bool colours_;
  std::vector<std::string> drawn_;
};

} // namespace troupe::cli
