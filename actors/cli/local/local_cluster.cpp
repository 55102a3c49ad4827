#include "actors/cli/local/local_cluster.hpp"

#include "actors/cli/base/embedded_crds.hpp"
#include "actors/cli/base/send_and_wait.hpp"
#include "actors/cli/local/embedded_roles.hpp"
#include "actors/cli/local/ignored_queue.hpp"
#include "actors/cli/local/open_files.hpp"
#include "actors/cli/local/refused_calls.hpp"
#include "actors/cli/local/refused_workloads.hpp"
#include "actors/cli/operator/cluster_settings.hpp"
#include "actors/process/operator_process.hpp"
#include "actors/reports/report_server.hpp"
#include "actors/webhook/admission_review.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "config/logging.hpp"
#include "frameworks/conversions.hpp"
#include "frameworks/registry.hpp"
#include "k8s/apiserver/control_plane.hpp"
#include "k8s/general/addresses.hpp"
#include "k8s/json.hpp"
#include "k8s/node/base/node.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"
#include "k8s/node/pods/gpus.hpp"
#include "k8s/node/simulated_node.hpp"

#include <arpa/inet.h>
#include <filesystem>
#include <netinet/in.h>
#include <sys/socket.h>
#include <tuple>

namespace troupe::cli {

namespace {

using k8s::failure;
using k8s::nothing;
using k8s::result;
using nlohmann::json;

constexpr std::uint16_t https_port = 443;
/// Where pods of DIJobs look for di-server in a cluster.
constexpr const char* di_server_service = "di-server.di-system";

/// Each takes some ten kilobytes of memory.
constexpr std::size_t most_simulated_pods = 100'000;

k8s::apiserver::admission_response
review_job(const core::framework& f, const json& job, const json* old) {
  k8s::apiserver::admission_response response;
  response.warnings = actors::find_admission_warnings(f, job);
  if (auto text = ignored_queue_warning(job); !old && !text.empty())
    response.warnings.push_back(std::move(text));
  if (auto error = actors::find_admission_error(f, job, old ? *old : json{}))
    response.denial = "admission webhook \""
                      + actors::validating_webhook_name(f)
                      + "\" denied the request: " + *error;
  return response;
}

/// Who the node is for the API server.
k8s::user_ptr node_user(const std::string& name) {
  return std::make_shared<k8s::user_info>(k8s::user_info{
      "system:node:" + name, {"system:nodes", "system:authenticated"}});
}

/// How pods call the API server.
std::vector<std::string> api_server_names(const std::string& domain,
                                          const k8s::node::pod_subnet& subnet) {
  std::string service = "kubernetes.default.svc";
  return {subnet.bridge_address(), "kubernetes", "kubernetes.default", service,
          service + "." + (domain.empty() ? "cluster.local" : domain)};
}

/// "10.244.0.1:40000".
std::string local_address_of_socket(int socket) {
  sockaddr_in a{};
  socklen_t size = sizeof a;
  char text[INET_ADDRSTRLEN] = "";
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&a), &size) != 0)
    return "";
  ::inet_ntop(AF_INET, &a.sin_addr, text, sizeof text);
  return std::string{text} + ":" + std::to_string(ntohs(a.sin_port));
}

/// As a program of this machine calls it.
std::string local_admin_url_or_empty(const config::settings& s,
                                     std::uint16_t port) {
  if (port == 0)
    return "";
  auto host = k8s::split_host_and_port(s.admin_address).first;
  if (host.empty() || host == "0.0.0.0" || host == "::")
    host = "127.0.0.1";
  if (host.find(':') != std::string::npos)
    host = "[" + host + "]";
  return (s.admin_tls_cert_file.empty() ? "http://" : "https://") + host + ":"
         + std::to_string(port);
}

class running_cluster : public local_cluster {
public:
  /// Who uses whom, backwards.
  ~running_cluster() override {
    report_server_.reset();
    if (operator_)
      operator_->stop();
    operator_.reset();
    operator_client_.reset();
    client_.reset();
    if (node_) {
      node_->stop();
      plane_->run_on_server_thread_and_wait(
          [](k8s::apiserver::api_server& server) {
            server.set_log_source(nullptr);
            server.set_usage_source(nullptr);
            server.set_streaming_runtime(nullptr);
          });
    }
    node_.reset();
    node_client_.reset();
    plane_.reset();
  }

