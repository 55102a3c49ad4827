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
  ~screen(); ///< Takes the table away.

  bool is_terminal() const { return terminal_; }
  bool is_text() const { return format_ == output_format::text; }
  /// On a terminal, unless NO_COLOR is set.
  bool has_colours() const { return colours_; }
  std::size_t width() const;
  std::size_t height() const;

  /// Control characters are shown as escapes, but in lines of logs.
  void print_line(const std::string& text);
  /// As one or the other, as the format is.
  void print_text_or_json(const std::string& text, nlohmann::json details);
  /// A line of a replica's log; each replica has a colour of its own on a
  /// terminal.
  void print_log_line(const std::string& job, const std::string& replica,
                      const std::string& text);
  /// The same of a line that may still be overwritten; for programs it is
  /// marked as `unfinished`.
  void print_unfinished_log_line(const std::string& job,
                                 const std::string& replica,
                                 const std::string& text);
  /// What a line of a log begins with: "[worker-0] ".
  std::string log_prefix(const std::string& job,
                         const std::string& replica) const;
  /// From now on lines of logs say of which job they are, too.
  void prefix_log_lines_with_job() { names_jobs_ = true; }
  /// Nothing happens in a pipe, or if it stands there already.
  void draw_table(const std::vector<table_line>& lines);
  /// What was written is on its way.
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
