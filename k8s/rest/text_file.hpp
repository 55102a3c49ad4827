#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s::rest {

/// Reads a small file whole. Errors (ec::invalid) name it.
result<std::string> read_text_file(const std::string& path);

/// Reads a small file without the white space at its end.
result<std::string> read_word_file(const std::string& path);

} // namespace troupe::k8s::rest
