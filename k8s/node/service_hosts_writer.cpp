#include "k8s/node/service_hosts_writer.hpp"

#include "k8s/general/files.hpp"
#include "k8s/node/base/pod_fields.hpp"

namespace troupe::k8s::node {

namespace {

constexpr std::chrono::milliseconds write_delay{5};

} // namespace

service_hosts_writer::service_hosts_writer(boost::asio::io_context& io,
                                           const node_directory& directory,
                                           std::string cluster_domain,
                                           const pod_workers& pods,
                                           std::function<void()> written)
    : directory_(directory)
    , cluster_domain_(std::move(cluster_domain))
    , pods_(pods)
    , written_(std::move(written))
    , timer_(io) {}

void service_hosts_writer::set_service_and_schedule_write(const json& service) {
  services_[uid_of(service)] = {text_at(service, {"metadata", "namespace"}),
                                text_at(service, {"metadata", "name"}),
                                string_map_at(service, {"spec", "selector"})};
  schedule_write();
}

void service_hosts_writer::remove_service_and_schedule_write(
    const std::string& uid) {
  services_.erase(uid);
  schedule_write();
}

void service_hosts_writer::schedule_write() {
  if (std::exchange(is_scheduled_, true))
    return;
  timer_.expires_after(write_delay);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error)
      return;
    is_scheduled_ = false;
    write_hosts_files_and_report_names();
    written_();
  });
}

void service_hosts_writer::write_hosts_files_and_report_names() {
  auto pods = pods_.non_terminal_named_pods();
  std::vector<named_service> services;
  for (const auto& [uid, s] : services_)
    services.push_back(s);
  if (on_names_)
    on_names_(pods, services);
  for (const auto& ns : pods_.namespaces_with_pods()) {
    auto text = make_hosts_file(ns, pods, services, cluster_domain_);
    // A full disk: names stay as they were, programs go on asking.
    if (auto bad = write_file_atomically(directory_.hosts_file(ns), text, 0600))
      continue;
  }
}

} // namespace troupe::k8s::node
