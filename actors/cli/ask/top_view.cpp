#include "actors/cli/ask/top_view.hpp"

#include "actors/admin/text/terminal_text.hpp"

#include <algorithm>
#include <map>

namespace troupe::cli {

using actors::strip_control_characters;
using actors::truncate_with_ellipsis;

namespace {

constexpr int job_columns = 5;

const char* const help_lines[] = {
    "Keys of troupe top:",
    "",
    "  left, right       sort by the column to the left, to the right",
    "  j, k, w, a, s     sort by job, kind, replicas, age, summary",
    "  r                 reverse the order",
    "  up, down          scroll by a line",
    "  p, space          pause, continue",
    "  ?, h              show or hide this help",
    "  q, Ctrl-C         quit",
};

const std::map<std::string, job_column>& sort_keys() {
  static const std::map<std::string, job_column> keys{
      {"j", job_column::job},      {"k", job_column::kind},
      {"w", job_column::replicas}, {"a", job_column::age},
      {"s", job_column::summary},
  };
  return keys;
}

job_column next_sort_column(job_column c, int step) {
  return static_cast<job_column>((static_cast<int>(c) + step + job_columns)
                                 % job_columns);
}

styled_line status_line(const top_view& view, const std::string& failure,
                        std::size_t hidden) {
  if (!failure.empty())
    return {"No answer: " + strip_control_characters(failure), line_style::bad};
  std::string text = view.paused ? "Paused. " : "";
  if (hidden > 0)
    text += std::to_string(hidden) + " more lines. ";
  return {text + "q quit  ? help  left/right sort  p pause",
          line_style::heading};
}

const char* escape_sequence_of_style(line_style style) {
  switch (style) {
  case line_style::heading:
    return "\033[1m";
  case line_style::good:
    return "\033[32m";
  case line_style::partial:
    return "\033[33m";
  case line_style::bad:
    return "\033[31m";
  case line_style::ended:
    return "\033[2m";
  case line_style::plain:
    break;
  }
  return "";
}

/// The key that an escape sequence stands for, "" if it is none of ours.
std::string arrow_key_of_sequence(const std::string& sequence) {
  switch (sequence.back()) {
  case 'A':
    return "up";
  case 'B':
    return "down";
  case 'C':
    return "right";
  case 'D':
    return "left";
  default:
    return "";
  }
}

/// The length of the escape sequence at the beginning of `bytes`, 0 if its end
/// has not arrived.
std::size_t complete_escape_length(const std::string& bytes) {
  if (bytes.size() < 2)
    return 0;
  if (bytes[1] != '[' && bytes[1] != 'O')
    return 1; // The escape key itself.
  for (std::size_t i = 2; i < bytes.size(); ++i)
    if (bytes[i] >= '@' && bytes[i] <= '~')
      return i + 1;
  return 0;
}

} // namespace

std::vector<styled_line>
make_top_screen_and_limit_scroll(const nlohmann::json& tree, top_view& view,
                                 std::size_t width, std::size_t height,
                                 const std::string& failure) {
  std::vector<styled_line> lines;
  if (view.help)
    for (const char* l : help_lines)
      lines.push_back({truncate_with_ellipsis(l, width), line_style::plain});
  else
    lines = make_top_tables(tree, &view, width);
  auto visible_lines = height > 1 ? height - 1 : 1;
  auto max_scroll =
      lines.size() > visible_lines ? lines.size() - visible_lines : 0;
  view.scroll = view.help ? 0 : std::min(view.scroll, max_scroll);
  auto first = lines.begin() + static_cast<std::ptrdiff_t>(view.scroll);
  auto shown = std::min(visible_lines, lines.size() - view.scroll);
  std::vector<styled_line> screen{first,
                                  first + static_cast<std::ptrdiff_t>(shown)};
  auto last = status_line(view, failure, lines.size() - view.scroll - shown);
  last.text = truncate_with_ellipsis(last.text, width);
  screen.push_back(std::move(last));
  return screen;
}

std::vector<std::string> take_complete_keys(std::string& bytes) {
  std::vector<std::string> keys;
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (bytes[at] != '\033') {
      keys.push_back(bytes.substr(at++, 1));
      continue;
    }
    auto length = complete_escape_length(bytes.substr(at));
    if (length == 0)
      break;
    if (auto key = arrow_key_of_sequence(bytes.substr(at, length));
        !key.empty())
      keys.push_back(std::move(key));
    at += length;
  }
  bytes.erase(0, at);
  return keys;
}

void apply_key(top_view& view, const std::string& key) {
  if (auto column = sort_keys().find(key); column != sort_keys().end())
    view.sort = column->second;
  else if (key == "left" || key == "right")
    view.sort = next_sort_column(view.sort, key == "left" ? -1 : 1);
  else if (key == "r")
    view.reversed = !view.reversed;
  else if (key == "down")
    ++view.scroll;
  else if (key == "up" && view.scroll > 0)
    --view.scroll;
  else if (key == "p" || key == " ")
    view.paused = !view.paused;
  else if (key == "?" || key == "h")
    view.help = !view.help;
  else if (key == "q")
    view.quit = true;
}

std::string render_terminal_frame(const std::vector<styled_line>& lines,
                                  bool colours) {
  std::string text = "\033[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string style = colours ? escape_sequence_of_style(lines[i].style) : "";
    text += (i == 0 ? "" : "\r\n") + style
            + actors::escape_control_characters(lines[i].text)
            + (style.empty() ? "" : "\033[0m") + "\033[K";
  }
  return text + "\033[J";
}

} // namespace troupe::cli
