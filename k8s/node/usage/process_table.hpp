#pragma once

#include "k8s/usage_source.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::k8s::node {

/// Figures of a process in /proc.
struct process_stat {
  pid_t parent = 0;
  double cpu_seconds = 0;  ///< With those of children that have ended.
  std::int64_t memory = 0; ///< Bytes that are resident.
};

/// Processes and their parents.
class process_table {
public:
  void add_process(pid_t pid, const process_stat& stat);

  /// What a process and all its descendants use together; zero if it does not
  /// exist. `cpu` is in seconds since they began.
  resource_usage sum_usage_of_tree(pid_t root) const;

private:
  std::map<pid_t, process_stat> processes_;
  std::multimap<pid_t, pid_t> children_; ///< By their parent.
};

/// Reads the text of a /proc/PID/stat; nullopt if it is malformed.
std::optional<process_stat> parse_process_stat(const std::string& text);

/// The processes of this host.
process_table read_process_table();

/// What the whole host uses; `cpu` is in seconds since its start.
resource_usage read_host_usage();

} // namespace troupe::k8s::node
