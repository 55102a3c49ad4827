#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s::rest {

/// Reads a certificate or a key. ec::invalid with the name of the file if it
/// cannot be read or is empty.
result<std::string> read_pem_file(const std::string& path);

/// Reads a token or another word: without the white space at its end.
result<std::string> read_token_file(const std::string& path);

/// A certificate or a key: a text, or what is in a file by now.
struct pem_source {
  std::string text;
  std::string file; ///< "": it is the text.

  bool is_file() const { return !file.empty(); }
  bool is_given() const { return is_file() || !text.empty(); }
  /// "" if none is given.
  result<std::string> read() const;
};

} // namespace troupe::k8s::rest
