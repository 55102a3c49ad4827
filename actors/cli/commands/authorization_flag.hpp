#pragma once

#include "k8s/apiserver/api_server.hpp"

namespace CLI {
class App;
}

namespace troupe::cli {

/// Adds --authorization.
void add_authorization_flag(CLI::App& command,
                            k8s::apiserver::authorization_mode& out);

} // namespace troupe::cli
