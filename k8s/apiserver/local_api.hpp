#pragma once

#include "k8s/api.hpp"
#include "k8s/user_info.hpp"

#include <functional>
#include <memory>

namespace troupe::k8s::apiserver {

class api_server;

/// Runs tasks where the API server may be called, in the order given.
using executor = std::function<void(std::function<void()>)>;

/// The api for use inside the process that serves it: no socket, no copying
/// through a kernel. Requests and watches go to `server` through `run`; answers
/// and watch bytes come from inside the tasks given to `run`, or, for a watch,
/// from inside whatever call of the server made the change.
///
/// Without `run` everything happens inside the call: `send` calls `done` before
/// it returns, `watch` delivers the initial events before it returns. Then it
/// belongs to one thread, and a test that wants delays or faults wraps it in an
/// api of its own.
///
/// Time limits are ignored, since nothing here waits; an ended watch reports
/// its end as usual. `server` must outlive the result and every task given to
/// `run`.
///
/// Requests are those of `user`; without a user their rights are not checked.
std::unique_ptr<api> make_local_api(api_server& server, executor run = {},
                                    user_ptr user = nullptr);

} // namespace troupe::k8s::apiserver
