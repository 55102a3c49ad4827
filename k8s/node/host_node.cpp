#include "k8s/node/host_node.hpp"

#include "k8s/node/files.hpp"
#include "k8s/node/pod_fields.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <filesystem>
#include <sys/resource.h>

namespace troupe::k8s::node {

using namespace std::chrono_literals;

namespace {

constexpr auto call_limit = 30s;
constexpr auto retry_pause = 500ms;
constexpr auto stop_grace = 1s;
constexpr auto stop_limit = 4s;
constexpr const char* node_address = "127.0.0.1";

/// Each container takes three descriptors; the usual 1,024 are for programs
/// that use select.
void allow_many_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur,
                                    std::min<rlim_t>(limit.rlim_max, 65'536));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

host_node::host_node(std::shared_ptr<api> client, node_options options)
    : client_(std::move(client))
    , options_(std::move(options))
    , io_(std::make_shared<boost::asio::io_context>(1))
    , work_(boost::asio::make_work_guard(*io_))
    , hosts_timer_(*io_) {
  auto make = [this](const resource& what, reflector::handler seen,
                     reflector::handler lost) {
    return std::make_shared<reflector>(io_, client_,
                                       selection{what, "", "", ""},
                                       std::move(seen), std::move(lost));
  };
  pods_ = make(
      resources::pods, [this](const json& pod) { saw_pod(pod); },
      [this](const json& pod) { lost_pod(pod); });
  services_ = make(
      resources::services, [this](const json& s) { saw_service(s); },
      [this](const json& s) { lost_service(s); });
  for (const std::string kind : {"ConfigMap", "Secret"})
    sources_.push_back(make(
        config_source_resource(kind),
        [this, kind](const json& object) { saw_source(kind, object); },
        [](const json&) {})); // What is mounted stays.
}

std::optional<failure> host_node::begin() {
  if (auto bad = make_files())
    return bad;
  allow_many_descriptors();
  register_node();
  thread_ = std::thread([io = io_] { io->run(); });
  boost::asio::post(*io_, [this] {
    for (auto& s : sources_)
      s->start();
    services_->start();
    pods_->start();
  });
  return std::nullopt;
}

std::optional<failure> host_node::make_files() {
  const auto& dir = options_.run_directory;
  // LD_PRELOAD takes both for the end of a file name.
  if (dir.find_first_of(": ") != std::string::npos)
    return failure{ec::invalid, "the run directory \"" + dir
                                    + "\" must have neither blanks nor colons "
                                      "in its name; choose another"};
  for (auto sub : {"", "/logs", "/hosts", "/volumes", "/tools/path"})
    if (auto bad = make_directory(dir + sub))
      return bad;
  preload_ = dir + "/libtroupe_preload.so";
  reaper_ = dir + "/troupe-reaper";
  if (auto bad = write_file(preload_, preload_bytes(), 0700))
    return bad;
  tools_ = dir + "/tools";
  for (auto [file, bytes] :
       {std::pair{reaper_, reaper_bytes()},
        std::pair{tools_ + "/kubectl", kubectl_bytes()},
        std::pair{tools_ + "/deliver-kubectl", delivery_bytes()},
        std::pair{tools_ + "/path/nslookup", nslookup_bytes()}})
    if (auto bad = write_file(file, bytes, 0700))
      return bad;
  return std::nullopt;
}

void host_node::register_node() {
  json ready{{"type", "Ready"},
             {"status", "True"},
             {"reason", "HostProcesses"},
             {"message", "containers run as processes of this host"}};
  json status{{"conditions", json::array({ready})},
              {"addresses", json::array({{{"type", "InternalIP"},
                                          {"address", node_address}}})},
              {"capacity", {{"pods", std::to_string(options_.max_pods)}}}};
  json body{{"apiVersion", "v1"},
            {"kind", "Node"},
            {"metadata",
             {{"name", options_.name},
              {"labels", {{"kubernetes.io/hostname", options_.name}}}}}};
  const resource nodes{"", "v1", "nodes", "Node"};
  // It may be there already, from an earlier run.
  call_ignoring_answer(create(nodes, "", to_text(body)),
                       [this, nodes, status](const result<std::string>&) {
                         auto r = merge_patch({nodes, "", options_.name},
                                              to_text({{"status", status}}));
                         r.path += "/status";
                         call_ignoring_answer(std::move(r));
                       });
}

/// What `then` does happens on our thread, and so never after our end.
void host_node::call_ignoring_answer(request r, answer_handler then) {
  client_->send(std::move(r), call_limit,
                [io = io_, then = std::move(then)](result<std::string> answer) {
                  boost::asio::post(*io, [then, answer = std::move(answer)] {
                    then(answer);
                  });
                });
}

void host_node::later(std::function<void()> task) {
  auto timer = std::make_shared<boost::asio::steady_timer>(*io_, retry_pause);
  timer->async_wait([timer, task = std::move(task)](auto error) {
    if (!error)
      task();
  });
}

void host_node::stop() {
  if (!thread_.joinable())
    return;
  boost::asio::post(*io_, [this] {
    pods_->stop();
    services_->stop();
    for (auto& s : sources_)
      s->stop();
    stopping_ = true;
    for (auto& [uid, p] : runs_)
      p.run->terminate(stop_grace);
    check_all_gone();
  });
  all_gone_.get_future().wait_for(stop_limit);
  {
    // Those that were opened until now are answered, later ones are refused.
    std::lock_guard guard{open_mutex_};
    closed_ = true;
  }
  boost::asio::post(*io_, [this] {
    runs_.clear(); // Kills what is left.
    io_->stop();
  });
  thread_.join();
  hosts_timer_.cancel();
}

void host_node::check_all_gone() {
  if (stopping_ && runs_.empty() && !std::exchange(all_gone_told_, true))
    all_gone_.set_value();
}

result<std::shared_ptr<node>> start_node(std::shared_ptr<api> client,
                                         node_options options) {
  if (options.run_directory.empty())
    return failure{ec::invalid, "the node needs a run directory"};
  // Containers work elsewhere.
  std::error_code wrong;
  namespace fs = std::filesystem;
  options.run_directory = fs::absolute(options.run_directory, wrong).string();
  if (!wrong && options.work_directory.empty())
    options.work_directory = fs::current_path(wrong).string();
  if (wrong)
    return failure{ec::invalid,
                   "cannot tell the current directory: " + wrong.message()};
  auto made =
      std::make_shared<host_node>(std::move(client), std::move(options));
  if (auto bad = made->begin())
    return *bad;
  return std::shared_ptr<node>(std::move(made));
}

} // namespace troupe::k8s::node
