#pragma once

namespace troupe::cli {

/// To be called first, before there are threads. Where the program was started
/// with the C library of its own archive (deploy/archive), by the loader there:
/// the process is called as the program is, not as the loader; and names of
/// hosts come from /etc/hosts and DNS only, since the modules for others that
/// /etc/nsswitch.conf names belong to the C library of the machine.
void adapt_to_bundled_libraries();

} // namespace troupe::cli
