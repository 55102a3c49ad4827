#pragma once

#include "k8s/json.hpp"

#include <string>

namespace troupe::k8s::node {

/// Gives containers of an MPIJob of v2beta1, which reach each other by SSH, an
/// /etc/ssh of their own: no image is pulled, so that of an image for MPI is
/// not there, and the host's may not be read by its users. With it the host's
/// sshd and ssh work together as any user: at port 2222, with a new host key
/// and the job's keys, wherever these are mounted; and with an empty /run/sshd.
/// A settings file that the command gives to sshd has the same text, if it is
/// neither mounted nor on this host: it would be the image's. `path` is the
/// PATH of sessions. Containers that mount something at or below /etc/ssh keep
/// that.
json with_ssh_settings_for_mpi(json pod, const std::string& path);

} // namespace troupe::k8s::node
