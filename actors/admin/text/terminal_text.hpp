#pragma once

#include <cstddef>
#include <string>

namespace troupe::actors {

/// The text without control characters (tab and '\n' become blanks) and escape
/// sequences, so that texts of pods and servers cannot control the terminal.
std::string strip_control_characters(const std::string& text);

/// The text with control characters, and bytes that are not text, as escapes:
/// "\u001b" for ESC, "\n" for the end of a line. For names and values in
/// messages, which a reader has to see as they are. JSON keeps its meaning.
std::string escape_control_characters(const std::string& text);

/// The same of each line of a text.
std::string escape_control_characters_of_lines(const std::string& text);

/// A line of a log as a terminal shows it in the end: if it overwrites itself
/// after '\r', as progress bars do, its last state. Stripped as above, except
/// that `with_colours` keeps colours and other styles, and ends them with the
/// line.
std::string sanitize_log_line(const std::string& line, bool with_colours);

/// The columns that a text in UTF-8 has on a terminal.
std::size_t column_count(const std::string& text);

/// At most `width` columns; a longer text ends in "...", if `width` has room
/// for that. Characters of UTF-8 stay whole.
std::string truncate_with_ellipsis(const std::string& text, std::size_t width);

/// The same, without what is in the middle: "team/a-lo...-17".
std::string truncate_in_middle(const std::string& text, std::size_t width);

/// At least `width` columns.
std::string pad_right(const std::string& text, std::size_t width);

} // namespace troupe::actors
