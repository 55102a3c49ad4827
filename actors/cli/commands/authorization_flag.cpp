#include "actors/cli/commands/authorization_flag.hpp"

#include <CLI/CLI.hpp>

namespace troupe::cli {

void add_authorization_flag(CLI::App& command,
                            k8s::apiserver::authorization_mode& out) {
  using k8s::apiserver::authorization_mode;
  command
      .add_option_function<std::string>(
          "--authorization",
          [&out](const std::string& mode) {
            out = mode == "RBAC" ? authorization_mode::rbac
                                 : authorization_mode::always_allow;
          },
          "AlwaysAllow: whoever has a token may do everything; RBAC: roles and "
          "bindings decide, and the operator has the role that is installed in "
          "clusters [AlwaysAllow]")
      ->type_name("MODE")
      ->check(CLI::IsMember({"AlwaysAllow", "RBAC"}));
}

} // namespace troupe::cli
