#include "k8s/node/pods/pod_run.hpp"

#include "k8s/general/seconds.hpp"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/containers/container_environment.hpp"
#include "k8s/node/containers/exec_context.hpp"
#include "k8s/node/pods/gpus.hpp"
#include "k8s/node/pods/unsupported_fields.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace troupe::k8s::node {

using std::chrono::system_clock;

namespace {

constexpr int start_failed = 128; ///< As container runtimes report it.

} // namespace

pod_run::pod_run(json pod, pod_run_options options)
    : pod_(std::move(pod))
    , options_(std::move(options))
    , kill_timer_(options_.io)
    , deadline_timer_(options_.io)
    , volume_timer_(options_.io)
    , token_timer_(options_.io) {
  make_container_runs("initContainers", true, init_containers_,
                      status_.init_containers);
  make_container_runs("containers", false, containers_, status_.containers);
  status_.started = system_clock::now();
  status_.pod_address = options_.sandbox.address;
  status_.host_address = options_.sandbox.host_address;
}

void pod_run::make_container_runs(
    const char* list, bool is_init, std::vector<container_run>& container_runs,
    std::vector<container_runtime_status>& statuses) {
  const auto& specs = list_at(pod_["spec"], list);
  bool waits = !is_init && !init_containers_.empty();
  statuses.resize(specs.size());
  container_runs.resize(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    statuses[i].name = text_at(specs[i], {"name"});
    statuses[i].image = text_at(specs[i], {"image"});
    statuses[i].state.reason = waits ? "PodInitializing" : "ContainerCreating";
    container_runs[i].spec = &specs[i];
    container_runs[i].status = &statuses[i];
    container_runs[i].is_init = is_init;
    container_runs[i].is_sidecar = statuses[i].is_sidecar =
        is_init && text_at(specs[i], {"restartPolicy"}) == "Always";
  }
}

std::string pod_run::restart_policy_or_always() const {
  const auto& text = text_at(pod_, {"spec", "restartPolicy"});
  return text.empty() ? "Always" : text;
}

void pod_run::start() {
  if (auto why =
          find_unsupported_field_error(pod_, options_.sandbox.isolation)) {
    fail_pod_and_terminate(why->reason, why->message);
    return;
  }
  const auto node_gpus = options_.sandbox.node_gpus;
  if (auto why = find_unmeetable_gpu_request(pod_, node_gpus)) {
    fail_pod_and_terminate(why->reason, why->message);
    return;
  }
  if (auto missing = missing_devices_text(pod_, node_gpus); !missing.empty())
    options_.on_warning("NoSuchDevices",
                        "resources not available on the node were ignored: "
                            + missing);
  if (auto ignored = join_ignored_field_names(pod_); !ignored.empty())
    options_.on_warning("IgnoredHere",
                        "fields not supported by this node were ignored: "
                            + ignored);
  start_deadline_timer_if_any();
  read_sources_and_write_volumes();
}

void pod_run::start_deadline_timer_if_any() {
  auto limit = number_at(pod_, {"spec", "activeDeadlineSeconds"}, 0);
  if (limit <= 0)
    return;
  deadline_timer_.expires_after(to_bounded_seconds(limit));
  deadline_timer_.async_wait(unless_destroyed([this] {
    if (!status_.is_terminal())
      fail_pod_and_terminate(
          "DeadlineExceeded",
          "Pod was active on the node longer than the specified deadline");
  }));
}

void pod_run::start_next_init_or_main() {
  if (next_init_ < init_containers_.size()) {
    read_sources_and_start(init_containers_[next_init_]);
    return;
  }
  status_.initialized = true;
  for (auto& container : containers_)
    read_sources_and_start(container);
}

void pod_run::read_sources_and_start(container_run& container) {
  auto names = config_sources_of_environment(*container.spec);
  if (names.empty()) {
    plan_and_start_container_or_fail(container, {});
    return;
  }
  options_.read_config_sources(
      std::move(names),
      [weak = weak_from_this(), this, &container](const config_sources& data) {
        if (auto me = weak.lock())
          plan_and_start_container_or_fail(container, data);
      });
}

void pod_run::plan_and_start_container_or_fail(container_run& container,
                                               const config_sources& data) {
  if (terminating_ || status_.is_terminal() || container.is_finished)
    return;
  container_plan plan;
  auto why =
      make_container_plan(pod_, *container.spec, options_.sandbox, data, plan);
  if (!why)
    why = prepare_container_files(container, plan);
  if (!why) {
    start_or_restart_container(container, plan);
    return;
  }
  container.status->state.reason = why->reason;
  container.status->state.message = why->message;
  if (!why->is_retryable) {
    fail_pod_and_terminate(why->reason, why->message);
    return;
  }
  options_.on_warning(why->reason, why->message);
  report_status();
  schedule_container_restart(container, options_.back_off_base / 10);
}

