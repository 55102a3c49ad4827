#include "actors/cli/ask/admin_options.hpp"

#include "actors/admin/text/terminal_text.hpp"
#include "actors/cli/base/error_line.hpp"
#include "config/settings.hpp"
#include "k8s/json.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe::cli {

std::shared_ptr<admin_options> add_admin_options(CLI::App& command) {
  auto o = std::make_shared<admin_options>();
  auto* admin =
      command
          .add_option("--admin", o->url,
                      "Admin address of the operator [that of the kubeconfig's "
                      "cluster; without --kubeconfig and KUBECONFIG http://"
                          + config::settings{}.admin_address
                          + ", if it is there]")
          ->type_name("URL");
  command
      .add_option("--admin-token-file", o->token_file,
                  "File with the token that the operator asks for")
      ->type_name("FILE");
  command
      .add_option("--admin-ca-file", o->ca_file,
                  "Authorities of the certificate of an https address, in PEM "
                  "[the system's]")
      ->type_name("FILE");
  command
      .add_option(
          "--kubeconfig", o->kubeconfig,
          "Ask the operator of the cluster of this file: of `troupe up` "
          "and `troupe run` directly, else its pod, by port-forward")
      ->type_name("FILE")
      ->excludes(admin);
  command.add_option("--context", o->context, "Context of the kubeconfig")
      ->type_name("NAME")
      ->excludes(admin);
  command
      .add_option("--operator-namespace", o->operator_namespace,
                  "Where the operator's pods are [all, else kubeflow]")
      ->type_name("NAMESPACE")
      ->excludes(admin);
  command
      .add_option("-o,--output", o->output,
                  "text, or json for all there is to know [text]")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  return o;
}

int report_admin_failure(const std::string& where, const k8s::failure& why) {
  print_error_line("troupe: " + where + ": " + why.message);
  if (why.code == k8s::ec::unreachable)
    print_error_line("Is an operator running there? Name its admin address "
                     "with --admin URL.");
  return 1;
}

int print_json_or_lines(const admin_options& o, const nlohmann::json& answer,
                        const std::vector<std::string>& lines) {
  if (o.output == "json")
    std::cout << actors::escape_control_characters_of_lines(
        k8s::to_indented_text(answer))
              << "\n";
  else
    for (const auto& l : lines)
      std::cout << actors::escape_control_characters(l) << "\n";
  std::cout.flush();
  return 0;
}

} // namespace troupe::cli
