#include "actors/cli/admin_text.hpp"
#include "actors/cli/ask.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/definitions.hpp"
#include "config/defaults.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace troupe::cli {

namespace {

struct question {
  std::string job; ///< "NAME" or "NAMESPACE/NAME".
  std::string url = "http://" + std::string{config::defaults::admin_address};
};

int fail(const question& q, const k8s::failure& why) {
  std::cerr << "troupe: " << q.url << ": " << why.what << std::endl;
  if (why.code == k8s::ec::unreachable)
    std::cerr << "Is an operator running there? Name its admin address with "
                 "--admin URL."
              << std::endl;
  return 1;
}

int print(const std::vector<std::string>& lines) {
  for (const auto& l : lines)
    std::cout << l << "\n";
  std::cout.flush();
  return 0;
}

bool is_plain_name(const std::string& text) {
  return !text.empty()
         && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.")
                == std::string::npos;
}

int explain(const question& q) {
  auto slash = q.job.find('/');
  auto ns = slash == std::string::npos ? "default" : q.job.substr(0, slash);
  auto name = slash == std::string::npos ? q.job : q.job.substr(slash + 1);
  if (!is_plain_name(ns) || !is_plain_name(name)) {
    std::cerr << "troupe explain: \"" << q.job
              << "\" names no job; wants NAMESPACE/NAME or NAME" << std::endl;
    return 2;
  }
  auto door = door_to(q.url);
  for (const auto& kind : known_kinds()) {
    auto report =
        ask(*door, get_path("/admin/v1/jobs/" + ns + "/" + kind + "/" + name));
    if (report)
      return print(explain_lines(*report));
    if (report.error().code != k8s::ec::gone)
      return fail(q, report.error());
  }
  std::cerr << "troupe explain: no job " << ns << "/" << name
            << " is looked after there" << std::endl;
  return 1;
}

int top(const question& q) {
  auto door = door_to(q.url);
  auto tree = ask(*door, get_path("/admin/v1/actors"));
  return tree ? print(top_lines(*tree)) : fail(q, tree.error());
}

void add_url(CLI::App& command, const std::shared_ptr<question>& q) {
  command
      .add_option("--admin", q->url,
                  "Admin address of the operator [" + q->url + "]")
      ->type_name("URL");
}

} // namespace

void add_explain(CLI::App& app, int& code) {
  auto* command = app.add_subcommand(
      "explain", "Say how a job is doing, and what it waits for");
  auto q = std::make_shared<question>();
  command->add_option("JOB", q->job, "NAMESPACE/NAME, or NAME in default")
      ->required();
  add_url(*command, q);
  command->callback([q, &code] { code = explain(*q); });
}

void add_top(CLI::App& app, int& code) {
  auto* command =
      app.add_subcommand("top", "Show the operator's actors at work");
  auto q = std::make_shared<question>();
  add_url(*command, q);
  command->callback([q, &code] { code = top(*q); });
}

} // namespace troupe::cli
