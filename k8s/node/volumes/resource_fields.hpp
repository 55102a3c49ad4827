#pragma once

#include "k8s/json.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::k8s::node {

/// The host's resources, which a container without a limit may use.
struct host_resources {
  std::int64_t milli_cpus = 0;
  std::int64_t memory = 0;  ///< Bytes.
  std::int64_t storage = 0; ///< Bytes of the file system of `/`.
};

host_resources read_host_resources();

/// A quantity ("1500m", "512Mi", 2) in thousandths, rounded up; nullopt if it
/// is malformed, negative or too large.
std::optional<std::int64_t> parse_milli_quantity(const json& quantity);

/// The value of a resourceFieldRef, as a kubelet computes it: in units of the
/// divisor, rounded up. Without `containerName` the container is `own`, which
/// may be null. An error names the fault of the reference.
result<std::string> resource_field_text(const json& pod, const json* own,
                                        const json& reference,
                                        const host_resources& host);

} // namespace troupe::k8s::node
