#include "actors/cli/progress/screen.hpp"

#include "actors/admin/text/terminal_text.hpp"
#include "k8s/json.hpp"
#include "k8s/objects.hpp"

#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace troupe::cli {

namespace {

winsize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    size = {24, 80, 0, 0};
  return size;
}

/// The same for the same prefix, in any order of appearance.
int log_prefix_colour(const std::string& prefix) {
  unsigned sum = 0;
  for (unsigned char c : prefix)
    sum = sum * 31 + c;
  constexpr int colours[] = {36, 33, 32, 35, 34, 96, 93, 92, 95, 94};
  return colours[sum % 10];
}

} // namespace

screen::screen(output_format f)
    : format_(f)
    , terminal_(f == output_format::text && ::isatty(STDOUT_FILENO) != 0)
    , colours_(terminal_ && std::getenv("NO_COLOR") == nullptr) {
  auto kind = std::getenv("TERM");
  if (kind != nullptr && std::string(kind) == "dumb")
    terminal_ = colours_ = false;
}

screen::~screen() {
  erase_table();
  std::fflush(stdout);
}

std::size_t screen::width() const {
  return terminal_size().ws_col;
}

std::size_t screen::height() const {
  return terminal_size().ws_row;
}

void screen::print_line(const std::string& text) {
  print_text_or_json(text, {{"type", "message"}, {"text", text}});
}

void screen::print_text_or_json(const std::string& text,
                                nlohmann::json details) {
  if (format_ == output_format::json_lines)
    return print_json(std::move(details));
  erase_table();
  std::fprintf(stdout, "%s\n", actors::escape_control_characters(text).c_str());
}

void screen::print_json(nlohmann::json details) {
  details["time"] = k8s::to_rfc3339_micro(std::chrono::system_clock::now());
  std::fprintf(
      stdout, "%s\n",
      actors::escape_control_characters(k8s::to_text(details)).c_str());
}

std::string screen::log_prefix(const std::string& job,
                               const std::string& replica) const {
  return "["
         + actors::escape_control_characters(names_jobs_ ? job + "/" + replica
                                                         : replica)
         + "] ";
}

void screen::print_log_line(const std::string& job, const std::string& replica,
                            const std::string& text) {
  if (format_ == output_format::json_lines)
    return print_json(
        {{"type", "log"}, {"job", job}, {"replica", replica}, {"line", text}});
  auto prefix = log_prefix(job, replica);
  erase_table();
  if (colours_)
    std::fprintf(stdout, "\033[%dm%s\033[0m%s\n", log_prefix_colour(prefix),
                 prefix.c_str(), text.c_str());
  else
    std::fprintf(stdout, "%s%s\n", prefix.c_str(), text.c_str());
}

void screen::print_unfinished_log_line(const std::string& job,
                                       const std::string& replica,
                                       const std::string& text) {
  if (format_ != output_format::json_lines)
    return print_log_line(job, replica, text);
  print_json({{"type", "log"},
              {"job", job},
              {"replica", replica},
              {"line", text},
              {"unfinished", true}});
}

void screen::draw_table_if_terminal_and_changed(
    const std::vector<table_line>& lines) {
  if (!terminal_ || lines == drawn_)
    return;
  erase_table();
  for (const auto& l : lines)
    std::fprintf(stdout,
                 l.is_failure && colours_ ? "\033[31m%s\033[0m\n" : "%s\n",
                 l.text.c_str());
  drawn_ = lines;
}

void screen::flush() {
  std::fflush(stdout);
}

void screen::erase_table() {
  // Up by its lines, to the first column, and clear from there.
  if (!drawn_.empty())
    std::fprintf(stdout, "\033[%zuA\r\033[J", drawn_.size());
  drawn_.clear();
}

} // namespace troupe::cli
