#include "k8s/apiserver/control_plane.hpp"

#include "k8s/apiserver/local_api.hpp"
#include "k8s/apiserver/server_credentials.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/apiserver/storage/object_database.hpp"
#include "k8s/general/addresses.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/http/certificate.hpp"
#include "k8s/text.hpp"

#include <boost/asio/ip/host_name.hpp>

#include <future>

namespace troupe::k8s::apiserver {

namespace {

constexpr auto watch_maintenance_period = std::chrono::seconds{1};

/// Who may ask, but for the secrets.
http::access_policy base_access_policy() {
  http::access_policy a;
  a.body_media_types = {"application/json", "application/yaml",
                        "application/vnd.kubernetes.protobuf"};
  a.patch_media_types = {
      "application/json-patch+json", "application/merge-patch+json",
      "application/strategic-merge-patch+json", "application/apply-patch+yaml"};
  a.any_port = false;
  return a;
}

/// How pods call the API server.
const std::vector<std::string>& kubernetes_service_names() {
  static const std::vector<std::string> names{
      "kubernetes", "kubernetes.default", "kubernetes.default.svc",
      "kubernetes.default.svc.cluster.local"};
  return names;
}

bool is_wildcard_address(const std::string& address) {
  auto host = split_host_and_port(address).first;
  return host.empty() || host == "0.0.0.0" || host == "::";
}

/// As a client on this machine has to call the host.
std::string host_for_local_clients(const std::string& address) {
  auto host = split_host_and_port(address).first;
  return is_wildcard_address(address) || host == "localhost" ? "127.0.0.1"
                                                             : host;
}

/// What the server's certificate is for.
std::vector<std::string>
server_certificate_names(const control_plane_options& o) {
  auto names = http::local_host_names_and_addresses();
  names.push_back(host_for_local_clients(o.address));
  names.insert(names.end(), o.names.begin(), o.names.end());
  names.insert(names.end(), kubernetes_service_names().begin(),
               kubernetes_service_names().end());
  return names;
}

class served_control_plane : public control_plane {
public:
  served_control_plane(control_plane_options o,
                       std::unique_ptr<object_database> database,
                       server_credentials credentials)
      : options_(std::move(o))
      , credentials_(std::move(credentials))
      , database_(std::move(database))
      , api_server_(make_environment()) {}

  result<nothing> load() {
    return database_ ? api_server_.load() : result<nothing>{nothing{}};
  }

  /// Before the socket is open; CRDs are requests like any other. Those that
  /// are there, from an earlier program, become those of this one.
  std::optional<failure> create_or_update_crds() {
    const std::string path =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for (const auto& text : options_.crds) {
      auto answer = handle_without_user("POST", path, text);
      if (answer.status == 409) {
        auto wanted = parse_json_or_null(text);
        auto own = path + "/" + text_at(wanted, {"metadata", "name"});
        auto current =
            parse_json_or_null(handle_without_user("GET", own, {}).body);
        current["spec"] = wanted["spec"];
        answer = handle_without_user("PUT", own, to_text(current));
      }
      if (answer.status < 300)
        continue;
      auto status = parse_json(answer.body);
      return failure{ec::invalid,
                     "a custom resource definition is refused: "
                         + (status ? text_at(*status, {"message"}) : "")};
    }
    return std::nullopt;
  }

  std::optional<failure> start_server_and_periodic_tasks() {
    auto access = base_access_policy();
    access.token = credentials_.token;
    access.token_user = admin_user();
    access.find_user_by_token = [this](std::string_view token) {
      return api_server_.find_account_by_token(token);
    };
    access.server_certificate = credentials_.server_certificate;
    access.hosts = kubernetes_service_names();
    access.hosts.insert(access.hosts.end(), options_.names.begin(),
                        options_.names.end());
    access.hosts.push_back(lower_case(host()));
    auto s = http::listen(
        options_.address,
        [this](http::request r, const http::response_writer_ptr& writer) {
          if (r.path == operator_path && r.method == "GET"
              && r.user == admin_user())
            writer->reply(operator_response());
          else
            api_server_.serve(r, writer);
        },
        options_.limits, std::move(access));
    if (!s)
      return s.error();
    server_ = std::move(*s);
    server_->post([this] {
      api_server_.set_on_job_work([this] { post_job_turn_once(); });
      post_job_turn_once();
      collect_garbage_periodically();
      maintain_watches_periodically();
    });
    return std::nullopt;
  }

  std::string server_url() const override {
    return "https://" + host_and_port();
  }
  std::string url_for_other_machines_or_empty() const override {
    boost::system::error_code unknown;
    auto name = boost::asio::ip::host_name(unknown);
    if (unknown || !is_wildcard_address(options_.address))
      return "";
    return "https://" + name + ":" + std::to_string(server_->port());
  }
  std::string local_http_url() const override {
    return "http://" + host_and_port();
  }
  std::vector<std::string> data_damage() const override {
    return database_ ? database_->damage() : std::vector<std::string>{};
  }
  const std::string& token() const override { return credentials_.token; }
  result<nothing> add_listening_socket(int socket) override {
    return server_->add_listening_socket(socket);
  }