  result<nothing> start_all_parts(const local_options& o) {
    k8s::apiserver::control_plane_options plane;
    plane.address = o.listen;
    plane.crds = embedded_crds();
    // `kubectl logs | less` takes nothing while somebody reads.
    plane.limits.write_time = std::chrono::hours{8};
    plane.data_directory = o.data_directory;
    plane.environment.authorization = o.authorization;
    // Without the node it is others who run pods, and maybe controllers.
    plane.environment.runs_builtin_controllers = o.with_node;
    plane.names = api_server_names(o.settings.cluster_domain, subnet_.subnet);
    auto started = k8s::apiserver::start_control_plane(std::move(plane));
    if (!started)
      return failure{started.error().code,
                     "API server: " + started.error().message};
    plane_ = std::move(*started);
    for (const auto& line : plane_->data_damage())
      log::error("data is damaged", {{"what", line}});
    ensure_namespace_ignoring_errors("default");
    add_object_converters();
    set_job_admission_handlers();
    if (auto done = apply_roles_if_rbac(o); !done)
      return done;
    if (o.with_node) {
      plane_->run_on_server_thread_and_wait(
          refuse_workloads_without_controller);
      if (auto done = start_local_node(o); !done)
        return done;
    }
    client_ = make_client(plane_->local_http_url(), plane_->token());
    if (!o.with_operator)
      return nothing{};
    auto client = make_operator_client(o);
    if (!client)
      return client.error();
    operator_client_ = std::move(*client);
    if (auto done = start_report_server(); !done)
      return done;
    if (has_pod_network())
      return start_operator_with_pod_network(o);
    return start_operator_in_process(o.settings);
  }

  std::string server_url() const override { return plane_->server_url(); }
  std::string url_from_other_machines_or_empty() const override {
    return plane_->url_for_other_machines_or_empty();
  }
  std::string kubeconfig() const override { return plane_->kubeconfig(); }
  std::shared_ptr<k8s::api> client() const override { return client_; }

  std::string admin_url() const override { return admin_url_; }

  bool is_ready() const override { return !operator_ || operator_->is_ready(); }

  std::vector<std::string> take_operator_refusals() override {
    return refused_->take_new_messages();
  }

  void ensure_namespace_ignoring_errors(const std::string& name) override {
    plane_->run_on_server_thread_and_wait(
        [&](k8s::apiserver::api_server& server) {
          server.ensure_namespace_ignoring_errors(name);
        });
  }

  k8s::node::isolation_report pod_isolation() const override {
    if (!node_)
      return {};
    auto report = node_->isolation();
    if (has_pod_network() && !subnet_.is_free)
      report.taken_subnet = subnet_.subnet.cidr();
    return report;
  }

private:
  /// The roles as they are installed in clusters.
  result<nothing> apply_roles_if_rbac(const local_options& o) {
    if (o.authorization != k8s::apiserver::authorization_mode::rbac)
      return nothing{};
    ensure_namespace_ignoring_errors(operator_namespace);
    std::optional<std::string> wrong;
    plane_->run_on_server_thread_and_wait(
        [&](k8s::apiserver::api_server& server) {
          for (const auto& object : embedded_roles())
            if (!wrong)
              wrong = server.create_or_update_object(object);
        });
    if (wrong)
      return failure{k8s::ec::invalid, "roles of the operator: " + *wrong};
    return nothing{};
  }

  /// Asks as the operator of a cluster does, if that makes a difference.
  result<std::shared_ptr<k8s::api>>
  make_operator_client(const local_options& o) const {
    if (o.authorization != k8s::apiserver::authorization_mode::rbac)
      return client_;
    constexpr std::chrono::hours ten_years{10 * 365 * 24};
    auto token = plane_->make_service_account_token(
        operator_namespace, operator_account, ten_years);
    if (!token)
      return token.error();
    return make_recording_client(make_client(plane_->local_http_url(), *token),
                                 refused_);
  }

