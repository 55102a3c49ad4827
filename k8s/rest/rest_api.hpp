#pragma once

#include "k8s/api.hpp"
#include "k8s/request_counts.hpp"
#include "k8s/rest/credentials/credentials.hpp"

namespace troupe::k8s::rest {

/// The api over HTTP. Destroying it cancels the calls in flight and waits for
/// them, so it must not be destroyed in one of its callbacks. `threads` carry
/// out the calls and watches. Every request is counted in `counts`, unless that
/// is null.
std::unique_ptr<api>
make_rest_api(client_config config, unsigned threads = 1,
              std::shared_ptr<request_counts> counts = nullptr);

} // namespace troupe::k8s::rest
