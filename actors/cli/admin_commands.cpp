#include "actors/admin/explain_text.hpp"
#include "actors/cli/admin_text.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/embedded_crds.hpp"
#include "actors/cli/screen.hpp"
#include "actors/cli/send_and_wait.hpp"
#include "config/defaults.hpp"
#include "k8s/json.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <unistd.h>

namespace troupe::cli {

namespace {

struct question {
  std::string job; ///< "NAME" or "NAMESPACE/NAME".
  std::string url = "http://" + std::string{config::defaults::admin_address};
  std::string output = "text";
};

int fail(const question& q, const k8s::failure& why) {
  std::cerr << "troupe: " << q.url << ": " << why.message << std::endl;
  if (why.code == k8s::ec::unreachable)
    std::cerr << "Is an operator running there? Name its admin address with "
                 "--admin URL."
              << std::endl;
  return 1;
}

using as_text = std::vector<std::string> (*)(const nlohmann::json&);

int print(const question& q, const nlohmann::json& answer, as_text text) {
  if (q.output == "json")
    std::cout << k8s::to_indented_text(answer) << "\n";
  else
    for (const auto& l : text(answer))
      std::cout << l << "\n";
  std::cout.flush();
  return 0;
}

std::vector<std::string> top_lines_for_stdout(const nlohmann::json& tree) {
  bool terminal = ::isatty(STDOUT_FILENO) != 0;
  return top_lines(tree, terminal ? screen{}.width() : 0);
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
    return report_error("explain", 2,
                        "\"" + q.job
                            + "\" names no job; wants NAMESPACE/NAME or NAME");
  }
  auto client = make_client(q.url);
  for (const auto& kind : supported_job_kinds()) {
    auto report =
        send_and_wait(*client, make_get_request("/admin/v1/jobs/" + ns + "/"
                                                + kind + "/" + name));
    if (report)
      return print(q, *report, actors::explain_lines);
    if (report.error().code != k8s::ec::not_found)
      return fail(q, report.error());
  }
  return report_error("explain", 1,
                      "no job " + ns + "/" + name + " is looked after there");
}

int top(const question& q) {
  auto client = make_client(q.url);
  auto tree = send_and_wait(*client, make_get_request("/admin/v1/actors"));
  return tree ? print(q, *tree, top_lines_for_stdout) : fail(q, tree.error());
}

void add_admin_address_and_output(CLI::App& command,
                                  const std::shared_ptr<question>& q) {
  command
      .add_option("--admin", q->url,
                  "Admin address of the operator [" + q->url + "]")
      ->type_name("URL");
  command
      .add_option("-o,--output", q->output,
                  "text, or json for all there is to know [text]")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
}

} // namespace

void add_explain_command(CLI::App& app, int& code) {
  auto* command = app.add_subcommand(
      "explain", "Say how a job is doing, and what it waits for");
  auto q = std::make_shared<question>();
  command->add_option("JOB", q->job, "NAMESPACE/NAME, or NAME in default")
      ->required();
  add_admin_address_and_output(*command, q);
  command->callback([q, &code] { code = explain(*q); });
}

void add_top_command(CLI::App& app, int& code) {
  auto* command =
      app.add_subcommand("top", "Show the operator's jobs, watches and calls");
  auto q = std::make_shared<question>();
  add_admin_address_and_output(*command, q);
  command->callback([q, &code] { code = top(*q); });
}

} // namespace troupe::cli