void pod_run::start_or_restart_container(container_run& container,
                                         const container_plan& plan) {
  auto& state = container.status->state;
  if (container.log)
    ++container.status->restarts;
  rotate_and_open_log(container);
  state = {};
  state.started = system_clock::now();
  auto started = process::start(
      options_.io, options_.reaper_file, plan,
      [&container](std::string_view text) {
        container.log->append(text, system_clock::now());
      },
      [this, &container](const process_end& end) {
        record_end_and_restart_or_advance(container, end);
      });
  if (!started) {
    container.log->append(started.error().message + "\n", system_clock::now());
    state.message = started.error().message;
    state.reason = "StartError";
    options_.on_warning("Failed", started.error().message);
    record_end_and_restart_or_advance(container, {start_failed, 0});
    return;
  }
  container.running = std::move(*started);
  record_running_and_allow_exec(container, plan);
  start_what_waits_for_sidecar(container);
}

void pod_run::record_running_and_allow_exec(container_run& container,
                                            const container_plan& plan) {
  container.plan = plan;
  container.plan.exec_socket = nullptr; // It ends with the container.
  container.status->pid = container.running->pid();
  auto bad = plan.pod ? std::nullopt
                      : write_exec_context(options_.sandbox.exec_contexts,
                                           &container == containers_.data(),
                                           container.running->reaper(), plan);
  if (bad)
    options_.on_warning("NoExec", bad->message);
  container.status->state.now = container_state::kind::running;
  update_phase_and_end_sidecars();
  report_status();
}

void pod_run::start_what_waits_for_sidecar(const container_run& container) {
  if (!container.is_sidecar || next_init_ >= init_containers_.size()
      || &container != &init_containers_[next_init_])
    return;
  ++next_init_;
  start_next_init_or_main();
}

void pod_run::record_end_and_restart_or_advance(container_run& container,
                                                const process_end& end) {
  auto& state = container.status->state;
  state.now = container_state::kind::terminated;
  state.finished = system_clock::now();
  state.exit_code = end.exit_code;
  state.signal = end.signal;
  if (state.reason.empty())
    state.reason = end.exit_code == 0 ? "Completed" : "Error";
  state.message = read_termination_message(container);
  remove_exec_context(options_.sandbox.exec_contexts, container.status->name);
  for (auto& command : container.commands)
    command->kill();
  container.log->close();
  // The process object is in the middle of telling us; let it finish first.
  boost::asio::post(options_.io, [old = std::shared_ptr<process>(
                                      std::move(container.running))] {});
  if (ran_long_enough_to_reset_back_off(state.finished - state.started,
                                        options_.back_off_base))
    container.crashes = 0;
  ++container.crashes;
  restart_container_or_advance_pod(container);
  if ((terminating_ || status_.is_terminal())
      && !is_any_except_sidecars_running())
    end_last_remaining_sidecar();
  release_namespaces_if_finished();
  report_if_terminated();
}

/// They end with the last of their descriptors: a finished pod whose object
/// stays needs none, and a bridge has no more than 1023 ports.
void pod_run::release_namespaces_if_finished() {
  if (!status_.is_terminal() || is_any_container_running())
    return;
  options_.sandbox.namespaces.pod = nullptr;
  for_each_container(
      [](container_run& container) { container.plan.pod = nullptr; });
}

/// What follows from the end of this container.
void pod_run::restart_container_or_advance_pod(container_run& container) {
  auto code = container.status->state.exit_code;
  bool again = should_restart(restart_policy_or_always(), code);
  if (container.is_sidecar)
    again = !are_main_containers_finished();
  else if (container.is_init)
    again = code != 0 && restart_policy_or_always() != "Never";
  if (again && !terminating_ && !status_.is_terminal()) {
    schedule_container_restart(
        container, restart_back_off(container.crashes, options_.back_off_base));
    return;
  }
  container.is_finished = true;
  bool is_awaited = container.is_init && !container.is_sidecar;
  if (is_awaited && code == 0 && !terminating_ && !status_.is_terminal()) {
    ++next_init_;
    report_status();
    start_next_init_or_main();
    return;
  }
  if (is_awaited && code != 0 && !status_.is_terminal()) {
    status_.phase = "Failed";
    terminate_then_kill(grace_period()); // Sidecars.
  }
  update_phase_and_end_sidecars();
  report_status();
}