  /// As the operator's conversion webhook does it in a cluster.
  void add_object_converters() {
    plane_->run_on_server_thread_and_wait(
        [](k8s::apiserver::api_server& server) {
          for (const auto& c : frameworks::object_conversions())
            server.set_object_converter(c.crd_name(), c.convert);
        });
  }

  /// Jobs are reviewed when they are written, as by the operator's webhooks in
  /// a cluster.
  void set_job_admission_handlers() {
    plane_->run_on_server_thread_and_wait(
        [](k8s::apiserver::api_server& server) {
          for (const auto& f : frameworks::all()) {
            if (f.admission.set_defaults)
              server.set_admission_mutator(
                  f.names.type, [kind = &f](json& job) {
                    actors::set_admission_defaults_if_any(*kind, job);
                  });
            server.set_admission_validator(
                f.names.type, [kind = &f](const json& job, const json* old) {
                  return review_job(
                      frameworks::row_of_birth(
                          *kind, k8s::text_at(job, {"spec", "createdAs"})),
                      job, old);
                });
          }
        });
  }

  /// As a process of this machine calls the API server.
  std::pair<std::string, std::string> api_server_host_and_port() const {
    return k8s::split_host_and_port(
        k8s::host_and_port_of_url(plane_->server_url()));
  }

  bool has_pod_network() const {
    return node_
           && node_->isolation().kind == k8s::node::isolation_kind::namespaces;
  }

  result<nothing> serve_pod_network_if_any() {
    if (!has_pod_network())
      return nothing{};
    auto socket = node_->listen_in_pod_network(https_port);
    if (!socket)
      return socket.error();
    return plane_->add_listening_socket(socket->release());
  }

  result<nothing> start_operator_in_process(const config::settings& settings) {
    auto cluster = load_cluster_options(settings);
    if (!cluster)
      return cluster.error();
    cluster->progress_url =
        settings.progress_url.empty() ? report_url_ : settings.progress_url;
    auto process = actors::start_operator(operator_client_, settings, *cluster,
                                          nullptr, std::nullopt, "",
                                          /*reconcile_enabled=*/true, reports_);
    if (!process)
      return process.error();
    operator_ = std::move(*process);
    admin_url_ = local_admin_url_or_empty(settings, operator_->admin_port());
    plane_->set_local_operator({true, admin_url_});
    return nothing{};
  }

  /// Pods report how far their jobs are on this machine, or in their network.
  result<nothing> start_report_server() {
    auto now = std::chrono::system_clock::now();
    k8s::http::certificate_request wanted;
    wanted.common_name = "troupe";
    wanted.names = {"127.0.0.1", "localhost", subnet_.subnet.bridge_address()};
    wanted.not_before = now - std::chrono::hours{1};
    wanted.not_after = now + std::chrono::hours{10 * 365 * 24};
    wanted.is_authority = true;
    auto pair = k8s::http::make_certificate(
        wanted, k8s::http::key_algorithm::ecdsa_p256);
    if (!pair)
      return pair.error();
    reports_->set_authority(pair->certificate);
    auto server =
        actors::start_report_server("127.0.0.1:0", std::move(*pair), reports_);
    if (!server)
      return server.error();
    report_server_ = std::move(*server);
    auto address = "127.0.0.1:" + std::to_string(report_server_->port());
    if (has_pod_network()) {
      auto socket = node_->listen_in_pod_network(0);
      if (!socket)
        return socket.error();
      address = local_address_of_socket(socket->get());
      if (auto done = report_server_->add_listening_socket(socket->release());
          !done)
        return done;
    }
    report_url_ = "https://" + address + actors::reports_path;
    return nothing{};
  }

  /// Pods in a network of their own reach di-server there, with their own
  /// addresses.
  result<nothing> start_operator_with_pod_network(const local_options& o) {
    auto settings = o.settings;
    if (!o.is_di_server_access_said)
      settings.di_server_access = "job-pods";
    auto socket = node_->listen_in_pod_network(0);
    if (!socket)
      return socket.error();
    auto address = local_address_of_socket(socket->get());
    if (settings.di_server_address.empty())
      settings.di_server_address = address;
    if (settings.di_server_url.empty())
      settings.di_server_url = "http://" + address;
    if (auto opened = start_operator_in_process(settings); !opened)
      return opened;
    if (auto done =
            operator_->serve_di_server_or_close_socket(socket->release());
        !done)
      return done;
    return serve_di_server_at_known_ports();
  }

