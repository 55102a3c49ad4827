#include "actors/cli/admin_options.hpp"
#include "actors/cli/admin_text.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/screen.hpp"
#include "actors/cli/send_and_wait.hpp"

#include <CLI/CLI.hpp>

namespace troupe::cli {

namespace {

int top(const admin_options& o) {
  auto client = make_client(o.url);
  auto tree = send_and_wait(*client, make_get_request("/admin/v1/actors"));
  if (!tree)
    return report_no_answer(o, tree.error());
  screen out;
  auto width = out.is_terminal() ? out.width() : 0;
  return print_answer(o, *tree, top_lines(*tree, width));
}

} // namespace

void add_top_command(CLI::App& app, int& code) {
  auto* command =
      app.add_subcommand("top", "Show the operator's jobs, watches and calls");
  auto o = add_admin_options(*command);
  command->callback([o, &code] { code = top(*o); });
}

} // namespace troupe::cli