void pod_run::schedule_container_restart(container_run& container,
                                         std::chrono::milliseconds wait) {
  auto& status = *container.status;
  if (status.state.now == container_state::kind::terminated) {
    status.last = status.state;
    if (wait.count() > 0) {
      status.state = {};
      status.state.reason = "CrashLoopBackOff";
      status.state.message = "back-off " + std::to_string(wait.count() / 1000)
                             + "s restarting failed container=" + status.name;
      options_.on_warning("BackOff", status.state.message);
    }
    update_phase_and_end_sidecars();
    report_status();
  }
  container.restart =
      std::make_unique<boost::asio::steady_timer>(options_.io, wait);
  container.restart->async_wait(unless_destroyed(
      [this, &container] { read_sources_and_start(container); }));
}

void pod_run::update_phase_and_end_sidecars() {
  if (status_.is_terminal())
    return;
  std::vector<bool> done;
  for (const auto& container : containers_)
    done.push_back(container.is_finished);
  status_.phase = compute_pod_phase(status_, done);
  if (status_.is_terminal() && end_last_remaining_sidecar())
    status_.phase = "Running";
  if (status_.is_terminal())
    deadline_timer_.cancel();
}

void pod_run::fail_pod_and_terminate(const std::string& reason,
                                     const std::string& message) {
  status_.phase = "Failed";
  status_.reason = reason;
  status_.message = message;
  options_.on_warning(reason, message);
  terminate_then_kill(grace_period());
  report_status();
  release_namespaces_if_finished();
  report_if_terminated();
}

void pod_run::terminate(std::chrono::seconds grace) {
  terminating_ = true;
  terminate_then_kill(grace);
  report_if_terminated();
}

void pod_run::terminate_then_kill(std::chrono::seconds grace) {
  bool kill = grace.count() <= 0;
  bool sidecars_wait = !kill && is_any_except_sidecars_running();
  for_each_container([=](container_run& container) {
    if (container.restart)
      container.restart->cancel();
    if (container.running && !(container.is_sidecar && sidecars_wait))
      kill ? container.running->kill() : container.running->terminate();
  });
  kill_all_after(grace);
}

void pod_run::kill_all_after(std::chrono::seconds grace) {
  auto when = boost::asio::steady_timer::clock_type::now() + grace;
  if (kill_timer_.expiry() != boost::asio::steady_timer::time_point{}
      && kill_timer_.expiry() <= when)
    return;
  kill_timer_.expires_at(when);
  kill_timer_.async_wait(unless_destroyed([this] {
    for_each_container([](container_run& container) {
      if (container.running)
        container.running->kill();
    });
  }));
}

std::chrono::seconds pod_run::grace_period() const {
  return to_bounded_seconds(
      number_at(pod_, {"spec", "terminationGracePeriodSeconds"}, 30));
}

/// Tells the last sidecar that is left to end; false if there is none.
bool pod_run::end_last_remaining_sidecar() {
  for (auto c = init_containers_.rbegin(); c != init_containers_.rend(); ++c) {
    if (!c->is_sidecar || c->is_finished)
      continue;
    if (c->running && !std::exchange(c->is_ending, true)) {
      c->running->terminate();
      kill_all_after(grace_period());
    }
    if (c->running)
      return true;
    if (c->restart)
      c->restart->cancel();
    c->is_finished = true;
  }
  return false;
}

bool pod_run::are_main_containers_finished() const {
  return std::all_of(containers_.begin(), containers_.end(),
                     [](const auto& c) { return c.is_finished; });
}

bool pod_run::is_any_except_sidecars_running() const {
  auto runs = [](const container_run& container) {
    return container.running != nullptr && !container.is_sidecar;
  };
  return std::any_of(init_containers_.begin(), init_containers_.end(), runs)
         || std::any_of(containers_.begin(), containers_.end(), runs);
}

std::vector<running_container> pod_run::running_containers() const {
  std::vector<running_container> out;
  for (auto* list : {&init_containers_, &containers_})
    for (const auto& c : *list)
      if (c.running) {
        out.push_back(
            {c.status->name, {{c.running->reaper(), c.status->state.started}}});
        for (const auto& command : c.commands)
          out.back().programs.push_back(
              {command->reaper(), command->started()});
      }
  return out;
}

bool pod_run::is_any_container_running() const {
  auto runs = [](const container_run& container) {
    return container.running != nullptr;
  };
  return std::any_of(init_containers_.begin(), init_containers_.end(), runs)
         || std::any_of(containers_.begin(), containers_.end(), runs);
}

void pod_run::report_if_terminated() {
  if (!terminating_ || is_any_container_running())
    return;
  kill_timer_.cancel();
  // Later: the handler is likely the end of this object.
  if (auto gone = std::exchange(options_.on_terminated, nullptr))
    boost::asio::post(options_.io, [weak = weak_from_this(), gone] {
      if (auto me = weak.lock())
        gone();
    });
}

} // namespace troupe::k8s::node