  std::string kubeconfig() const override {
    return "apiVersion: v1\n"
           "kind: Config\n"
           "clusters:\n"
           "- name: troupe\n"
           "  cluster:\n"
           "    certificate-authority-data: "
           + to_base64(credentials_.authority.certificate)
           + "\n"
             "    server: "
           + server_url()
           + "\n"
             "users:\n"
             "- name: troupe\n"
             "  user:\n"
             "    token: "
           + token()
           + "\n"
             "contexts:\n"
             "- name: troupe\n"
             "  context:\n"
             "    cluster: troupe\n"
             "    user: troupe\n"
             "    namespace: default\n"
             "current-context: troupe\n";
  }

  std::unique_ptr<api> make_local_api(user_ptr user) override {
    return apiserver::make_local_api(
        api_server_,
        [this](std::function<void()> task) { server_->post(std::move(task)); },
        std::move(user));
  }

  result<std::string>
  make_service_account_token(const std::string& ns, const std::string& name,
                             std::chrono::seconds lifetime) override {
    json wanted{{"spec", {{"expirationSeconds", lifetime.count()}}}};
    http::response answer;
    run_on_server_thread_and_wait([&](api_server&) {
      answer = handle_without_user("POST",
                                   "/api/v1/namespaces/" + ns
                                       + "/serviceaccounts/" + name + "/token",
                                   to_text(wanted));
    });
    auto body = parse_json_or_null(answer.body);
    if (answer.status >= 300)
      return failure{ec::invalid, text_at(body, {"message"})};
    return text_at(body, {"status", "token"});
  }

  void set_local_operator(local_operator o) override {
    run_on_server_thread_and_wait(
        [&](api_server&) { operator_ = std::move(o); });
  }

  void run_on_server_thread_and_wait(
      const std::function<void(api_server&)>& f) override {
    std::promise<void> done;
    server_->post([&] {
      f(api_server_);
      done.set_value();
    });
    done.get_future().wait();
  }

private:
  server_environment make_environment() const {
    auto e = options_.environment;
    e.database = database_.get();
    e.token_key = credentials_.token_key;
    e.certificate_authority = credentials_.authority.certificate;
    return e;
  }

  http::response operator_response() const {
    http::response out;
    out.body = to_text(
        json{{"operator", operator_.is_there}, {"admin", operator_.admin_url}});
    return out;
  }

  http::response handle_without_user(const char* method,
                                     const std::string& path,
                                     const std::string& body) {
    http::request r;
    r.method = method;
    r.path = path;
    r.body = body;
    return api_server_.handle(r);
  }

  std::string host() const { return host_for_local_clients(options_.address); }

  std::string host_and_port() const {
    auto name = host();
    if (name.find(':') != name.npos)
      name = "[" + name + "]";
    return name + ":" + std::to_string(server_->port());
  }

  void collect_garbage_periodically() {
    api_server_.collect_garbage();
    server_->post_after(options_.garbage_collection_period,
                        [this] { collect_garbage_periodically(); });
  }

  /// Other requests are answered between two turns.
  void post_job_turn_once() {
    if (!std::exchange(is_job_turn_posted_, true))
      server_->post([this] { run_jobs(); });
  }

  void run_jobs() {
    is_job_turn_posted_ = false;
    auto next = api_server_.run_jobs();
    if (!next)
      return;
    auto wait = std::chrono::ceil<std::chrono::milliseconds>(
        *next - std::chrono::system_clock::now());
    if (wait.count() <= 0)
      return post_job_turn_once();
    if (next_job_turn_ && *next_job_turn_ <= *next)
      return; // A timer of an earlier turn will do.
    next_job_turn_ = next;
    server_->post_after(
        std::min<std::chrono::milliseconds>(wait, std::chrono::hours{1}),
        [this] {
          next_job_turn_.reset();
          run_jobs();
        });
  }

  void maintain_watches_periodically() {
    api_server_.end_expired_watches_and_send_bookmarks();
    server_->post_after(watch_maintenance_period,
                        [this] { maintain_watches_periodically(); });
  }

  control_plane_options options_;
  server_credentials credentials_;
  std::unique_ptr<object_database> database_;
  // Outlives the HTTP server, whose thread is the one to use it.
  api_server api_server_;
  local_operator operator_;
  bool is_job_turn_posted_ = false;
  std::optional<time_point> next_job_turn_; ///< When a timer runs out.
  std::unique_ptr<http::server> server_;
};

} // namespace

result<std::unique_ptr<control_plane>>
start_control_plane(control_plane_options o) {
  std::unique_ptr<object_database> database;
  if (!o.data_directory.empty()) {
    auto opened = open_object_database(o.data_directory);
    if (!opened)
      return opened.error();
    database = std::move(*opened);
  }
  auto credentials = load_or_create_server_credentials(
      server_certificate_names(o), o.data_directory,
      std::chrono::system_clock::now());
  if (!credentials)
    return credentials.error();
  auto p = std::make_unique<served_control_plane>(
      std::move(o), std::move(database), std::move(*credentials));
  if (auto done = p->load(); !done)
    return done.error();
  if (auto wrong = p->create_or_update_crds())
    return *wrong;
  if (auto wrong = p->start_server_and_periodic_tasks())
    return *wrong;
  return std::unique_ptr<control_plane>{std::move(p)};
}

} // namespace troupe::k8s::apiserver
