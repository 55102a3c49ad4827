#pragma once

#include "k8s/calls.hpp"
#include "k8s/node/hosts_file.hpp"
#include "k8s/node/node.hpp"
#include "k8s/node/pod_address_allocator.hpp"
#include "k8s/node/pod_run.hpp"
#include "k8s/reflector.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <future>
#include <mutex>
#include <set>
#include <thread>

namespace troupe::k8s::node {

/// The node behind node.hpp. Everything but begin, stop and open runs on its
/// one thread. Split by subject: host_node.cpp (life), node_binding.cpp,
/// node_pods.cpp, node_names.cpp, node_logs.cpp.
class host_node : public node {
public:
  host_node(std::shared_ptr<api> client, node_options options);
  ~host_node() override { stop(); }

  std::optional<failure> begin();
  void stop() override;
  std::function<void()> open(const std::string& ns, const std::string& pod,
                             const std::string& container,
                             const log_options& options,
                             std::function<void(std::string)> chunk,
                             std::function<void(result<nothing>)> end) override;

private:
  /// One pod of ours.
  struct entry {
    std::shared_ptr<pod_run> run;
    bool started = false;
    bool leaving = false;         ///< Being deleted.
    bool writing = false;         ///< A status write is under way.
    std::optional<json> to_write; ///< The status to write next.
    json written;                 ///< The status computed last.
  };

  using answer_handler = std::function<void(const result<std::string>&)>;

  // Life.
  std::optional<failure> make_files();
  void register_node();
  void call_ignoring_answer(request r, answer_handler then);
  void call_ignoring_answer(request r) {
    call_ignoring_answer(std::move(r), [](const result<std::string>&) {});
  }
  void later(std::function<void()> task); ///< After a pause.
  void check_all_gone();

  // Pods.
  void saw_pod(const json& pod);
  void lost_pod(const json& pod);
  void schedule(const json& pod);
  void bind(const json& pod);
  void refuse(const json& pod, const std::string& why);
  void retry_waiting();
  bool is_full() const;
  void adopt(const json& pod);
  std::optional<failure> make_run(const json& pod, entry& e);
  pod_sandbox environment_of(const json& pod);
  void remove(const json& pod);
  void status_changed(const std::string& uid, const pod_runtime_status& v);
  void write_status(const std::string& uid);
  void after_binding(const json& pod, const result<std::string>& answer);
  void after_status(const std::string& uid, const json& status,
                    const result<std::string>& answer);
  void gone(const std::string& uid);
  void warn(const json& pod, const std::string& reason,
            const std::string& message);

  // Names, and what environments are made of.
  void saw_service(const json& service);
  void lost_service(const json& service);
  void hosts_changed();
  void write_hosts();
  void start_new_pods();
  void saw_source(const std::string& kind, const json& object);
  void read_sources(const std::string& ns,
                    std::vector<config_source_name> names,
                    std::function<void(config_sources)> then);
  std::string hosts_path(const std::string& ns) const {
    return options_.run_directory + "/hosts/" + ns;
  }

  // Logs.
  result<container_log*> find_log(const std::string& ns, const std::string& pod,
                                  const std::string& container, bool previous);

  std::shared_ptr<api> client_;
  node_options options_;
  // Answers may come after we are gone.
  std::shared_ptr<boost::asio::io_context> io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
      work_;
  boost::asio::steady_timer hosts_timer_;
  bool hosts_due_ = false;
  std::thread thread_;
  std::shared_ptr<reflector> pods_;
  std::shared_ptr<reflector> services_;
  std::vector<std::shared_ptr<reflector>> sources_; ///< ConfigMaps and Secrets.
  std::map<std::string, entry> runs_;               ///< By UID.
  std::set<std::string> binding_;                   ///< UIDs we asked to bind.
  std::map<std::string, json> waiting_;             ///< Pods that we refused.
  std::map<std::string, named_service> names_;      ///< By UID.
  pod_address_allocator addresses_;
  std::string preload_;
  std::string reaper_;
  std::string tools_;
  bool stopping_ = false;
  std::promise<void> all_gone_;
  bool all_gone_told_ = false;
  std::mutex open_mutex_;
  bool closed_ = false; ///< Nobody may open logs any more.
};

} // namespace troupe::k8s::node
