#include "actors/cli/run/event_watches.hpp"

#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <utility>

namespace troupe::cli {

void event_watches::add_job(const std::string& ns, const std::string& name,
                            handler seen) {
  jobs_[ns][name].push_back(std::move(seen));
}

void event_watches::start(const std::shared_ptr<boost::asio::io_context>& io,
                          const std::shared_ptr<k8s::api>& client,
                          const k8s::reflector::failure_handler& list_failed) {
  for (const auto& [ns, jobs] : jobs_) {
    auto seen = [this, where = ns](const nlohmann::json& event) {
      call_handlers_of_job_by_prefix(where, event);
    };
    watches_.push_back(std::make_shared<k8s::reflector>(
        io, client, k8s::selection{k8s::resources::events, ns, "", ""}, seen,
        [](const nlohmann::json&) {}, list_failed));
    watches_.back()->start();
  }
}

void event_watches::stop() {
  for (auto& watch : watches_)
    watch->stop();
}

void event_watches::call_handlers_of_job_by_prefix(
    const std::string& ns, const nlohmann::json& event) const {
  auto jobs = jobs_.find(ns);
  if (jobs == jobs_.end())
    return;
  auto name = k8s::text_at(event, {"involvedObject", "name"});
  while (true) {
    if (auto found = jobs->second.find(name); found != jobs->second.end()) {
      for (const auto& seen : found->second)
        seen(event);
      return;
    }
    auto dash = name.rfind('-');
    if (dash == std::string::npos)
      return;
    name.resize(dash);
  }
}

} // namespace troupe::cli
