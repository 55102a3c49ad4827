#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s {

/// A pair of keys for SSH.
struct ssh_key_pair {
  /// PEM block "EC PRIVATE KEY" (SEC 1), with a newline at the end.
  std::string private_key;
  /// One line of authorized_keys, without a comment, with a newline at the end.
  std::string public_key;
};

/// A fresh pair of ECDSA on the curve P-521.
result<ssh_key_pair> make_ssh_keys();

} // namespace troupe::k8s
