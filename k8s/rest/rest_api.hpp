#pragma once

#include "k8s/api.hpp"
#include "k8s/request_counts.hpp"
#include "k8s/rest/credentials.hpp"

namespace troupe::k8s::rest {

/// The api over cpprestsdk: the only file of the project that is an HTTP
/// client. Destroying it cancels the calls in flight and waits for them.
/// `threads` is the size of cpprestsdk's one process-wide pool; the first call
/// in the process decides. Every request is counted in `counts`, if there are
/// some.
std::unique_ptr<api>
make_rest_api(client_config config, unsigned threads = 1,
              std::shared_ptr<request_counts> counts = nullptr);

} // namespace troupe::k8s::rest
