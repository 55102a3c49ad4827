#pragma once

#include "k8s/result.hpp"

#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::k8s::node {

/// Makes a directory and those above it, if they are missing, with this mode.
/// ec::invalid with the name of the directory that could not be made.
std::optional<failure> make_directory_and_parents(const std::string& path,
                                                  mode_t mode = 0700);

/// Removes a directory with all that it contains, even directories that their
/// owner may not enter or change. What cannot be removed stays.
void remove_directory_tree(const std::string& path);

/// The same with several threads, for trees of many directories: some disks are
/// slow.
void remove_large_directory_tree(const std::string& path);

} // namespace troupe::k8s::node
