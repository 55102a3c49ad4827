#include "actors/process/operator_process.hpp"

#include "actors/admin/admin.hpp"
#include "actors/admin/admin_server.hpp"
#include "actors/admin/job_list.hpp"
#include "actors/di_server/di_server_listener.hpp"
#include "actors/metrics/metrics.hpp"
#include "actors/metrics/scraper.hpp"
#include "actors/process/health_monitor.hpp"
#include "actors/process/operator_options.hpp"
#include "actors/process/root.hpp"
#include "actors/webhook/webhook_server.hpp"
#include "config/logging.hpp"
#include "config/settings_text.hpp"
#include "k8s/http/access.hpp"
#include "k8s/http/server.hpp"

#include <future>
#include <mutex>
#include <random>
#include <thread>
#include <unistd.h>

namespace troupe::actors {

namespace {

namespace http = k8s::http;

/// For the admission reviews that are there at the end, each of which takes
/// milliseconds.
constexpr std::chrono::seconds webhook_drain_limit{1};

double random_between_0_and_1() {
  thread_local std::minstd_rand source{std::random_device{}()};
  return std::uniform_real_distribution<double>{0, 1}(source);
}

unsigned usable_cores() {
  return std::max(1u, std::thread::hardware_concurrency());
}

struct system_config : caf::actor_system_config {
  explicit system_config(const config::settings& s) {
    set("scheduler.max-threads",
        std::size_t{s.effective_actor_threads(usable_cores())});
    // Fairness: a busy actor lets others run after this many messages.
    set("scheduler.max-throughput", std::size_t{300});
    set("scheduler.policy", caf::atom("sharing"));
  }
};

/// Of probes and of metrics: a kubelet, a Prometheus, and whoever reaches the
/// pod. None of their requests has a body that is read.
http::limits probe_limits() {
  http::limits l;
  l.header_bytes = 16u << 10;
  l.request_time = std::chrono::seconds{5};
  l.idle_time = std::chrono::seconds{60};
  l.write_time = std::chrono::seconds{10};
  l.connections = 200;
  l.connections_per_client = 50;
  l.request_bytes = 16u << 20;
  l.request_bytes_per_client = 8u << 20;
  return l;
}

http::access_policy access_without_bodies() {
  http::access_policy a;
  a.body_limit = [](const http::request&) { return std::size_t{0}; };
  return a;
}

http::response text_response(int status, std::string body) {
  http::response r;
  r.status = status;
  r.content_type = "text/plain; charset=utf-8";
  r.body = std::move(body);
  return r;
}

/// For what the last requests to di-server have led to.
constexpr std::chrono::seconds di_server_drain_limit{1};

/// nullptr if it is off, or if no DIJobs are looked after.
k8s::result<std::unique_ptr<di_server_listener>>
open_di_server_if_enabled(const config::settings& s) {
  if (!is_di_server_enabled(s))
    return std::unique_ptr<di_server_listener>{};
  return di_server_listener::open(s.di_server_bind_address,
                                  s.di_server_access == "anybody");
}

/// Each replica writes the annotations of all of these on the Lease.
void add_to_lease(
    lease_config& lease, const std::map<std::string, std::string>& annotations,
    std::function<void(bool leads, const std::string& lease)> observed) {
  lease.annotations.insert(annotations.begin(), annotations.end());
  lease.observed = [first = std::move(lease.observed),
                    then = std::move(observed)](bool leads,
                                                const std::string& text) {
    if (first)
      first(leads, text);
    then(leads, text);
  };
}

/// Makes this replica hand reports on to the leader while it does not lead.
void forward_reports_to_leader(report_route& reports, const config::settings& s,
                               election_config& election,
                               const std::string& webhook_namespace) {
  auto leader = std::make_shared<report_leader>(advertised_leader_address(
      s.di_server_advertise_host, static_cast<std::uint16_t>(s.webhook_port)));
  add_to_lease(election.lease, leader->lease_annotations(),
               [leader](bool leads, const std::string& lease) {
                 leader->on_lease_observed(leads, lease);
               });
  reports.forward_to_leader(leader, webhook_hosts(s, webhook_namespace)[0]);
}

/// Makes this replica forward requests to the leader while it does not lead,
/// and `election` write its address on the Lease.
k8s::result<forwarding_key_config> configure_leader_forwarding(
    di_server_listener& listener, const config::settings& s,
    election_config& election, const std::string& webhook_namespace) {
  auto term = http::make_bearer_token();
  if (!term)
    return term.error();
  auto leader = std::make_shared<di_server_leader>(
      advertised_leader_address(s.di_server_advertise_host, listener.port()),
      std::move(*term));
  add_to_lease(election.lease, leader->lease_annotations(),
               [leader](bool leads, const std::string& lease) {
                 leader->on_lease_observed(leads, lease);
               });
  listener.set_leader_to_forward_to(leader);
  forwarding_key_config key;
  key.ns =
      webhook_namespace.empty() ? election.lease.lease.ns : webhook_namespace;
  key.secret = s.webhook_secret;
  key.use_key = [leader](std::string text) {
    leader->set_key(std::move(text));
  };
  return key;
}

class running_operator : public operator_process {
public:
  running_operator(std::shared_ptr<k8s::api> client, const config::settings& s,
                   const core::cluster_options& cluster,
                   std::shared_ptr<const k8s::request_counts> answers,
                   std::optional<election_config> election,
                   const std::string& webhook_namespace,
                   std::unique_ptr<di_server_listener> di_server,
                   std::optional<forwarding_key_config> forwarding,
                   bool reconcile_enabled,
                   std::shared_ptr<report_route> reports)
      : drain_limit_(s.stop_limit)
      , reconcile_enabled_(reconcile_enabled)
      , settings_(std::make_shared<current_settings>())
      , cluster_(cluster)
      , counters_(std::make_shared<metrics>())
      , ready_(std::make_shared<std::atomic<bool>>(false))
      , health_record_(
            std::make_shared<shared_health>(std::chrono::steady_clock::now()))
      , webhooks_ready_(
            std::make_shared<std::atomic<bool>>(webhook_namespace.empty()))
      , di_server_(std::move(di_server))
      , config_(s)
      , system_(std::make_unique<caf::actor_system>(config_)) {
    settings_->values = s;
    auto api_server = answers ? answers->host() : std::string{};
    counters_->set_request_counts(std::move(answers));
    for (const auto* kind : enabled_kinds(s))
      counters_->reconcile_meter_of(kind->effective_metrics_source(),
                                    s.effective_actor_threads(usable_cores()));
    root_config config;
    config.client = client;
    config.options = make_options(s);
    config.counters = counters_;
    jobs_ = system_->spawn(job_list);
    config.jobs = jobs_;
    auto clock = [] { return std::chrono::system_clock::now(); };
    config.clock = clock;
    config.jitter = random_between_0_and_1;
    config.kinds = enabled_kinds(s);
    config.ready = ready_;
    config.election = std::move(election);
    if (!webhook_namespace.empty()) {
      config.webhooks = make_rotator_config(s, webhook_namespace);
      config.webhooks->ready = webhooks_ready_;
      config.webhooks->use_certificate =
          [this](const http::certificate_pair& pair) {
            return webhook_server_->use_certificate(pair);
          };
      if (reports)
        config.webhooks->use_authorities = [reports](const std::string& pem) {
          reports->set_authority(pem);
        };
      webhook_hosts_ = config.webhooks->certificates.hosts;
    }
    config.forwarding = std::move(forwarding);
    if (reconcile_enabled && parse_kueue_mode(s.kueue) != kueue_mode::off) {
      config.queueing = make_queueing_probe_config(s, config.kinds);
      known_queueing_ =
          std::make_shared<known_queueing>(config.options->cluster.queueing);
      config.known = known_queueing_;
    }
    if (reconcile_enabled)
      config.other = make_other_operator_config(s, config.kinds);
    auto addresses = di_server_ ? std::make_shared<job_pod_addresses>()
                                : std::shared_ptr<job_pod_addresses>{};
    config.pod_addresses = addresses;
    config.reports = reports;
    reports_ = std::move(reports);
    root_ = system_->spawn(root, std::move(config));
    scraper_ = system_->spawn(scraper, root_, counters_, clock);
    health_monitor_ = system_->spawn(health_monitor, root_, health_record_);
    auto settings = [current = settings_] {
      std::lock_guard guard{current->mutex};
      return config::to_json(current->values);
    };
    admin_ = system_->spawn(admin, admin_config{root_, jobs_, settings, clock,
                                                std::move(api_server),
                                                std::move(client)});
    if (di_server_) {
      di_server_->set_admitted_addresses(addresses);
      replicas_ = system_->spawn(actors::di_server, root_, addresses);
    }
  }

