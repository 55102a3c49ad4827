#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s::rest {

/// Reads a certificate or a key. ec::invalid with the name of the file if it
/// cannot be read or is empty.
result<std::string> read_nonempty_file(const std::string& path);

/// Reads a token or another word, without white space at its end. ec::invalid
/// with the name of the file if it cannot be read or is empty.
result<std::string> read_trimmed_token_file(const std::string& path);

/// A certificate or a key: a text, or a file, which is read each time.
struct pem_source {
  std::string text;
  std::string file; ///< "": `text` is used.

  bool is_file() const { return !file.empty(); }
  bool is_given() const { return is_file() || !text.empty(); }
  /// "" if none is given.
  result<std::string> read() const;
};

} // namespace troupe::k8s::rest
