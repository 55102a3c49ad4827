#include "k8s/apiserver/control_plane.hpp"

#include "k8s/apiserver/local_api.hpp"
#include "k8s/apiserver/object_storage.hpp"
#include "k8s/apiserver/server_credentials.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/base64.hpp"
#include "k8s/http/certificate.hpp"
#include "k8s/text.hpp"

#include <boost/asio/ip/host_name.hpp>

#include <future>

namespace troupe::k8s::apiserver {

namespace {

constexpr auto watch_maintenance_period = std::chrono::seconds{1};

/// Who may ask, but for the secrets.
http::access_policy access_policy_without_secrets() {
  http::access_policy a;
  a.bodies = {"application/json", "application/yaml",
              "application/vnd.kubernetes.protobuf"};
  a.patches = {"application/json-patch+json", "application/merge-patch+json",
               "application/strategic-merge-patch+json",
               "application/apply-patch+yaml"};
  a.any_port = false;
  return a;
}

/// How pods call the API server.
const std::vector<std::string>& service_names() {
  static const std::vector<std::string> names{
      "kubernetes", "kubernetes.default", "kubernetes.default.svc",
      "kubernetes.default.svc.cluster.local"};
  return names;
}

/// The host of an address to listen on, without brackets.
std::string host_of(const std::string& address) {
  auto name = address.substr(0, address.rfind(':'));
  if (name.size() > 2 && name.front() == '[')
    name = name.substr(1, name.size() - 2);
  return name;
}

bool listens_everywhere(const std::string& address) {
  auto host = host_of(address);
  return host.empty() || host == "0.0.0.0" || host == "::";
}

/// As a client on this machine has to call the host.
std::string host_to_call(const std::string& address) {
  auto host = host_of(address);
  return listens_everywhere(address) || host == "localhost" ? "127.0.0.1"
                                                            : host;
}

/// What the server's certificate is for.
std::vector<std::string> certificate_names(const control_plane_options& o) {
  auto names = http::local_host_names();
  names.push_back(host_to_call(o.address));
  names.insert(names.end(), o.names.begin(), o.names.end());
  names.insert(names.end(), service_names().begin(), service_names().end());
  return names;
}

class served_control_plane : public control_plane {
public:
  served_control_plane(control_plane_options o,
                       std::unique_ptr<object_storage> storage,
                       server_credentials credentials)
      : options_(std::move(o))
      , credentials_(std::move(credentials))
      , storage_(std::move(storage))
      , api_server_(make_environment()) {}

  result<nothing> load() {
    return storage_ ? api_server_.load() : result<nothing>{nothing{}};
  }

  /// Before the socket is open; CRDs are requests like any other. Those that
  /// are there, from an earlier program, become those of this one.
  std::optional<failure> create_or_replace_definitions() {
    const std::string path =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for (const auto& text : options_.crds) {
      auto answer = handle("POST", path, text);
      if (answer.status == 409) {
        auto wanted = parse_json_or_null(text);
        auto own = path + "/" + text_at(wanted, {"metadata", "name"});
        auto current = parse_json_or_null(handle("GET", own, {}).body);
        current["spec"] = wanted["spec"];
        answer = handle("PUT", own, to_text(current));
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

  std::optional<failure> open() {
    auto who = access_policy_without_secrets();
    who.token = credentials_.token;
    who.token_user = administrator();
    who.find_user = [this](std::string_view token) {
      return api_server_.find_user(token);
    };
    who.self = credentials_.self;
    who.hosts = service_names();
    who.hosts.insert(who.hosts.end(), options_.names.begin(),
                     options_.names.end());
    who.hosts.push_back(lower_case(host()));
    auto s = http::listen(
        options_.address,
        [this](http::request r, const http::response_writer_ptr& x) {
          api_server_.serve(r, x);
        },
        options_.limits, std::move(who));
    if (!s)
      return s.error();
    server_ = std::move(*s);
    server_->post([this] {
      collect_garbage();
      maintain_watches();
    });
    return std::nullopt;
  }

  std::string server_url() const override { return "https://" + authority(); }
  std::string url_for_others() const override {
    boost::system::error_code unknown;
    auto name = boost::asio::ip::host_name(unknown);
    if (unknown || !listens_everywhere(options_.address))
      return "";
    return "https://" + name + ":" + std::to_string(server_->port());
  }
  std::string local_url() const override { return "http://" + authority(); }
  const std::string& token() const override { return credentials_.token; }
  result<nothing> accept_on(int socket) override {
    return server_->accept_on(socket);
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
    with_server([&](api_server&) {
      answer = handle("POST",
                      "/api/v1/namespaces/" + ns + "/serviceaccounts/" + name
                          + "/token",
                      to_text(wanted));
    });
    auto body = parse_json_or_null(answer.body);
    if (answer.status >= 300)
      return failure{ec::invalid, text_at(body, {"message"})};
    return text_at(body, {"status", "token"});
  }

  void with_server(const std::function<void(api_server&)>& f) override {
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
    e.storage = storage_.get();
    e.token_key = credentials_.token_key;
    e.certificate_authority = credentials_.authority.certificate;
    return e;
  }

  http::response handle(const char* method, const std::string& path,
                        const std::string& body) {
    http::request r;
    r.method = method;
    r.path = path;
    r.body = body;
    return api_server_.handle(r);
  }

  std::string host() const { return host_to_call(options_.address); }

  std::string authority() const {
    auto name = host();
    if (name.find(':') != name.npos)
      name = "[" + name + "]";
    return name + ":" + std::to_string(server_->port());
  }

  void collect_garbage() {
    api_server_.collect_garbage();
    server_->post_after(options_.garbage_collection_period,
                        [this] { collect_garbage(); });
  }

  void maintain_watches() {
    api_server_.maintain_watches();
    server_->post_after(watch_maintenance_period,
                        [this] { maintain_watches(); });
  }

  control_plane_options options_;
  server_credentials credentials_;
  std::unique_ptr<object_storage> storage_;
  // Outlives the HTTP server, whose thread is the one to use it.
  api_server api_server_;
  std::unique_ptr<http::server> server_;
};

} // namespace

result<std::unique_ptr<control_plane>>
start_control_plane(control_plane_options o) {
  std::unique_ptr<object_storage> storage;
  if (!o.data_directory.empty()) {
    auto opened = open_object_storage(o.data_directory);
    if (!opened)
      return opened.error();
    storage = std::move(*opened);
  }
  auto credentials = make_server_credentials(
      certificate_names(o), o.data_directory, std::chrono::system_clock::now());
  if (!credentials)
    return credentials.error();
  auto p = std::make_unique<served_control_plane>(
      std::move(o), std::move(storage), std::move(*credentials));
  if (auto done = p->load(); !done)
    return done.error();
  if (auto wrong = p->create_or_replace_definitions())
    return *wrong;
  if (auto wrong = p->open())
    return *wrong;
  return std::unique_ptr<control_plane>{std::move(p)};
}

} // namespace troupe::k8s::apiserver
