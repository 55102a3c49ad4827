#pragma once

#include "k8s/http/server.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// A file of the page (the folder page/), which the program contains: "/",
/// "/page.css", ... Nullopt for other paths.
std::optional<k8s::http::response> page_file_response(const std::string& path);

/// The paths of all files of the page.
std::vector<std::string> page_paths();

} // namespace troupe::actors
