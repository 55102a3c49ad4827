#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"
#include "k8s/node/pods/pod_run.hpp"

#include <algorithm>

namespace troupe::k8s::node {

const pod_run::container_run*
pod_run::find_container_or_first(const std::string& name) const {
  for (const auto* list : {&containers_, &init_containers_})
    for (const auto& container : *list)
      if (name.empty() || container.status->name == name)
        return &container;
  return nullptr;
}

const container_state* pod_run::find_state(const std::string& container) const {
  auto* found = find_container_or_first(container);
  return found ? &found->status->state : nullptr;
}

process* pod_run::find_running_process(const std::string& container) const {
  auto* found = find_container_or_first(container);
  return found ? found->running.get() : nullptr;
}

bool pod_run::has_stdin_once(const std::string& container) const {
  auto* found = find_container_or_first(container);
  return found && flag_at(*found->spec, "stdinOnce");
}

std::shared_ptr<container_log> pod_run::find_log(const std::string& container,
                                                 bool previous) const {
  auto* found = find_container_or_first(container);
  if (!found)
    return nullptr;
  return previous ? found->previous_log : found->log;
}

result<std::weak_ptr<exec_process>> pod_run::exec(const std::string& container,
                                                  const exec_options& options,
                                                  const session_sink& to) {
  auto* found = const_cast<container_run*>(find_container_or_first(container));
  if (!found || !found->running)
    return failure{ec::not_found,
                   "container not found (\"" + container + "\")"};
  auto refused = [](const failure& why) {
    return failure{why.code,
                   "error executing command in container: failed to exec in "
                   "container: "
                       + why.message};
  };
  auto plan = found->plan;
  plan.argv = options.command;
  plan.has_stdin = options.has_stdin;
  plan.has_terminal = options.tty;
  if (options.tty)
    plan.env.emplace("TERM", "xterm");
  if (plan.pod) {
    auto opened = open_container_namespaces(found->running->reaper());
    if (!opened)
      return refused(opened.error());
    plan.container = std::make_shared<container_namespaces>(std::move(*opened));
  }
  auto itself = std::make_shared<std::weak_ptr<exec_process>>();
  auto forget = [weak = weak_from_this(), found, itself] {
    auto me = weak.lock();
    if (!me)
      return;
    auto& all = found->commands;
    all.erase(std::remove(all.begin(), all.end(), itself->lock()), all.end());
  };
  auto started =
      exec_process::start(options_.io, options_.reaper_file, plan,
                          options.has_stderr && !options.tty, to, forget);
  if (!started)
    return refused(started.error());
  *itself = *started;
  found->commands.push_back(*started);
  return *itself;
}

} // namespace troupe::k8s::node
