#include "k8s/node/host_node.hpp"

#include "k8s/general/files.hpp"
#include "k8s/node/base/node_registration.hpp"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/namespaces/dns_forwarder.hpp"
#include "k8s/node/pods/lost_pod.hpp"

#include <boost/asio/post.hpp>

#include <csignal>
#include <filesystem>
#include <future>
#include <sys/socket.h>

namespace troupe::k8s::node {

using namespace std::chrono_literals;

namespace {

constexpr auto stop_grace = 1s;
constexpr auto stop_limit = 4s;

} // namespace

host_node::host_node(std::shared_ptr<api> client, node_options options,
                     isolation_choice choice)
    : options_(std::move(options))
    , io_(std::make_shared<boost::asio::io_context>(1))
    , work_(boost::asio::make_work_guard(*io_))
    , client_(io_, client)
    , directory_(options_.run_directory)
    , isolation_{choice.kind,
                 choice.why_not,
                 choice.why_no_preload,
                 choice.is_work_directory_shared,
                 choice.shared_private_directory,
                 "",
                 "",
                 options_.is_work_directory_written ? options_.work_directory
                                                    : ""}
    , cluster_(std::move(choice.cluster))
    , sources_(client_)
    , workers_(*io_, client_, sources_, directory_, options_,
               {[this] { hosts_.schedule_write(); },
                [this] { binder_.bind_rejected_pods_that_fit(); }},
               cluster_)
    , binder_(
          client_, options_, [this] { return workers_.count_active_pods(); },
          [this] { return workers_.gpus().count_free(); })
    , hosts_(*io_, directory_, options_.cluster_domain, workers_,
             [this] { workers_.start_unstarted_pods(); })
    , logs_(*io_, workers_)
    , usage_(*io_, workers_, options_.name, options_.gpu_usage_program)
    , streams_(io_, workers_) {
  if (cluster_) {
    dns_ = std::make_unique<dns_server>(*io_, std::move(choice.dns_udp),
                                        std::move(choice.dns_tcp));
    start_gateway_and_forward_dns();
    hosts_.set_names_handler(
        [this](const std::vector<named_pod>& pods,
               const std::vector<named_service>& services) {
          dns_->set_zone({pods, services, options_.cluster_domain,
                          options_.subnet, options_.host_services});
        });
  }
  auto reflect = [&](const resource& what, reflector::handler changed,
                     reflector::handler deleted) {
    reflectors_.push_back(
        std::make_shared<reflector>(io_, client, selection{what, "", "", ""},
                                    std::move(changed), std::move(deleted)));
  };
  for (const std::string kind : {"ConfigMap", "Secret"})
    reflect(
        config_source_resource(kind),
        [this, kind](const json& object) {
          workers_.update_volumes(text_at(object, {"metadata", "namespace"}),
                                  {kind, text_at(object, {"metadata", "name"})},
                                  decode_config_source_data(kind, object));
        },
        [](const json&) {}); // Mounted files are kept.
  reflect(
      resources::services,
      [this](const json& s) { hosts_.set_service_and_schedule_write(s); },
      [this](const json& s) {
        hosts_.remove_service_and_schedule_write(uid_of(s));
      });
  reflect(
      resources::pods, [this](const json& pod) { bind_start_or_end_pod(pod); },
      [this](const json& pod) { forget_and_kill_deleted_pod(pod); });
}

void host_node::start_gateway_and_forward_dns() {
  auto started = slirp_gateway::start(*cluster_);
  if (!started) {
    isolation_.why_no_gateway = started.error().message;
    return;
  }
  gateway_ = std::move(*started);
  auto text = read_file("/etc/resolv.conf");
  auto servers = parse_name_servers(text ? *text : "");
  if (!servers.empty())
    dns_->set_forwarder(make_dns_forwarder(*io_, std::move(servers)));
}

result<unique_descriptor> host_node::listen_in_pod_network(std::uint16_t port) {
  if (!cluster_)
    return failure{ec::invalid, "pods have no network of their own"};
  return cluster_->listen_on_bridge(SOCK_STREAM, port);
}

void host_node::start() {
  register_node(client_, options_, "HostProcesses",
                "containers run as processes of this host",
                cluster_ ? cluster_->subnet().bridge_address() : host_address);
  thread_ = std::thread([io = io_] {
    // A program that reads its input no more is no reason to end.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    io->run();
  });
  boost::asio::post(*io_, [this] {
    for (auto& r : reflectors_)
      r->start();
  });
}

void host_node::bind_start_or_end_pod(const json& pod) {
  auto uid = uid_of(pod);
  const auto& node_name = text_at(pod, {"spec", "nodeName"});
  bool is_ours = node_name == options_.name;
  if (workers_.contains(uid)) {
    workers_.terminate_pod_if_deleting(pod);
  } else if (is_terminating(pod)) {
    if (is_ours)
      client_.delete_pod_after_pause(pod);
  } else if (is_terminal(pod)) {
    // An earlier node's; its logs are not ours.
  } else if (node_name.empty()) {
    binder_.bind_or_reject_if_new(pod);
  } else if (is_ours) {
    binder_.forget_pod(uid);
    if (has_started(pod))
      client_.send_with_retries(make_status_patch(
          pod, make_lost_pod_status(pod, std::chrono::system_clock::now())));
    else
      workers_.add_pod_or_mark_failed(pod);
  }
}

void host_node::forget_and_kill_deleted_pod(const json& pod) {
  auto uid = uid_of(pod);
  binder_.forget_pod(uid);
  workers_.kill_pod(uid);
}

void host_node::stop() {
  if (!thread_.joinable())
    return;
  auto stopped = std::make_shared<std::promise<void>>();
  boost::asio::post(*io_, [this, stopped] {
    for (auto& r : reflectors_)
      r->stop();
    workers_.stop_all(stop_grace, [stopped] { stopped->set_value(); });
  });
  stopped->get_future().wait_for(stop_limit);
  logs_.reject_new_readers();
  usage_.answer_later_requests_without_pods();
  streams_.reject_new_sessions();
  boost::asio::post(*io_, [this] {
    workers_.kill_and_forget_all();
    io_->stop();
  });
  thread_.join();
}

result<std::shared_ptr<node>> start_node(std::shared_ptr<api> client,
                                         node_options options) {
  if (options.run_directory.empty())
    return failure{ec::invalid, "the node needs a run directory"};
  // Containers work elsewhere.
  std::error_code wrong;
  namespace fs = std::filesystem;
  // Real paths, as those of volumes are compared with them.
  auto make_real = [&](std::string& path) {
    if (!wrong)
      path = fs::weakly_canonical(fs::absolute(path, wrong), wrong).string();
  };
  make_real(options.run_directory);
  for (auto& path : options.hidden_directories)
    make_real(path);
  if (!options.claims.parent.empty())
    make_real(options.claims.parent);
  if (!wrong && options.work_directory.empty())
    options.work_directory = fs::current_path(wrong).string();
  if (wrong)
    return failure{ec::invalid, "cannot tell where the node's directories are: "
                                    + wrong.message()};
  node_directory directory{options.run_directory};
  if (options.claims.parent.empty())
    options.claims.parent = directory.claims_directory();
  if (auto bad = directory.create_with_programs())
    return *bad;
  auto choice = choose_and_start_isolation(options, directory);
  if (!choice)
    return choice.error();
  options.isolation = choice->kind;
  auto made = std::make_shared<host_node>(std::move(client), std::move(options),
                                          std::move(*choice));
  made->start();
  return std::shared_ptr<node>(std::move(made));
}

} // namespace troupe::k8s::node
