#include "k8s/node/containers/exec_context.hpp"
#include "k8s/node/namespaces/container_mounts.hpp"
#include "k8s/node/pods/pod_run.hpp"
#include "k8s/node/pods/termination_message.hpp"
#include "k8s/node/volumes/termination_file.hpp"

#include <unistd.h>

namespace troupe::k8s::node {

/// What a life of a container needs of the host.
std::optional<start_error>
pod_run::prepare_container_files(container_run& container,
                                 container_plan& plan) {
  std::optional<failure> bad;
  if (!termination_file_target(*container.spec, options_.sandbox).empty())
    bad = make_termination_file(termination_file(plan.name, options_.sandbox));
  if (!bad && plan.pod)
    bad =
        make_container_directories_with_empty_tmp(plan.name, options_.sandbox);
  if (!bad && plan.pod) {
    auto socket = listen_for_exec(options_.sandbox.exec_contexts,
                                  &container == containers_.data(), plan.name);
    if (socket)
      plan.exec_socket =
          std::make_shared<unique_descriptor>(std::move(*socket));
    else
      bad = socket.error();
  }
  if (!bad)
    return std::nullopt;
  return start_error{"CreateContainerError", bad->message, true};
}

void pod_run::rotate_and_open_log(container_run& container) {
  if (container.previous_log)
    ::unlink(container.previous_log->path().c_str());
  container.previous_log = std::move(container.log);
  auto path = options_.log_directory + "/" + container.status->name + "."
              + std::to_string(container.status->restarts) + ".log";
  container.log = std::make_shared<container_log>(
      options_.io, std::move(path),
      [warn = options_.on_warning](const auto& why) {
        warn("LogIncomplete", why);
      });
}

/// Its processes have ended: nobody writes into its file any more.
std::string
pod_run::read_termination_message(const container_run& container) const {
  const auto& state = container.status->state;
  result<std::string> text{std::string{}};
  if (!termination_file_target(*container.spec, options_.sandbox).empty())
    text = read_termination_file(
        termination_file(container.status->name, options_.sandbox));
  return make_termination_message(
      *container.spec,
      {state.exit_code, state.reason != "StartError", state.message,
       init_containers_.size() + containers_.size()},
      text, [&log = *container.log] {
        return log.end_of_text(most_fallback_lines, most_fallback_bytes);
      });
}

} // namespace troupe::k8s::node
