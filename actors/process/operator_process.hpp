#pragma once

#include "actors/process/root.hpp"
#include "config/settings.hpp"
#include "frameworks/core/model/cluster_options.hpp"
#include "k8s/api.hpp"
#include "k8s/request_counts.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace troupe::actors {

/// The operator, running: actors, watches, probes, metrics, admin endpoint.
/// Has threads of its own.
class operator_process {
public:
  virtual ~operator_process() = default; ///< As stop().
  /// Finishes the calls and requests in flight, within 5 s. Idempotent.
  virtual void stop() = 0;
  /// Applies those settings of `s` that can be changed while it runs
  /// (config::setting_row::reloadable), except those of the log.
  virtual void apply_changed_settings(const config::settings& s) = 0;
  /// Every needed watch is synced and none has been missing for long, and
  /// webhooks that are served can be called.
  virtual bool is_ready() const = 0;
  virtual std::uint16_t admin_port() const = 0; ///< 0 if it is off.
  /// Takes this listening socket. di-server, if it is on, answers there, too.
  /// Its clients are pods, which are recognized by their addresses.
  virtual k8s::result<k8s::nothing>
  serve_di_server_or_close_socket(int socket) = 0;
};

/// Starts it against `client`. If it fails, the message names the setting (of a
/// port in use, say), and nothing is left running. `answers`, if there are any,
/// are exported with the metrics. Without `election` it leads at once.
/// `webhook_namespace` is that of the webhooks' Secret and Service; if it is
/// "", webhooks are not served. Without `reconcile_enabled` another process
/// reconciles, and this one only carries out the requests of jobs' pods.
/// `reports`: where pods report how far their jobs are; nullptr: nowhere.
k8s::result<std::unique_ptr<operator_process>>
start_operator(std::shared_ptr<k8s::api> client, const config::settings& s,
               const core::cluster_options& cluster,
               std::shared_ptr<const k8s::request_counts> answers = nullptr,
               std::optional<election_config> election = std::nullopt,
               const std::string& webhook_namespace = "",
               bool reconcile_enabled = true,
               std::shared_ptr<report_route> reports = nullptr);

} // namespace troupe::actors