  ~running_operator() override { stop(); }

  /// Nothing works before this; whatever it opened, stop() closes.
  k8s::result<k8s::nothing>
  open_servers_and_start_actors(const config::settings& s) {
    auto serve = [](const char* setting, const std::string& address,
                    std::unique_ptr<http::server>& into,
                    http::handler h) -> k8s::result<k8s::nothing> {
      if (address.empty() || address == "0")
        return k8s::nothing{};
      auto server = http::listen(address, std::move(h), probe_limits(),
                                 access_without_bodies());
      if (!server)
        return k8s::failure{server.error().code, std::string{setting} + ": "
                                                     + server.error().message};
      into = std::move(*server);
      return k8s::nothing{};
    };
    for (const auto& opened :
         {serve("--health-probe-bind-address", s.health_address, health_,
                health_handler()),
          serve("--metrics-bind-address", s.metrics_address, metrics_,
                metrics_handler()),
          serve_admin_endpoint_if_enabled(s)})
      if (!opened)
        return opened.error();
    if (!webhook_hosts_.empty()) {
      auto server = start_webhook_server(":" + std::to_string(s.webhook_port),
                                         webhook_hosts_, enabled_kinds(s),
                                         counters_, reports_, known_queueing_);
      if (!server)
        return k8s::failure{server.error().code,
                            "--webhook-server-port: " + server.error().message};
      webhook_server_ = std::move(*server);
    }
    caf::anon_send(root_, atom::start::value);
    caf::anon_send(health_monitor_, timer_fired{0});
    if (di_server_)
      di_server_->set_di_server_actor(replicas_, counters_);
    return k8s::nothing{};
  }

