#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/hosts_file.hpp"
#include "k8s/node/base/node_directory.hpp"
#include "k8s/node/pods/pod_workers.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <string>

namespace troupe::k8s::node {

/// Takes the place of a cluster's DNS: writes, for each namespace, a file with
/// the names of services and the addresses of their pods.
class service_hosts_writer {
public:
  /// `written` is called each time the files have been written.
  service_hosts_writer(boost::asio::io_context& io,
                       const node_directory& directory,
                       std::string cluster_domain, const pod_workers& pods,
                       std::function<void()> written);

  using names_handler = std::function<void(const std::vector<named_pod>&,
                                           const std::vector<named_service>&)>;
  /// `handle` gets the same names, before `written` is called.
  void set_names_handler(names_handler handle) {
    on_names_ = std::move(handle);
  }
  void set_service_and_schedule_write(const json& service);
  void remove_service_and_schedule_write(const std::string& uid);
  /// Writes the files after a few milliseconds, once for all changes until
  /// then.
  void schedule_write();

private:
  void write_hosts_files_and_report_names();

  const node_directory& directory_;
  std::string cluster_domain_;
  const pod_workers& pods_;
  std::function<void()> written_;
  names_handler on_names_;
  std::map<std::string, named_service> services_; ///< By UID.
  boost::asio::steady_timer timer_;
  bool is_scheduled_ = false;
};

} // namespace troupe::k8s::node
