#include "k8s/node/exec_context.hpp"
#include "k8s/node/files.hpp"
#include "k8s/node/host_node.hpp"
#include "k8s/node/pod_fields.hpp"

#include <algorithm>
#include <filesystem>

namespace troupe::k8s::node {

using std::chrono::system_clock;

namespace {

constexpr const char* host_address = "127.0.0.1";

std::string hostname_of(const json& pod) {
  const auto& own = text_at(pod, {"spec", "hostname"});
  return own.empty() ? text_at(pod, {"metadata", "name"}) : own;
}

} // namespace

// -- news ---------------------------------------------------------------------

void host_node::saw_pod(const json& pod) {
  auto uid = uid_of(pod);
  const auto& at = text_at(pod, {"spec", "nodeName"});
  if (auto i = runs_.find(uid); i != runs_.end()) {
    if (is_terminating(pod) && !std::exchange(i->second.leaving, true))
      i->second.run->terminate(std::chrono::seconds{
          number_at(pod, {"metadata", "deletionGracePeriodSeconds"}, 30)});
  } else if (is_terminating(pod)) {
    if (at == options_.name)
      remove(pod); // Nothing of it runs.
  } else if (is_terminal(pod)) {
    // An earlier node's; its logs are not ours.
  } else if (at.empty()) {
    schedule(pod);
  } else if (at == options_.name) {
    adopt(pod);
  }
}

void host_node::lost_pod(const json& pod) {
  auto uid = uid_of(pod);
  binding_.erase(uid);
  waiting_.erase(uid);
  auto i = runs_.find(uid);
  if (i == runs_.end())
    return;
  // Deleted with no grace: so are its processes.
  i->second.leaving = false;
  i->second.run->terminate(std::chrono::seconds{0});
}

// -- running ------------------------------------------------------------------

void host_node::adopt(const json& pod) {
  auto uid = uid_of(pod);
  binding_.erase(uid);
  entry e;
  if (auto bad = make_run(pod, e)) {
    call_ignoring_answer(make_status_patch(pod, {{"phase", "Failed"},
                                                 {"reason", "NodeError"},
                                                 {"message", bad->message}}));
    return;
  }
  runs_.emplace(uid, std::move(e));
  hosts_changed(); // Starts it, too.
}

pod_sandbox host_node::environment_of(const json& pod) {
  pod_sandbox sandbox;
  sandbox.node = options_.name;
  sandbox.address = addresses_.allocate();
  sandbox.hostname = hostname_of(pod);
  sandbox.host_address = host_address;
  sandbox.work_directory = options_.work_directory;
  sandbox.preload_library = preload_;
  sandbox.hosts_file = hosts_path(pod_ref(pod).ns);
  sandbox.exec_contexts = options_.run_directory + "/contexts/" + uid_of(pod);
  sandbox.exec_context_links =
      options_.run_directory + "/pods/" + pod_ref(pod).ns;
  sandbox.tools_directory = tools_;
  sandbox.volumes_directory =
      options_.run_directory + "/volumes/" + uid_of(pod);
  sandbox.inherited = inherited_environment();
  return sandbox;
}

std::optional<failure> host_node::make_run(const json& pod, entry& e) {
  auto uid = uid_of(pod);
  auto ref = pod_ref(pod);
  auto logs =
      options_.run_directory + "/logs/" + ref.ns + "_" + ref.name + "_" + uid;
  if (auto bad = make_directory(logs))
    return bad;
  auto sandbox = environment_of(pod);
  if (sandbox.address.empty())
    return failure{ec::invalid, "this node has no address left for a pod"};
  if (auto bad = make_exec_contexts(
          sandbox.exec_contexts, sandbox.exec_context_links + "/" + ref.name))
    return bad;
  pod_run_options host{*io_,
                       std::move(sandbox),
                       reaper_,
                       logs,
                       options_.log_size_limit,
                       options_.back_off_base,
                       {},
                       {},
                       {},
                       {}};
  host.read_config_sources =
      [this, ns = ref.ns](std::vector<config_source_name> names,
                          std::function<void(config_sources)> then) {
        read_sources(ns, std::move(names), std::move(then));
      };
  host.on_status = [this, uid](const pod_runtime_status& v) {
    status_changed(uid, v);
  };
  host.on_warning = [this, uid](const std::string& reason,
                                const std::string& message) {
    if (auto i = runs_.find(uid); i != runs_.end())
      warn(i->second.run->pod(), reason, message);
  };
  host.on_terminated = [this, uid] { gone(uid); };
  e.run = std::make_shared<pod_run>(pod, std::move(host));
  return std::nullopt;
}

/// Nothing of the pod runs any more.
void host_node::gone(const std::string& uid) {
  auto i = runs_.find(uid);
  if (i == runs_.end())
    return;
  auto e = std::move(i->second);
  runs_.erase(i);
  const auto& sandbox = e.run->sandbox();
  addresses_.release(sandbox.address);
  std::error_code ignored; // It goes with the run directory at the latest.
  std::filesystem::remove_all(sandbox.volumes_directory, ignored);
  remove_exec_contexts(sandbox.exec_contexts, sandbox.exec_context_links + "/"
                                                  + pod_ref(e.run->pod()).name);
  if (e.leaving)
    remove(e.run->pod());
  hosts_changed();
  retry_waiting();
  check_all_gone();
}

void host_node::remove(const json& pod) {
  call_ignoring_answer(k8s::remove(pod_ref(pod), uid_of(pod), 0));
}

// -- telling ------------------------------------------------------------------

void host_node::status_changed(const std::string& uid,
                               const pod_runtime_status& v) {
  auto i = runs_.find(uid);
  // Nobody's failure: the node itself ends.
  if (i == runs_.end() || stopping_)
    return;
  auto& e = i->second;
  auto status = make_pod_status(v, e.written, system_clock::now());
  if (status == e.written)
    return;
  e.written = status;
  e.to_write = std::move(status);
  write_status(uid);
  if (v.is_terminal()) {
    hosts_changed();
    retry_waiting();
  }
}

/// One write at a time: the latest status wins.
void host_node::write_status(const std::string& uid) {
  auto i = runs_.find(uid);
  if (i == runs_.end() || i->second.writing || !i->second.to_write)
    return;
  auto& e = i->second;
  e.writing = true;
  auto status = std::move(*e.to_write);
  e.to_write.reset();
  call_ignoring_answer(make_status_patch(e.run->pod(), status),
                       [this, uid, status](const result<std::string>& answer) {
                         after_status(uid, status, answer);
                       });
}

void host_node::after_status(const std::string& uid, const json& status,
                             const result<std::string>& answer) {
  auto i = runs_.find(uid);
  if (i == runs_.end())
    return;
  auto& e = i->second;
  e.writing = false;
  if (answer || !answer.error().is_retryable()) {
    write_status(uid);
    return;
  }
  if (!e.to_write)
    e.to_write = status;
  later([this, uid] { write_status(uid); });
}

void host_node::warn(const json& pod, const std::string& reason,
                     const std::string& message) {
  auto ref = pod_ref(pod);
  auto now = to_rfc3339(system_clock::now());
  json body{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"generateName", ref.name + "."}, {"namespace", ref.ns}}},
      {"involvedObject",
       {{"apiVersion", "v1"},
        {"kind", "Pod"},
        {"namespace", ref.ns},
        {"name", ref.name},
        {"uid", uid_of(pod)}}},
      {"type", "Warning"},
      {"reason", reason},
      {"message", message},
      {"source", {{"component", "troupe-node"}}},
      {"count", 1},
      {"firstTimestamp", now},
      {"lastTimestamp", now}};
  call_ignoring_answer(create(resources::events, ref.ns, to_text(body)));
}

} // namespace troupe::k8s::node
