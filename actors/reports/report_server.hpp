#pragma once

#include "actors/reports/report_intake.hpp"
#include "k8s/http/certificate.hpp"
#include "k8s/http/server.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// The largest body that is read of a request with this head: twice that of a
/// report, so that the answer to a longer one can say why; 0: it is no report.
std::size_t report_body_limit(const k8s::http::request& head);

/// Takes reports over HTTPS, where no webhooks are served whose port they could
/// share.
k8s::result<std::unique_ptr<k8s::http::server>>
start_report_server(const std::string& address,
                    k8s::http::certificate_pair certificate,
                    std::shared_ptr<report_route> route);

} // namespace troupe::actors
