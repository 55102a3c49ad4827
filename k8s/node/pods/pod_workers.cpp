#include "k8s/node/pods/pod_workers.hpp"

#include "k8s/general/seconds.hpp"
#include "k8s/node/base/dns_settings.hpp"
#include "k8s/node/base/files.hpp"
#include "k8s/node/base/node_registration.hpp"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/containers/container_environment.hpp"
#include "k8s/node/containers/exec_context.hpp"
#include "k8s/node/namespaces/sandbox_setup.hpp"
#include "k8s/node/volumes/api_access.hpp"
#include "k8s/node/volumes/ssh_settings.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <filesystem>

namespace troupe::k8s::node {

namespace {

/// A host name is one label: what is longer is cut, as a kubelet does it.
std::string hostname_or_pod_name(const json& pod) {
  constexpr std::size_t most_characters = 63;
  const auto& own = text_at(pod, {"spec", "hostname"});
  auto name = own.empty() ? text_at(pod, {"metadata", "name"}) : own;
  if (name.size() > most_characters) {
    name.resize(most_characters);
    name.resize(name.find_last_not_of("-.") + 1);
  }
  return name;
}

} // namespace

pod_workers::pod_workers(boost::asio::io_context& io, node_client& client,
                         config_source_reader& sources,
                         const node_directory& directory,
                         const node_options& options, callbacks c,
                         std::shared_ptr<cluster_namespaces> namespaces)
    : io_(io)
    , client_(client)
    , sources_(sources)
    , directory_(directory)
    , options_(options)
    , callbacks_(std::move(c))
    , statuses_(client)
    , namespaces_(std::move(namespaces))
    , addresses_(namespaces_ ? isolation_kind::namespaces : options.isolation,
                 options.subnet)
    , gpus_(options.gpus) {}

void pod_workers::add_pod_or_mark_failed(const json& pod) {
  auto uid = uid_of(pod);
  if (marked_failed_.count(uid) > 0)
    return;
  auto run = make_pod_run(pod);
  if (!run) {
    marked_failed_.insert(uid);
    client_.send_with_retries(
        make_status_patch(pod, {{"phase", "Failed"},
                                {"reason", "NodeError"},
                                {"message", run.error().message}}));
    return;
  }
  workers_[uid].run = std::move(*run);
  callbacks_.on_pods_changed();
}

void pod_workers::start_unstarted_pods() {
  std::vector<std::shared_ptr<pod_run>> added;
  for (auto& [uid, w] : workers_)
    if (!std::exchange(w.started, true) && !w.is_deleting && !stopping_)
      added.push_back(w.run);
  for (auto& run : added)
    run->start();
}

void pod_workers::terminate_pod_if_deleting(const json& pod) {
  auto& w = workers_.at(uid_of(pod));
  if (is_terminating(pod) && !std::exchange(w.is_deleting, true))
    w.run->terminate(to_bounded_seconds(
        number_at(pod, {"metadata", "deletionGracePeriodSeconds"}, 30)));
}

void pod_workers::kill_pod(const std::string& uid) {
  marked_failed_.erase(uid);
  auto i = workers_.find(uid);
  if (i == workers_.end())
    return;
  i->second.is_deleting = false; // There is no object to remove.
  i->second.run->terminate(std::chrono::seconds{0});
}

void pod_workers::update_volumes(const std::string& ns,
                                 const config_source_name& name,
                                 const config_source_content& content) {
  for (auto& [uid, w] : workers_)
    if (text_at(w.run->pod(), {"metadata", "namespace"}) == ns)
      w.run->update_volumes(name, content);
}

void pod_workers::stop_all(std::chrono::seconds grace,
                           std::function<void()> stopped) {
  stopping_ = true;
  stopped_ = std::move(stopped);
  for (auto& [uid, w] : workers_)
    w.run->terminate(grace);
  report_if_stopped();
}

void pod_workers::report_if_stopped() {
  if (!stopping_ || !workers_.empty())
    return;
  if (auto report = std::exchange(stopped_, nullptr))
    report();
}

std::size_t pod_workers::count_active_pods() const {
  auto active = std::count_if(workers_.begin(), workers_.end(), [](auto& i) {
    return !i.second.run->status().is_terminal();
  });
  return static_cast<std::size_t>(active);
}

std::set<std::string> pod_workers::namespaces_with_pods() const {
  std::set<std::string> out;
  for (const auto& [uid, w] : workers_)
    out.insert(text_at(w.run->pod(), {"metadata", "namespace"}));
  return out;
}

std::vector<named_pod> pod_workers::non_terminal_named_pods() const {
  std::vector<named_pod> out;
  for (const auto& [uid, w] : workers_)
    if (!w.run->status().is_terminal())
      out.push_back({text_at(w.run->pod(), {"metadata", "namespace"}),
                     w.run->sandbox().hostname, w.run->sandbox().address,
                     string_map_at(w.run->pod(), {"metadata", "labels"})});
  return out;
}

std::vector<const pod_run*> pod_workers::all_pod_runs() const {
  std::vector<const pod_run*> out;
  for (const auto& [uid, w] : workers_)
    out.push_back(w.run.get());
  return out;
}

pod_run* pod_workers::find_pod_run(const std::string& ns,
                                   const std::string& name) const {
  pod_run* found = nullptr;
  for (const auto& [uid, w] : workers_) {
    auto ref = pod_ref(w.run->pod());
    if (ref.ns == ns && ref.name == name && (!found || !w.is_deleting))
      found = w.run.get();
  }
  return found;
}

result<pod_sandbox> pod_workers::allocate_sandbox(const json& pod) {
  auto ref = pod_ref(pod);
  auto uid = uid_of(pod);
  pod_sandbox out;
  out.node = options_.name;
  out.pod = ref.name;
  out.address = addresses_.allocate_or_empty();
  out.hostname = hostname_or_pod_name(pod);
  out.full_name = full_host_name(pod, out.hostname, options_.cluster_domain);
  out.dns_searches = dns_searches(pod);
  out.host_address = host_address;
  out.work_directory = options_.work_directory;
  out.is_work_directory_written = options_.is_work_directory_written;
  out.preload_library = directory_.preload_library_file();
  out.hosts_file = directory_.hosts_file(ref.ns);
  out.exec_contexts = directory_.exec_contexts(ref.ns, uid);
  out.exec_context_links = directory_.exec_context_links(ref.ns);
  out.tools_directory = directory_.tools_directory();
  out.volumes_directory = directory_.volumes_directory(uid);
  out.termination_directory = directory_.termination_directory(uid);
  out.inherited = inherited_environment();
  if (!options_.api_server_host.empty()) {
    // In a network of their own pods have an address of it there.
    out.inherited["KUBERNETES_SERVICE_HOST"] =
        namespaces_ ? "kubernetes.default.svc" : options_.api_server_host;
    out.inherited["KUBERNETES_SERVICE_PORT"] =
        namespaces_ ? "443" : options_.api_server_port;
  }
  out.isolation = options_.isolation;
  if (out.address.empty())
    return failure{ec::invalid, "this node has no address left for a pod"};
  if (auto done = allocate_gpus_if_enough_exist(pod, out); !done) {
    addresses_.release(out.address);
    return done.error();
  }
  if (!namespaces_)
    return out;
  if (auto bad = add_sandbox_namespaces(pod, namespaces_, directory_,
                                        options_.cluster_domain, out)) {
    addresses_.release(out.address);
    gpus_.release(uid);
    return *bad;
  }
  out.namespaces.hidden_directories = options_.hidden_directories;
  out.namespaces.claims_directory = options_.claims.parent;
  return out;
}

/// A pod that asks for more than there are gets none, and does not start.
result<nothing>
pod_workers::allocate_gpus_if_enough_exist(const json& pod,
                                           pod_sandbox& sandbox) {
  sandbox.node_gpus = gpus_.total();
  auto requested = count_gpus_without_init_containers(pod);
  if (requested > gpus_.total())
    return nothing{};
  auto gpus = gpus_.allocate(uid_of(pod), requested);
  if (!gpus)
    return failure{ec::invalid,
                   "requested nvidia.com/gpu: " + std::to_string(requested)
                       + ", available: " + std::to_string(gpus_.count_free())};
  sandbox.gpus = std::move(*gpus);
  return nothing{};
}

json pod_workers::with_claim_directories_and_events(const json& pod) {
  std::vector<claimed_directory> found;
  auto out = with_claim_directories(pod, options_.claims, found);
  for (const auto& c : found)
    if (told_claims_.insert(c.path).second)
      client_.send_event(pod, "Normal", claim_event_reason,
                         "the volume of claim " + c.claim + " is the directory "
                             + c.path);
  return out;
}

/// Without isolation nothing can be mounted.
json pod_workers::with_volumes_of_node(
    const json& pod,
    const std::map<std::string, std::string>& inherited) const {
  if (options_.isolation == isolation_kind::none)
    return pod;
  auto path = inherited.find("PATH");
  auto out = with_ssh_settings_for_mpi(
      pod, path == inherited.end() ? "" : path->second);
  return options_.api_server_host.empty()
             ? out
             : with_api_access_volume_unless_disabled(std::move(out));
}

result<std::shared_ptr<pod_run>>
pod_workers::make_pod_run(const json& as_written) {
  auto pod = with_claim_directories_and_events(as_written);
  auto uid = uid_of(pod);
  auto ref = pod_ref(pod);
  auto logs = directory_.log_directory(ref.ns, ref.name, uid);
  if (auto bad = make_directory_and_parents(logs))
    return *bad;
  auto sandbox = allocate_sandbox(pod);
  if (!sandbox)
    return sandbox.error();
  auto link = sandbox->exec_context_links + "/" + ref.name;
  if (auto bad = make_exec_directory_and_link(sandbox->exec_contexts, link)) {
    release_sandbox_except_gpus(*sandbox, link);
    gpus_.release(uid);
    return *bad;
  }
  auto read_sources = [this, pod](std::vector<config_source_name> names,
                                  std::function<void(config_sources)> handle) {
    sources_.read_all_sources(pod, std::move(names), std::move(handle));
  };
  auto on_status = [this, uid](const pod_runtime_status& status) {
    write_status_release_gpus_at_end(uid, status);
  };
  auto on_warning = [this, uid](const std::string& reason,
                                const std::string& message) {
    if (auto i = workers_.find(uid); i != workers_.end())
      client_.send_warning_event(i->second.run->pod(), reason, message);
  };
  auto on_terminated = [this, uid] { release_terminated_pod(uid); };
  auto run_pod = with_volumes_of_node(pod, sandbox->inherited);
  return std::make_shared<pod_run>(
      std::move(run_pod),
      pod_run_options{io_, std::move(*sandbox), directory_.reaper_file(), logs,
                      options_.back_off_base, read_sources, on_status,
                      on_warning, on_terminated});
}

void pod_workers::write_status_release_gpus_at_end(
    const std::string& uid, const pod_runtime_status& status) {
  auto i = workers_.find(uid);
  // That the node itself ends is no failure of the pod.
  if (i == workers_.end() || stopping_
      || !statuses_.write_status_if_changed(i->second.run->pod(), status)
      || !status.is_terminal())
    return;
  gpus_.release(uid);
  callbacks_.on_pods_changed();
  callbacks_.on_pod_finished();
}

void pod_workers::remove_sandbox_files_in_background(const pod_sandbox& of) {
  auto sandbox = of;
  sandbox.namespaces.pod = nullptr; // They end now.
  boost::asio::post(removals_, [cluster = namespaces_,
                                sandbox = std::move(sandbox)] {
    std::error_code ignored; // It goes with the run directory at the latest.
    std::filesystem::remove_all(sandbox.volumes_directory, ignored);
    std::filesystem::remove_all(sandbox.termination_directory, ignored);
    if (cluster)
      unmount_and_remove_sandbox_directories(*cluster, sandbox);
  });
}

void pod_workers::release_sandbox_except_gpus(
    const pod_sandbox& sandbox, const std::string& exec_context_link) {
  addresses_.release(sandbox.address);
  remove_sandbox_files_in_background(sandbox);
  remove_exec_directory_and_link(sandbox.exec_contexts, exec_context_link);
}

/// Nothing of the pod runs any more.
void pod_workers::release_terminated_pod(const std::string& uid) {
  auto i = workers_.find(uid);
  if (i == workers_.end())
    return;
  auto w = std::move(i->second);
  workers_.erase(i);
  statuses_.forget_pod(uid);
  gpus_.release(uid);
  const auto& sandbox = w.run->sandbox();
  release_sandbox_except_gpus(sandbox, sandbox.exec_context_links + "/"
                                           + pod_ref(w.run->pod()).name);
  if (w.is_deleting)
    client_.delete_pod_after_pause(w.run->pod());
  callbacks_.on_pods_changed();
  callbacks_.on_pod_finished();
  report_if_stopped();
}

} // namespace troupe::k8s::node
