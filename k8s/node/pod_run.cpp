#include "k8s/node/pod_run.hpp"

#include "k8s/node/exec_context.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <unistd.h>

namespace troupe::k8s::node {

using std::chrono::system_clock;

namespace {

constexpr int start_failed = 128; ///< As container runtimes report it.

} // namespace

pod_run::pod_run(json pod, pod_host host)
    : pod_(std::move(pod))
    , host_(std::move(host))
    , kill_timer_(host_.io)
    , deadline_timer_(host_.io)
    , volume_timer_(host_.io) {
  make_container_runs("initContainers", true, init_, view_.init_containers);
  make_container_runs("containers", false, units_, view_.containers);
  view_.started = system_clock::now();
  view_.pod_address = host_.place.address;
  view_.host_address = host_.place.host_address;
}

void pod_run::make_container_runs(const char* list, bool init,
                                  std::vector<container_run>& container_runs,
                                  std::vector<container_view>& views) {
  const auto& specs = list_at(pod_["spec"], list);
  bool waits = !init && !init_.empty();
  views.resize(specs.size());
  container_runs.resize(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    views[i].name = text_at(specs[i], {"name"});
    views[i].image = text_at(specs[i], {"image"});
    views[i].state.reason = waits ? "PodInitializing" : "ContainerCreating";
    container_runs[i].spec = &specs[i];
    container_runs[i].view = &views[i];
    container_runs[i].init = init;
  }
}

std::string pod_run::policy() const {
  const auto& text = text_at(pod_, {"spec", "restartPolicy"});
  return text.empty() ? "Always" : text;
}

void pod_run::start() {
  if (auto why = unsupported(pod_)) {
    fail(why->reason, why->message);
    return;
  }
  if (auto ignored = ignored_fields(pod_); !ignored.empty())
    host_.on_warning("IgnoredHere", "has no effect on this node: " + ignored);
  watch_deadline();
  make_volumes();
}

void pod_run::watch_deadline() {
  auto limit = number_at(pod_, {"spec", "activeDeadlineSeconds"}, 0);
  if (limit <= 0)
    return;
  deadline_timer_.expires_after(std::chrono::seconds{limit});
  deadline_timer_.async_wait(safely([this] {
    if (!view_.over())
      fail("DeadlineExceeded",
           "Pod was active on the node longer than the specified deadline");
  }));
}

void pod_run::next_init() {
  if (next_init_ < init_.size()) {
    prepare(init_[next_init_]);
    return;
  }
  view_.initialized = true;
  for (auto& u : units_)
    prepare(u);
}

void pod_run::prepare(container_run& u) {
  auto names = sources_of(*u.spec);
  if (names.empty()) {
    launch(u, {});
    return;
  }
  host_.read(std::move(names),
             [weak = weak_from_this(), this, &u](const sources& data) {
               if (auto me = weak.lock())
                 launch(u, data);
             });
}

void pod_run::launch(container_run& u, const sources& data) {
  if (terminating_ || view_.over())
    return;
  container_plan plan;
  auto why = plan_container(pod_, *u.spec, host_.place, data, plan);
  if (!why) {
    run(u, plan);
    return;
  }
  u.view->state.reason = why->reason;
  u.view->state.message = why->message;
  if (!why->may_change) {
    fail(why->reason, why->message);
    return;
  }
  host_.on_warning(why->reason, why->message);
  tell();
  start_later(u, host_.back_off_base / 10);
}

void pod_run::new_log(container_run& u) {
  if (u.previous_log)
    ::unlink(u.previous_log->path().c_str());
  u.previous_log = std::move(u.log);
  auto path = host_.log_directory + "/" + u.view->name + "."
              + std::to_string(u.view->restarts) + ".log";
  u.log = std::make_unique<container_log>(std::move(path), host_.log_limit);
}

void pod_run::run(container_run& u, const container_plan& plan) {
  auto& state = u.view->state;
  if (u.log)
    ++u.view->restarts;
  new_log(u);
  state = {};
  state.started = system_clock::now();
  auto started = process::start(
      host_.io, host_.reaper, plan,
      [&u](std::string_view text) { u.log->append(text, system_clock::now()); },
      [this, &u](const process_end& end) { ended(u, end); });
  if (!started) {
    u.log->append(started.error().message + "\n", system_clock::now());
    state.message = started.error().message;
    state.reason = "StartError";
    host_.on_warning("Failed", started.error().message);
    ended(u, {start_failed, 0});
    return;
  }
  u.running = std::move(*started);
  u.view->pid = u.running->pid();
  if (auto bad = write_context(host_.place.contexts, &u == units_.data(),
                               u.running->reaper(), plan))
    host_.on_warning("NoExec", bad->message);
  state.now = container_state::kind::running;
  settle_phase();
  tell();
}

void pod_run::ended(container_run& u, const process_end& end) {
  auto& state = u.view->state;
  state.now = container_state::kind::terminated;
  state.finished = system_clock::now();
  state.exit_code = end.exit_code;
  state.signal = end.signal;
  if (state.reason.empty())
    state.reason = end.exit_code == 0 ? "Completed" : "Error";
  remove_context(host_.place.contexts, u.view->name);
  u.log->close();
  // The process object is in the middle of telling us; let it finish first.
  boost::asio::post(host_.io,
                    [old = std::shared_ptr<process>(std::move(u.running))] {});
  if (recovered(state.finished - state.started, host_.back_off_base))
    u.crashes = 0;
  ++u.crashes;
  decide(u);
  check_gone();
}

/// What follows from the end of `u`.
void pod_run::decide(container_run& u) {
  auto code = u.view->state.exit_code;
  bool again =
      u.init ? code != 0 && policy() != "Never" : restarts(policy(), code);
  if (again && !terminating_ && !view_.over()) {
    start_later(u, back_off(u.crashes, host_.back_off_base));
    return;
  }
  u.done = true;
  if (u.init && code == 0 && !terminating_ && !view_.over()) {
    ++next_init_;
    tell();
    next_init();
    return;
  }
  if (u.init && code != 0 && !view_.over())
    view_.phase = "Failed";
  settle_phase();
  tell();
}

void pod_run::start_later(container_run& u, std::chrono::milliseconds wait) {
  auto& view = *u.view;
  if (view.state.now == container_state::kind::terminated) {
    view.last = view.state;
    if (wait.count() > 0) {
      view.state = {};
      view.state.reason = "CrashLoopBackOff";
      view.state.message = "back-off " + std::to_string(wait.count() / 1000)
                           + "s restarting failed container=" + view.name;
      host_.on_warning("BackOff", view.state.message);
    }
    settle_phase();
    tell();
  }
  u.restart = std::make_unique<boost::asio::steady_timer>(host_.io, wait);
  u.restart->async_wait(safely([this, &u] { prepare(u); }));
}

void pod_run::settle_phase() {
  if (view_.over())
    return;
  std::vector<bool> done;
  for (const auto& u : units_)
    done.push_back(u.done);
  view_.phase = phase_of(view_, done);
  if (view_.over())
    deadline_timer_.cancel();
}

void pod_run::fail(const std::string& reason, const std::string& message) {
  view_.phase = "Failed";
  view_.reason = reason;
  view_.message = message;
  host_.on_warning(reason, message);
  end_processes(std::chrono::seconds{
      number_at(pod_, {"spec", "terminationGracePeriodSeconds"}, 30)});
  tell();
  check_gone();
}

void pod_run::terminate(std::chrono::seconds grace) {
  terminating_ = true;
  end_processes(grace);
  check_gone();
}

void pod_run::end_processes(std::chrono::seconds grace) {
  bool kill = grace.count() <= 0;
  each([kill](container_run& u) {
    if (u.restart)
      u.restart->cancel();
    if (u.running)
      kill ? u.running->kill() : u.running->terminate();
  });
  auto when = boost::asio::steady_timer::clock_type::now() + grace;
  if (kill_timer_.expiry() != boost::asio::steady_timer::time_point{}
      && kill_timer_.expiry() <= when)
    return;
  kill_timer_.expires_at(when);
  kill_timer_.async_wait(safely([this] {
    each([](container_run& u) {
      if (u.running)
        u.running->kill();
    });
  }));
}

bool pod_run::anything_runs() const {
  auto runs = [](const container_run& u) { return u.running != nullptr; };
  return std::any_of(init_.begin(), init_.end(), runs)
         || std::any_of(units_.begin(), units_.end(), runs);
}

void pod_run::check_gone() {
  if (!terminating_ || anything_runs())
    return;
  kill_timer_.cancel();
  // Later: the handler is likely the end of this object.
  if (auto gone = std::exchange(host_.on_gone, nullptr))
    boost::asio::post(host_.io, [weak = weak_from_this(), gone] {
      if (auto me = weak.lock())
        gone();
    });
}

container_log* pod_run::log_of(const std::string& container,
                               bool previous) const {
  for (const auto* container_runs : {&units_, &init_})
    for (const auto& u : *container_runs)
      if (container.empty() || u.view->name == container)
        return previous ? u.previous_log.get() : u.log.get();
  return nullptr;
}

} // namespace troupe::k8s::node
