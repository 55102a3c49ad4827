#include "k8s/node/simulated_node.hpp"

#include "k8s/node/base/node_registration.hpp"
#include "k8s/node/base/pod_fields.hpp"

#include <boost/asio/post.hpp>

#include <mutex>

namespace troupe::k8s::node {

namespace {

std::vector<container_runtime_status> make_waiting_statuses(const json& pod,
                                                            const char* list) {
  std::vector<container_runtime_status> result;
  for (const auto& c : list_at(pod["spec"], list)) {
    container_runtime_status status;
    status.name = text_at(c, {"name"});
    status.image = text_at(c, {"image"});
    result.push_back(std::move(status));
  }
  return result;
}

void set_container_terminated(container_runtime_status& c, int exit_code,
                              time_point started) {
  c.state.now = container_state::kind::terminated;
  c.state.reason = exit_code == 0 ? "Completed" : "Error";
  c.state.started = started;
  c.state.finished = std::chrono::system_clock::now();
  c.state.exit_code = exit_code;
}

} // namespace

simulated_node::simulated_node(std::shared_ptr<api> client,
                               node_options options, simulation rules)
    : options_(std::move(options))
    , rules_(std::move(rules))
    , io_(std::make_shared<boost::asio::io_context>(1))
    , work_(boost::asio::make_work_guard(*io_))
    , client_(io_, client)
    , statuses_(client_)
    , binder_(
          client_, options_, [this] { return active_; },
          [] { return std::size_t{0}; })
    , reflector_(std::make_shared<reflector>(
          io_, client, selection{resources::pods, "", "", ""},
          [this](const json& pod) { bind_start_or_end_pod(pod); },
          [this](const json& pod) {
            forget_pod_and_bind_rejected(uid_of(pod));
          })) {}

void simulated_node::start() {
  register_node(client_, options_, "Simulated", "pods run nothing here");
  thread_ = std::thread([io = io_] { io->run(); });
  boost::asio::post(*io_, [this] { reflector_->start(); });
}

void simulated_node::stop() {
  if (!thread_.joinable())
    return;
  boost::asio::post(*io_, [this] {
    reflector_->stop();
    pods_.clear();
    io_->stop();
  });
  thread_.join();
}

std::function<void()> simulated_node::stream_log(const std::string&,
                                                 const std::string&,
                                                 const std::string&,
                                                 const log_options&,
                                                 log_sink to) {
  struct reader {
    std::mutex mutex;
    bool is_open = true;
  };
  auto r = std::make_shared<reader>();
  boost::asio::post(*io_, [r, end = std::move(to.end)] {
    std::lock_guard guard{r->mutex};
    if (r->is_open)
      end(nothing{});
  });
  return [r] {
    std::lock_guard guard{r->mutex};
    r->is_open = false;
  };
}

void simulated_node::bind_start_or_end_pod(const json& pod) {
  auto uid = uid_of(pod);
  const auto& node_name = text_at(pod, {"spec", "nodeName"});
  bool is_ours = node_name == options_.name;
  if (is_terminating(pod) && is_ours) {
    forget_pod_and_bind_rejected(uid);
    client_.delete_pod_after_pause(pod);
  } else if (is_terminating(pod) || is_terminal(pod) || pods_.count(uid) > 0) {
    // There is nothing to do.
  } else if (node_name.empty()) {
    binder_.bind_or_reject_if_new(pod);
  } else if (is_ours) {
    binder_.forget_pod(uid);
    add_and_start_pod(pod);
  }
}

void simulated_node::forget_pod_and_bind_rejected(const std::string& uid) {
  binder_.forget_pod(uid);
  statuses_.forget_pod(uid);
  auto i = pods_.find(uid);
  if (i == pods_.end())
    return;
  active_ -= i->second.status.is_terminal() ? 0 : 1;
  pods_.erase(i);
  binder_.bind_rejected_pods_that_fit();
}

void simulated_node::add_and_start_pod(const json& pod) {
  auto uid = uid_of(pod);
  auto ref = pod_ref(pod);
  simulated_pod p{
      {{"metadata", {{"name", ref.name}, {"namespace", ref.ns}, {"uid", uid}}}},
      text_at(pod, {"spec", "restartPolicy"}, "Always"),
      {},
      0,
      boost::asio::steady_timer{*io_}};
  auto now = std::chrono::system_clock::now();
  p.status.pod_address = next_pod_address();
  p.status.host_address = host_address;
  p.status.started = now;
  p.status.initialized = true;
  p.status.init_containers = make_waiting_statuses(pod, "initContainers");
  p.status.containers = make_waiting_statuses(pod, "containers");
  for (auto& c : p.status.init_containers)
    set_container_terminated(c, 0, now);
  pods_.emplace(uid, std::move(p));
  ++active_;
  start_containers_and_schedule_end(uid);
}

template <class F>
void simulated_node::run_after_replacing_earlier(simulated_pod& p,
                                                 std::chrono::milliseconds wait,
                                                 F f) {
  p.timer.expires_after(wait);
  p.timer.async_wait([f](boost::system::error_code cancelled) {
    if (!cancelled)
      f();
  });
}

void simulated_node::start_containers_and_schedule_end(const std::string& uid) {
  auto i = pods_.find(uid);
  if (i == pods_.end())
    return;
  auto& p = i->second;
  for (auto& c : p.status.containers) {
    c.state = {};
    c.state.now = container_state::kind::running;
    c.state.started = std::chrono::system_clock::now();
  }
  p.status.phase = "Running";
  statuses_.write_status_if_changed(p.names, p.status);
  auto ref = pod_ref(p.names);
  if (auto end = choose_simulated_end(rules_, ref.name,
                                      failures_[ref.ns + "/" + ref.name]))
    run_after_replacing_earlier(
        p, end->after, [this, uid, code = end->exit_code] {
          end_containers_and_restart_or_finish(uid, code);
        });
}

void simulated_node::end_containers_and_restart_or_finish(
    const std::string& uid, int exit_code) {
  auto i = pods_.find(uid);
  if (i == pods_.end())
    return;
  auto& p = i->second;
  auto ref = pod_ref(p.names);
  failures_[ref.ns + "/" + ref.name] += exit_code == 0 ? 0 : 1;
  const auto& began = p.status.containers.front().state.started;
  if (ran_long_enough_to_reset_back_off(
          std::chrono::system_clock::now() - began, options_.back_off_base))
    p.crashes = 0;
  // What fails is the container that counts, the first of the spec.
  for (auto& c : p.status.containers)
    set_container_terminated(
        c, &c == p.status.containers.data() ? exit_code : 0, c.state.started);
  if (should_restart(p.restart_policy, exit_code))
    restart_after_back_off(uid);
  else
    finish_pod_and_bind_rejected(uid, exit_code);
}

void simulated_node::restart_after_back_off(const std::string& uid) {
  auto& p = pods_.at(uid);
  auto wait = restart_back_off(++p.crashes, options_.back_off_base);
  for (auto& c : p.status.containers) {
    ++c.restarts;
    c.last = c.state;
    if (wait.count() == 0)
      continue;
    c.state = {};
    c.state.reason = "CrashLoopBackOff";
    c.state.message = "back-off " + std::to_string(wait.count() / 1000)
                      + "s restarting failed container=" + c.name;
  }
  statuses_.write_status_if_changed(p.names, p.status);
  run_after_replacing_earlier(
      p, wait, [this, uid] { start_containers_and_schedule_end(uid); });
}

void simulated_node::finish_pod_and_bind_rejected(const std::string& uid,
                                                  int exit_code) {
  auto& p = pods_.at(uid);
  p.status.phase = exit_code == 0 ? "Succeeded" : "Failed";
  statuses_.write_status_if_changed(p.names, p.status);
  --active_;
  binder_.bind_rejected_pods_that_fit();
}

std::string simulated_node::next_pod_address() {
  auto n = ++last_address_ & 0xffffffu;
  return "10." + std::to_string(n >> 16) + "." + std::to_string(n >> 8 & 0xffu)
         + "." + std::to_string(n & 0xffu);
}

std::shared_ptr<node> start_simulated_node(std::shared_ptr<api> client,
                                           node_options options,
                                           simulation rules) {
  auto made = std::make_shared<simulated_node>(
      std::move(client), std::move(options), std::move(rules));
  made->start();
  return made;
}

} // namespace troupe::k8s::node
