#pragma once

#include <cstddef>
#include <string>

namespace troupe::actors {

/// Without control characters (a tab becomes a blank) and escape sequences, so
/// that what pods and servers say cannot steer the terminal.
std::string strip_control_characters(const std::string& text);

/// With control characters, and bytes that are no text, as escapes: "\u001b"
/// for ESC, "\n" for the end of a line. For names and values in messages, which
/// a reader is to see as they are. JSON remains the same JSON.
std::string escape_control_characters(const std::string& text);

/// The same of each line of a text.
std::string escape_control_characters_of_lines(const std::string& text);

/// A line of a log as it looks when it has been written: of one that overwrites
/// itself after '\r', as progress bars do, the last state. Stripped as above;
/// `with_colours` keeps colours and their like, and ends them with the line.
std::string sanitize_log_line(const std::string& line, bool with_colours);

/// How many characters some UTF-8 has.
std::size_t character_count(const std::string& text);

/// At most `width` characters; a longer one ends in "...". UTF-8 stays whole.
std::string truncate_with_ellipsis(const std::string& text, std::size_t width);

/// At least `width` characters.
std::string pad_right(const std::string& text, std::size_t width);

} // namespace troupe::actors
