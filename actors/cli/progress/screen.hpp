#pragma once

#include "actors/cli/progress/progress_table.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::cli {

/// How everything is written: lines for a person, or an object of JSON in each
/// for a program.
enum class output_format { text, json_lines };

/// Standard output, as a terminal or as a pipe. On a terminal a table is
/// redrawn at the bottom, and lines scroll above it. In a pipe, and for
/// programs, there are only lines. For one thread.
class screen {
public:
  explicit screen(output_format f = output_format::text);
  ~screen(); ///< Erases the table.

  bool is_terminal() const { return terminal_; }
  bool is_text() const { return format_ == output_format::text; }
  /// True on a terminal, unless NO_COLOR is set.
  bool has_colours() const { return colours_; }
  std::size_t width() const;
  std::size_t height() const;

  /// Shows control characters as escapes; only lines of logs keep them.
  void print_line(const std::string& text);
  /// Prints `text` or `details`, as the output format says.
  void print_text_or_json(const std::string& text, nlohmann::json details);
  /// A line of a replica's log; each replica has a colour of its own on a
  /// terminal.
  void print_log_line(const std::string& job, const std::string& replica,
                      const std::string& text);
  /// The same for a line that may still be overwritten; the output for programs
  /// marks it as `unfinished`.
  void print_unfinished_log_line(const std::string& job,
                                 const std::string& replica,
                                 const std::string& text);
  /// What a line of a log begins with: "[worker-0] ".
  std::string log_prefix(const std::string& job,
                         const std::string& replica) const;
  /// From now on lines of logs also name their job.
  void prefix_log_lines_with_job() { names_jobs_ = true; }
  /// Does nothing in a pipe, or if the same table is there already.
  void draw_table_if_terminal_and_changed(const std::vector<table_line>& lines);
  /// Hands everything that was written to the system.
  void flush();

private:
  void print_json(nlohmann::json details);
  void erase_table();

  output_format format_;
  bool terminal_;
  bool colours_;
  bool names_jobs_ = false;
  std::vector<table_line> drawn_;
};

} // namespace troupe::cli
