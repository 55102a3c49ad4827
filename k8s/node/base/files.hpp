#pragma once

#include "k8s/result.hpp"

#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::k8s::node {

/// Makes a directory and those above it, for its owner only unless told
/// otherwise. ec::invalid, with the name of the one that could not be made.
std::optional<failure> make_directory(const std::string& path,
                                      mode_t mode = 0700);

/// Removes a directory with all in it, those that its owner may not enter or
/// change included. What cannot be removed stays.
void remove_directory_tree(const std::string& path);

/// The same with several threads, for those of many directories: some disks are
/// slow.
void remove_large_directory_tree(const std::string& path);

} // namespace troupe::k8s::node
