#pragma once

#include "actors/metrics/metrics.hpp"
#include "actors/reports/report_server.hpp"
#include "actors/webhook/known_queueing.hpp"
#include "frameworks/core/model/framework.hpp"
#include "k8s/http/server.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// Answers reviews of jobs of these kinds, and conversions, over HTTPS. `hosts`
/// are the names by which API servers connect. It serves nobody before it has a
/// certificate. Reports of pods come to the same port; they are
/// answered elsewhere, and cost reviews nothing. `queueing`: nullptr if no kind
/// is queued.
k8s::result<std::unique_ptr<k8s::http::server>>
start_webhook_server(const std::string& address, std::vector<std::string> hosts,
                     std::vector<const core::framework*> kinds,
                     std::shared_ptr<metrics> counters,
                     std::shared_ptr<report_route> reports,
                     std::shared_ptr<const known_queueing> queueing = nullptr);

} // namespace troupe::actors