  /// Of the address that clusters have: programs may name it in their settings.
  result<nothing> serve_di_server_at_known_ports() {
    for (std::uint16_t port : {8080, 8081}) {
      auto socket = node_->listen_in_pod_network(port);
      if (!socket)
        return socket.error();
      if (auto done =
              operator_->serve_di_server_or_close_socket(socket->release());
          !done)
        return done;
    }
    return nothing{};
  }

  result<nothing> start_local_node(const local_options& o) {
    k8s::node::node_options node;
    node.run_directory = o.run_directory;
    std::error_code ignored;
    node.is_work_directory_written = !o.work_directory.empty();
    node.work_directory = node.is_work_directory_written
                              ? o.work_directory
                              : std::filesystem::current_path(ignored).string();
    if (!o.settings.cluster_domain.empty())
      node.cluster_domain = o.settings.cluster_domain;
    if (o.with_operator)
      node.host_services = {di_server_service};
    std::tie(node.api_server_host, node.api_server_port) =
        api_server_host_and_port();
    node_client_ = plane_->make_local_api(node_user(node.name));
    if (o.simulated) {
      node.max_pods = most_simulated_pods;
      node_ = k8s::node::start_simulated_node(node_client_, std::move(node),
                                              *o.simulated);
    } else {
      node.isolation = o.isolation;
      node.subnet = subnet_.subnet;
      node.claims.given = o.volumes;
      if (!o.data_directory.empty()) {
        auto data = std::filesystem::absolute(o.data_directory, ignored);
        node.claims.parent = data / "claims";
        node.hidden_directories = {data};
      }
      node.gpus = k8s::node::find_nvidia_gpus(
          "/dev", std::getenv("CUDA_VISIBLE_DEVICES"));
      auto started = k8s::node::start_node(node_client_, std::move(node));
      if (!started)
        return failure{started.error().code,
                       "node: " + started.error().message};
      node_ = std::move(*started);
      if (auto open = serve_pod_network_if_any(); !open)
        return open;
    }
    plane_->run_on_server_thread_and_wait(
        [this](k8s::apiserver::api_server& server) {
          server.set_log_source(node_.get());
          server.set_usage_source(node_.get());
          server.set_streaming_runtime(node_->streams());
        });
    return nothing{};
  }

  const k8s::node::pod_subnet_choice subnet_ =
      k8s::node::choose_pod_subnet(k8s::node::read_host_networks());
  std::unique_ptr<k8s::apiserver::control_plane> plane_;
  std::shared_ptr<k8s::api> node_client_;
  std::shared_ptr<k8s::node::node> node_;
  std::shared_ptr<k8s::api> client_;
  std::shared_ptr<k8s::api> operator_client_;
  std::shared_ptr<refused_calls> refused_ = std::make_shared<refused_calls>();
  std::shared_ptr<actors::report_route> reports_ =
      std::make_shared<actors::report_route>();
  std::unique_ptr<k8s::http::server> report_server_;
  std::string report_url_;
  std::unique_ptr<actors::operator_process> operator_;
  std::string admin_url_;
};

} // namespace

std::string describe_authorization(k8s::apiserver::authorization_mode mode) {
  if (mode != k8s::apiserver::authorization_mode::rbac)
    return "";
  return std::string{"RBAC: the operator is the service account "}
         + operator_namespace + "/" + operator_account
         + ", with the role of deploy/rbac.";
}

result<std::unique_ptr<local_cluster>> start_local_cluster(local_options o) {
  raise_open_file_limit();
  auto cluster = std::make_unique<running_cluster>();
  if (auto done = cluster->start_all_parts(o); !done)
    return done.error();
  return std::unique_ptr<local_cluster>{std::move(cluster)};
}

} // namespace troupe::cli