  void stop() override {
    if (!system_)
      return;
    log::info("stopping", {});
    if (di_server_)
      di_server_->drain(di_server_drain_limit);
    {
      caf::scoped_actor self{*system_};
      self->request(root_, drain_limit_, drain{})
          .receive(
              [](drained) {},
              [](caf::error&) {
                log::warn(
                    "calls in flight did not finish before the stop limit");
              });
    }
    admin_server_.reset();
    metrics_.reset();
    health_.reset();
    caf::anon_send_exit(root_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(admin_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(jobs_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(scraper_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(health_monitor_, caf::exit_reason::user_shutdown);
    if (replicas_)
      caf::anon_send_exit(replicas_, caf::exit_reason::user_shutdown);
    replicas_ = nullptr;
    root_ = nullptr;
    admin_ = nullptr;
    jobs_ = nullptr;
    scraper_ = nullptr;
    health_monitor_ = nullptr;
    system_.reset(); // Waits for the actors.
    di_server_.reset();
    // Last: API servers ask until they have heard that this process ends.
    if (webhook_server_)
      webhook_server_->drain(webhook_drain_limit);
    webhook_server_.reset();
  }

  void apply_changed_settings(const config::settings& s) override {
    {
      std::lock_guard guard{settings_->mutex};
      settings_->values = s;
    }
    if (system_)
      caf::anon_send(root_, actor_options_changed{make_options(s)});
  }

  bool is_ready() const override {
    return *ready_ && *webhooks_ready_
           && readiness_problem(*health_record_).empty();
  }
  std::uint16_t admin_port() const override {
    return port_or_zero(admin_server_);
  }

  k8s::result<k8s::nothing>
  serve_di_server_or_close_socket(int socket) override {
    if (di_server_)
      return di_server_->serve_on_socket(socket);
    ::close(socket);
    return k8s::nothing{};
  }

private:
  std::shared_ptr<const actor_options>
  make_options(const config::settings& s) const {
    return std::make_shared<actor_options>(
        make_actor_options(s, cluster_, usable_cores(), reconcile_enabled_));
  }

  static std::uint16_t port_or_zero(const std::unique_ptr<http::server>& s) {
    return s ? s->port() : 0;
  }

  k8s::result<k8s::nothing>
  serve_admin_endpoint_if_enabled(const config::settings& s) {
    if (s.admin_address.empty() || s.admin_address == "0")
      return k8s::nothing{};
    auto server = start_admin_server(
        s.admin_address,
        {s.admin_token_file, s.admin_tls_cert_file, s.admin_tls_key_file},
        admin_handler());
    if (!server)
      return server.error();
    admin_server_ = std::move(*server);
    return k8s::nothing{};
  }

  static std::string readiness_problem(shared_health& health) {
    std::lock_guard guard{health.mutex};
    return health.record.readiness_problem();
  }

  static std::string liveness_problem(shared_health& health) {
    std::lock_guard guard{health.mutex};
    return health.record.liveness_problem(std::chrono::steady_clock::now());
  }

  http::handler health_handler() const {
    auto ok_unless = [](const std::string& problem) {
      return problem.empty() ? text_response(200, "ok")
                             : text_response(503, problem);
    };
    return [ok_unless, ready = ready_, webhooks_ready = webhooks_ready_,
            health = health_record_](const http::request& q,
                                     http::response_writer_ptr back) {
      if (q.path == "/healthz")
        back->reply(ok_unless(liveness_problem(*health)));
      else if (q.path == "/readyz")
        back->reply(ok_unless(!*webhooks_ready ? "certificates are not ready"
                              : !*ready        ? "waiting for watches to sync"
                                               : readiness_problem(*health)));
      else
        back->reply(text_response(404, "ask /healthz or /readyz\n"));
    };
  }

  http::handler metrics_handler() const {
    return [this](const http::request& q, http::response_writer_ptr back) {
      if (q.path != "/metrics") {
        back->reply(text_response(404, "ask /metrics\n"));
        return;
      }
      counters_->set_ready(is_ready());
      caf::anon_send(scraper_, scrape{std::move(back)});
    };
  }

  http::handler admin_handler() const {
    return [who = admin_](http::request q, http::response_writer_ptr back) {
      caf::anon_send(who, admin_request{std::move(q), std::move(back)});
    };
  }

  /// Shared with the admin actor.
  struct current_settings {
    std::mutex mutex;
    config::settings values;
  };

  std::chrono::milliseconds drain_limit_;
  bool reconcile_enabled_;
  std::shared_ptr<current_settings> settings_;
  core::cluster_options cluster_;
  std::shared_ptr<metrics> counters_;
  std::shared_ptr<std::atomic<bool>> ready_;
  std::shared_ptr<shared_health> health_record_;
  std::shared_ptr<std::atomic<bool>> webhooks_ready_;
  std::vector<std::string> webhook_hosts_;         ///< Empty: no webhooks.
  std::shared_ptr<known_queueing> known_queueing_; ///< Null: it is off.
  std::unique_ptr<di_server_listener> di_server_;  ///< Null if it is off.
  system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  root_actor root_;
  job_list_actor jobs_;
  admin_actor admin_;
  scraper_actor scraper_;
  health_monitor_actor health_monitor_;
  di_server_actor replicas_;
  std::shared_ptr<report_route> reports_;        ///< Null: pods cannot report.
  std::unique_ptr<http::server> webhook_server_; ///< Outlives the actors.
  std::unique_ptr<http::server> health_;
  std::unique_ptr<http::server> metrics_;
  std::unique_ptr<http::server> admin_server_;
};

} // namespace

k8s::result<std::unique_ptr<operator_process>>
start_operator(std::shared_ptr<k8s::api> client, const config::settings& s,
               const core::cluster_options& cluster,
               std::shared_ptr<const k8s::request_counts> answers,
               std::optional<election_config> election,
               const std::string& webhook_namespace, bool reconcile_enabled,
               std::shared_ptr<report_route> reports) {
  auto di_server = open_di_server_if_enabled(s);
  if (!di_server)
    return di_server.error();
  std::optional<forwarding_key_config> forwarding;
  if (*di_server && election && election->required) {
    auto made = configure_leader_forwarding(**di_server, s, *election,
                                            webhook_namespace);
    if (!made)
      return made.error();
    forwarding = std::move(*made);
  }
  auto options =
      *di_server ? fill_in_di_server_addresses(cluster, s, (*di_server)->port())
                 : cluster;
  if (!reports && !webhook_namespace.empty() && reconcile_enabled) {
    reports = std::make_shared<report_route>();
    options.progress_url = report_url(s, webhook_namespace);
    if (election && election->required)
      forward_reports_to_leader(*reports, s, *election, webhook_namespace);
  }
  auto result = std::make_unique<running_operator>(
      std::move(client), s, options, std::move(answers), std::move(election),
      webhook_namespace, std::move(*di_server), std::move(forwarding),
      reconcile_enabled, std::move(reports));
  if (auto opened = result->open_servers_and_start_actors(s); !opened)
    return opened.error();
  return std::unique_ptr<operator_process>(std::move(result));
}

} // namespace troupe::actors
