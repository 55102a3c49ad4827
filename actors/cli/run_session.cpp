#include "actors/cli/run_session.hpp"

#include "actors/admin/terminal_text.hpp"
#include "frameworks/registry.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::cli {

using actors::log_line_text;
using actors::strip_control_characters;
using nlohmann::json;

namespace {

constexpr std::chrono::seconds usage_period{2};
constexpr std::chrono::seconds request_patience{10};

const k8s::resource pod_metrics{"metrics.k8s.io", "v1beta1", "pods",
                                "PodMetrics"};

/// The label of the job's pods that has its name.
std::string pod_selector(const job_manifest& job) {
  const auto* kind = frameworks::find(job.api_version, job.kind);
  if (!kind)
    kind = frameworks::find(job.kind);
  return kind->labels.job_name + ("=" + job.name);
}

} // namespace

run_session::run_session(std::shared_ptr<k8s::api> client,
                         const job_manifest& about, k8s::resource type,
                         std::string logs, bool timestamps, screen& out)
    : io_(std::make_shared<boost::asio::io_context>())
    , work_(io_->get_executor())
    , client_(std::move(client))
    , logs_wanted_(std::move(logs))
    , timestamps_(timestamps)
    , name_(about.name)
    , out_(out)
    , progress_(about.kind, about.ns, about.name)
    , timeline_(about.kind, about.name)
    , pods_request_(k8s::list(
          {k8s::resources::pods, about.ns, pod_selector(about), ""}, 0, ""))
    , usage_request_(
          k8s::list({pod_metrics, about.ns, pod_selector(about), ""}, 0, ""))
    , usage_timer_(*io_)
    , logs_(
          io_, client_, about.ns,
          [this](const replica_view& whose, const std::string& line) {
            print_log_line(whose.slot, line);
          },
          timestamps) {
  using clock = std::chrono::system_clock;
  auto job = [this](const json& j) {
    print(progress_.job_seen(j));
    timeline_.job_seen(progress_.job(), clock::now());
  };
  auto job_deleted = [this](const json&) { print(progress_.job_deleted()); };
  auto pod = [this](const json& j) {
    if (!are_pods_read_) // Else it may be older than what was read.
      see_pod(j);
  };
  auto pod_gone = [this](const json& j) {
    print_pod_events(progress_.pod_deleted(j));
    timeline_.pod_deleted(read_replica(j).uid, clock::now());
  };
  auto event = [this](const json& j) {
    auto warnings = progress_.event_seen(j);
    for (const auto& w : warnings)
      timeline_.warning_seen(w.text, clock::now());
    print(warnings);
  };
  auto trouble = [this](const k8s::failure& why) {
    if (complaint_ != why.message)
      out_.print_line("Error from the API server, retrying: "
                      + strip_control_characters(why.message));
    complaint_ = why.message;
  };
  auto nothing = [](const json&) {};
  auto add = [&](k8s::selection s, auto seen, auto gone) {
    watches_.push_back(std::make_shared<k8s::reflector>(
        io_, client_, std::move(s), seen, gone, trouble));
    watches_.back()->start();
  };
  add({std::move(type), about.ns, "", "metadata.name=" + about.name}, job,
      job_deleted);
  add({k8s::resources::pods, about.ns, pod_selector(about), ""}, pod, pod_gone);
  add({k8s::resources::events, about.ns, "", ""}, event, nothing);
  if (out_.is_terminal())
    ask_for_usage();
}

run_session::~run_session() {
  for (auto& f : watches_)
    f->stop();
}

void run_session::run_for(std::chrono::milliseconds t) {
  io_->run_for(t);
}

bool run_session::are_ended_pod_logs_read() const {
  auto open = logs_.unfinished();
  // Parameter servers run on, or end because the job has.
  for (const auto& v : progress_.replicas())
    if (v.phase == "Running" || v.phase == "Ending")
      open.erase(v.uid);
  return open.empty();
}

void run_session::read_pods() {
  client_->send(pods_request_, request_patience,
                [this, io = std::weak_ptr(io_)](k8s::result<std::string> text) {
                  auto still = io.lock();
                  if (!still)
                    return;
                  boost::asio::post(*still, [this, text = std::move(text)] {
                    are_pods_read_ = true;
                    auto list = text ? k8s::parse_json_or_null(*text) : json{};
                    for (const auto& pod : k8s::array_at(list, {"items"}))
                      see_pod(pod);
                  });
                });
}

/// Again and again, until the server has no such thing.
void run_session::ask_for_usage() {
  client_->send(usage_request_, request_patience,
                [this, io = std::weak_ptr(io_)](k8s::result<std::string> text) {
                  auto still = io.lock();
                  if (!still || !text)
                    return;
                  boost::asio::post(*still, [this, text = std::move(*text)] {
                    used_ = read_pod_usage(k8s::parse_json_or_null(text));
                    usage_timer_.expires_after(usage_period);
                    usage_timer_.async_wait([this](auto error) {
                      if (!error)
                        ask_for_usage();
                    });
                  });
                });
}

void run_session::print(const run_events& events) {
  for (auto e : events) {
    e.details["job"] = name_;
    out_.print(e.text, std::move(e.details));
  }
}

void run_session::print_log_line(const std::string& slot,
                                 const std::string& line) {
  // The time, which is not overwritten by what comes after '\r'.
  auto begin = timestamps_ ? line.find(' ') + 1 : 0;
  auto time = strip_control_characters(line.substr(0, begin));
  auto said = line.substr(begin);
  progress_.keep_log_tail_line(slot, time + log_line_text(said, false));
  out_.print_log_line(name_, slot,
                      time + log_line_text(said, out_.has_colours()));
}

void run_session::see_pod(const json& pod) {
  print_pod_events(progress_.pod_seen(pod));
  timeline_.pod_seen(read_replica(pod), std::chrono::system_clock::now());
  follow_log(pod);
}

void run_session::print_pod_events(const run_events& events) {
  if (!out_.is_terminal())
    print(events);
}

void run_session::follow_log(const json& pod) {
  auto v = read_replica(pod);
  if (logs_wanted_ == "all" || k8s::equal_ignoring_case(logs_wanted_, v.type))
    logs_.follow(v);
}

} // namespace troupe::cli
