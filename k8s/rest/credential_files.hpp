#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s::rest {

/// Reads a certificate or a key. ec::invalid with the name of the file if it
/// cannot be read or is empty.
result<std::string> read_pem_file(const std::string& path);

/// Reads a token or another word: without the white space at its end.
result<std::string> read_token_file(const std::string& path);

} // namespace troupe::k8s::rest
