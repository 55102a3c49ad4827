#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/pod_sandbox.hpp"
#include "k8s/result.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace troupe::k8s::node {

// A container writes why it ends into a file of its own, which is mounted at
// its terminationMessagePath. What is in the place of the file afterwards is
// the container's doing: a link, a pipe, a directory, a file without an end.

/// What kubelets use if the manifest says nothing.
inline constexpr const char* default_termination_path = "/dev/termination-log";

/// The most that is read of the file, as by kubelets.
inline constexpr std::size_t most_termination_bytes = 4096;

/// Where the container finds the file: an absolute path without dots and extra
/// slashes. "" if it has none: without a terminationMessagePath, or with one
/// that cannot be mounted here.
std::string termination_file_target(const json& container,
                                    const pod_sandbox& sandbox);

/// The container's file on this host.
std::string termination_file(const std::string& container,
                             const pod_sandbox& sandbox);

/// Puts an empty file in the place of whatever is there.
std::optional<failure> make_termination_file(const std::string& path);

/// The end of the file, at most that many bytes; "" if there is none. Follows
/// no link and never waits; ec::invalid with why it is no text of a container.
result<std::string>
read_termination_file(const std::string& path,
                      std::size_t most_bytes = most_termination_bytes);

} // namespace troupe::k8s::node
