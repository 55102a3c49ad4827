#pragma once

#include <string>

namespace troupe::actors {

/// A name for this process as the holder of a Lease, different at each call:
/// the pod's name ($MY_POD_NAME, else the host's), and after `_` the process,
/// its PID namespace, the boot of the machine, and a random number.
std::string make_operator_identity();

/// Whether `identity`, made by make_operator_identity(), names a process that
/// has certainly ended: one of this boot and this PID namespace, with a PID
/// that no process has, or that is ours.
bool has_operator_process_ended(const std::string& identity);

} // namespace troupe::actors
