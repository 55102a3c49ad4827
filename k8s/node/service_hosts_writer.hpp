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

/// Takes the place of a cluster's DNS: keeps, for each namespace, a file of the
/// names of services and the addresses of their pods.
class service_hosts_writer {
public:
  /// `written`: after each time that the files were written.
  service_hosts_writer(boost::asio::io_context& io,
                       const node_directory& directory,
                       std::string cluster_domain, const pod_workers& pods,
                       std::function<void()> written);

  using names_handler = std::function<void(const std::vector<named_pod>&,
                                           const std::vector<named_service>&)>;
  /// `handle` is told the same names, before `written`.
  void set_names_handler(names_handler handle) {
    on_names_ = std::move(handle);
  }
  void set_service(const json& service);
  void remove_service(const std::string& uid);
  /// Writes the files soon: changes that come together are written once.
  void schedule_write();

private:
  void write_namespace_hosts_files();

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
