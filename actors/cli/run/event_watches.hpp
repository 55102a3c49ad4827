#pragma once

#include "k8s/api.hpp"
#include "k8s/watch/reflector.hpp"

#include <boost/asio/io_context.hpp>
#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::cli {

/// Watches the events of each namespace that has a job of the run, and gives
/// each event to the job that the event's name belongs to. For the thread that
/// runs the io_context.
class event_watches {
public:
  using handler = std::function<void(const nlohmann::json&)>;

  /// Must be called before start(). Jobs of two kinds may have the same name.
  void add_job(const std::string& ns, const std::string& name, handler seen);

  void start(const std::shared_ptr<boost::asio::io_context>& io,
             const std::shared_ptr<k8s::api>& client,
             const k8s::reflector::failure_handler& list_failed);
  void stop();

  /// Calls the handlers of the jobs that the event is about: of "a-b-worker-0"
  /// those of jobs "a-b", and if there are none, those of jobs "a".
  void call_handlers_of_job_by_prefix(const std::string& ns,
                                      const nlohmann::json& event) const;

private:
  using handlers_by_name = std::map<std::string, std::vector<handler>>;

  std::map<std::string, handlers_by_name> jobs_; ///< By namespace.
  std::vector<std::shared_ptr<k8s::reflector>> watches_;
};

} // namespace troupe::cli
