#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::cli {

// What `top` shows on a terminal. Pure.

/// A column of the table of jobs.
enum class job_column : std::uint8_t { job, kind, replicas, age, summary };

/// What the user has chosen by keys.
struct top_view {
  job_column sort = job_column::job;
  bool reversed = false;
  bool paused = false;
  bool help = false;
  std::size_t scroll = 0; ///< Lines of the tables above the screen.
  bool quit = false;
};

enum class line_style : std::uint8_t {
  plain,
  heading,
  good,    ///< All replicas run.
  partial, ///< Some replicas do not run.
  bad,     ///< Failed.
  ended,   ///< Succeeded.
};

struct styled_line {
  std::string text;
  line_style style = line_style::plain;
};

/// The tree of actors as tables: a summary, jobs, watches. `view` may be
/// nullptr: jobs that have not ended come first, and no column is marked. Lines
/// have at most `width` characters; 0: no limit.
std::vector<styled_line> make_top_tables(const nlohmann::json& tree,
                                         const top_view* view,
                                         std::size_t width);

/// The whole screen: at most `height` lines, the last one about keys, or about
/// the `failure` of the last request. Reduces `view.scroll` to the lines that
/// exist.
std::vector<styled_line>
make_top_screen_and_limit_scroll(const nlohmann::json& tree, top_view& view,
                                 std::size_t width, std::size_t height,
                                 const std::string& failure);

/// Takes the complete keys ("q", "left", "up"...) out of what a terminal has
/// sent. The beginning of an unfinished escape sequence stays.
std::vector<std::string> take_complete_keys(std::string& bytes);

/// Changes the view as the key says; an unknown key changes nothing.
void apply_key(top_view& view, const std::string& key);

/// The lines as text for a terminal. They overwrite the screen from the upper
/// left corner.
std::string render_terminal_frame(const std::vector<styled_line>& lines,
                                  bool colours);

} // namespace troupe::cli
