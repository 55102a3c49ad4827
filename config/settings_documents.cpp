#include "config/settings_documents.hpp"

#include "config/setting_rows.hpp"
#include "k8s/text.hpp"

#include <cctype>

namespace troupe::config {

namespace {

constexpr std::size_t columns = 80;

constexpr const char* head_of_file =
    R"(# Settings of the operator, each at its default: `troupe operator --config FILE`.
# Every key is also a flag of the same name. Flags go before the environment,
# the environment before this file. An unknown key is an error. A change of
# windows, rates or the log takes effect at once, others at the next start: the
# log says so. Durations are written 300ms, 5s, 2m or 1h30m.
)";

constexpr const char* head_of_page = R"(# Settings

Each setting is a key of the file that `troupe operator --config FILE` reads
(`config/operator.yaml` has all of them at their defaults) and a flag, `--NAME`.
Flags go before the environment, the environment before the file, the file
before the defaults. `troupe operator --print-config` prints the values and
where each comes from.

A changed file is read again within seconds. A setting whose line says "at once"
takes effect then, any other at the next start; the log says which.

This page is written from `config/setting_rows.cpp`.
)";

/// Words of `text` in lines of a comment.
std::string wrap_as_comment_lines(const std::string& text) {
  std::string out = "#";
  std::size_t length = out.size();
  for (const auto& word : k8s::split_without_empty_parts(text, ' ')) {
    if (length + 1 + word.size() > columns) {
      out += "\n#";
      length = 1;
    }
    out += " " + word;
    length += 1 + word.size();
  }
  return out + "\n";
}

std::string quoted_unless_plain(const std::string& text) {
  bool plain = !text.empty()
               && (std::isalnum(static_cast<unsigned char>(text.front())) != 0
                   || text.front() == '/');
  return plain ? text : "\"" + text + "\"";
}

std::string yaml_default(const setting_row& r) {
  if (std::holds_alternative<std::vector<std::string>>(r.standard))
    return "[" + format_default(r) + "]";
  return std::holds_alternative<std::string>(r.standard)
             ? quoted_unless_plain(format_default(r))
             : format_default(r);
}

/// A comment for each row, with the environment variable, and its default.
std::string documented_settings_file() {
  std::string out = head_of_file;
  const setting_group* group = nullptr;
  for (const auto& r : setting_rows()) {
    if (group != r.group) {
      group = r.group;
      out += "\n# -- " + std::string{group->title}
             + (*group->note == '\0' ? "" : ": " + std::string{group->note})
             + "\n";
    }
    out += "\n"
           + wrap_as_comment_lines(
               std::string{r.help}
               + (*r.env == '\0' ? ""
                                 : " (environment: " + std::string{r.env} + ")")
               + ".")
           + r.name + ": " + yaml_default(r) + "\n";
  }
  return out;
}

bool has_bounds(const setting_row& r) {
  return std::holds_alternative<int>(r.standard)
         || std::holds_alternative<double>(r.standard)
         || std::holds_alternative<std::chrono::milliseconds>(r.standard);
}

/// "1 to 64"; "text, json"; "" if there is nothing to say.
std::string allowed_values_text(const setting_row& r) {
  if (has_bounds(r))
    return format_bound(r, r.min) + " to " + format_bound(r, r.max);
  return std::holds_alternative<bool>(r.standard) ? "true, false"
                                                  : k8s::join(r.choices, ", ");
}

std::string escape_for_table(const std::string& text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? std::string{"\\|"} : std::string{c};
  return out;
}

std::string table_line(const setting_row& r) {
  auto standard = format_default(r);
  auto values = allowed_values_text(r);
  return "| `" + std::string{r.name} + "` | "
         + (standard.empty() ? "" : "`" + standard + "`") + " | "
         + escape_for_table(r.help) + ". "
         + (*r.env == '\0' ? "" : "`$" + std::string{r.env} + "`. ")
         + (values.empty() ? "" : "Values: " + values + ". ")
         + (r.reloadable ? "At once. " : "") + "| " + escape_for_table(r.reason)
         + " |\n";
}

std::string settings_page() {
  std::string out = head_of_page;
  const setting_group* group = nullptr;
  for (const auto& r : setting_rows()) {
    if (group != r.group) {
      group = r.group;
      out += "\n## " + std::string{group->title} + "\n\n"
             + (*group->note == '\0' ? "" : std::string{group->note} + ".\n\n")
             + "| setting | default | what it is | why this default |\n"
               "|---|---|---|---|\n";
    }
    out += table_line(r);
  }
  return out;
}

} // namespace

std::vector<settings_document> settings_documents() {
  return {{"config/operator.yaml", documented_settings_file()},
          {"docs/settings.md", settings_page()}};
}

} // namespace troupe::config
