#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/apiserver/storage/selectors.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::k8s::apiserver {

/// The query of a list, as metav1.ListOptions has it.
struct list_options {
  selector chosen;
  std::uint64_t resource_version = 0;   ///< 0: the latest.
  std::string after_key;                ///< Of the continue token.
  std::optional<std::size_t> remaining; ///< After `after_key`, if known.
  std::size_t limit = 0;                ///< 0: no limit.
};

/// The labelSelector and fieldSelector; a name in the path counts as a field
/// selector.
status_or<selector> parse_selectors_and_path_name(const request_info& info);

/// The error if the parameters of a list, a watch or the deletion of a
/// collection are wrong, except for the selectors.
std::optional<status_error> check_list_parameters(const request_info& info);

/// The error if the requested version is not a number, or is one that the store
/// has not reached yet.
std::optional<status_error>
check_version_not_too_large(const server_state& state,
                            const request_info& info);

status_or<list_options> parse_list_options(server_state& state,
                                           const request_info& info);

/// The resourceVersion that a watch starts from, where `current` is the latest;
/// nullopt: it begins with the existing objects.
status_or<std::optional<std::uint64_t>>
parse_watch_start_version(const request_info& info, std::uint64_t current);

} // namespace troupe::k8s::apiserver
