#pragma once

#include "k8s/api.hpp"
#include "k8s/request_counts.hpp"
#include "k8s/rest/credentials/credentials.hpp"

namespace troupe::k8s::rest {

/// The api over HTTP. Destroying it cancels the calls in flight and waits for
/// them; not for one of its callbacks. `threads` carry out the calls and
/// watches. Every request is counted in `counts`, if there are some.
std::unique_ptr<api>
make_rest_api(client_config config, unsigned threads = 1,
              std::shared_ptr<request_counts> counts = nullptr);

} // namespace troupe::k8s::rest
