#include "actors/cli/run/run_session.hpp"

#include "actors/admin/text/terminal_text.hpp"
#include "frameworks/registry.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec/codec.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <limits>

namespace troupe::cli {

using actors::sanitize_log_line;
using actors::strip_control_characters;
using nlohmann::json;

namespace {

constexpr std::chrono::seconds usage_period{2};
constexpr std::chrono::seconds request_patience{30};

const k8s::resource pod_metrics{"metrics.k8s.io", "v1beta1", "pods",
                                "PodMetrics"};

/// The label of the job's pods that has its name.
std::string pod_selector(const job_manifest& job) {
  const auto* kind = frameworks::find(job.api_version, job.kind);
  if (!kind)
    kind = frameworks::find(job.kind);
  return kind->names.labels.job_name + ("=" + job.name);
}

} // namespace

run_session::run_session(std::shared_ptr<boost::asio::io_context> io,
                         std::shared_ptr<k8s::api> client,
                         const job_manifest& about, k8s::resource type,
                         std::string logs, bool timestamps, screen& out,
                         const k8s::reflector::failure_handler& list_failed)
    : io_(std::move(io))
    , client_(std::move(client))
    , logs_wanted_(std::move(logs))
    , timestamps_(timestamps)
    , name_(about.name)
    , out_(out)
    , progress_(about.kind, about.ns, about.name)
    , timeline_(about.kind, about.name)
    , pods_request_(k8s::with_accept_header(
          k8s::object_detail::metadata,
          k8s::list({k8s::resources::pods, about.ns, pod_selector(about), ""},
                    0, "")))
    , usage_request_(
          k8s::list({pod_metrics, about.ns, pod_selector(about), ""}, 0, ""))
    , usage_timer_(*io_)
    , logs_(
          io_, client_, about.ns,
          [this](const replica_view& whose, const std::string& line) {
            print_log_line(whose, line);
          },
          timestamps) {
  using clock = std::chrono::system_clock;
  auto job = [this](const json& j) {
    print_events(progress_.record_job(j));
    timeline_.record_job(progress_.job(), clock::now());
  };
  auto job_deleted = [this](const json&) {
    print_events(progress_.record_job_deleted());
  };
  auto pod = [this](const json& j) { on_pod_seen(j); };
  auto pod_gone = [this](const json& j) { on_pod_gone(j); };
  auto add = [&](k8s::selection s, auto seen, auto gone,
                 k8s::reflector_options options = {}) {
    watches_.push_back(std::make_shared<k8s::reflector>(
        io_, client_, std::move(s), seen, gone, list_failed, options));
    watches_.back()->start();
  };
  k8s::reflector_options of_pods;
  of_pods.reduce = drop_unread_pod_fields;
  add({std::move(type), about.ns, "", "metadata.name=" + about.name}, job,
      job_deleted);
  add({k8s::resources::pods, about.ns, pod_selector(about), ""}, pod, pod_gone,
      of_pods);
  if (out_.is_terminal())
    poll_pod_usage_until_refused();
}

run_session::~run_session() {
  stop();
}

void run_session::stop() {
  is_stopped_ = true;
  usage_timer_.cancel();
  for (auto& f : watches_)
    f->stop();
}

void run_session::on_event_seen(const json& event) {
  if (is_stopped_)
    return;
  auto events = progress_.record_warning_or_claim_event(event);
  for (const auto& e : events)
    if (is_warning(e))
      timeline_.record_warning(e.text, std::chrono::system_clock::now());
  print_events(events);
}

bool run_session::are_ended_pod_logs_read() const {
  auto open = logs_.pods_with_open_logs();
  // Parameter servers run on, or end because the job has.
  for (const auto& v : progress_.replicas())
    if (v.phase == "Running" || v.phase == "Ending")
      open.erase(v.uid);
  return open.empty();
}

void run_session::list_and_remember_unseen_pods() {
  send_request_and_handle_unless_stopped(
      pods_request_, [this](const k8s::result<std::string>& text) {
        are_pods_listed_ = true;
        auto list = text ? k8s::decode_list(*text, k8s::object_detail::metadata)
                         : k8s::result<k8s::list_page>{text.error()};
        if (!list)
          return;
        for (const auto& pod : list->items)
          if (seen_versions_[pod->meta.uid] < pod->meta.resource_version)
            unseen_pods_[pod->meta.uid] = pod->meta.resource_version;
      });
}

/// Again and again, until the server has no such thing.
void run_session::poll_pod_usage_until_refused() {
  send_request_and_handle_unless_stopped(
      usage_request_, [this](const k8s::result<std::string>& text) {
        if (!text)
          return;
        used_ = read_pod_usage(k8s::parse_json_or_null(*text));
        usage_timer_.expires_after(usage_period);
        usage_timer_.async_wait([this](auto error) {
          if (!error)
            poll_pod_usage_until_refused();
        });
      });
}

void run_session::send_request_and_handle_unless_stopped(
    const k8s::request& request, answer_handler handle) {
  client_->send(request, request_patience,
                [this, io = io_,
                 handle = std::move(handle)](k8s::result<std::string> answer) {
                  boost::asio::post(*io,
                                    [this, handle, answer = std::move(answer)] {
                                      if (!is_stopped_)
                                        handle(answer);
                                    });
                });
}

void run_session::print_events(const run_events& events) {
  for (auto e : events) {
    e.details["job"] = name_;
    out_.print_text_or_json(e.text, std::move(e.details));
  }
}

std::string run_session::sanitize_line(const std::string& line,
                                       bool with_colours) const {
  // The time, which is not overwritten by what comes after '\r'.
  auto begin = timestamps_ ? line.find(' ') + 1 : 0;
  return strip_control_characters(line.substr(0, begin))
         + sanitize_log_line(line.substr(begin), with_colours);
}

void run_session::print_log_line(const replica_view& whose,
                                 const std::string& line) {
  if (is_stopped_)
    return;
  progress_.remember_last_log_line(whose.slot, sanitize_line(line, false));
  bool is_new =
      told_states_.forget_line_and_check_unwritten(whose.log_of, line);
  if (is_new || !out_.is_text())
    out_.print_log_line(name_, whose.slot,
                        sanitize_line(line, out_.has_colours()));
}

std::vector<std::string> run_session::unfinished_log_lines() const {
  std::vector<std::string> lines;
  for (const auto& one : logs_.unfinished_lines())
    lines.push_back(out_.log_prefix(name_, one.whose.slot)
                    + sanitize_line(one.text, false));
  return lines;
}

void run_session::print_overwritten_lines(
    std::chrono::steady_clock::time_point now) {
  if (is_stopped_)
    return;
  for (const auto& one : logs_.unfinished_lines())
    if (one.is_overwritten
        && told_states_.record_state_and_check_due(one.whose.log_of, one.text,
                                                   now))
      out_.print_unfinished_log_line(name_, one.whose.slot,
                                     sanitize_line(one.text, false));
}

void run_session::on_pod_seen(const json& pod) {
  print_pod_events_unless_terminal(progress_.record_pod(pod));
  auto view = parse_replica_view(pod);
  timeline_.record_pod(view, std::chrono::system_clock::now());
  remember_seen_version(
      view.uid, k8s::parse_resource_version_or_zero(
                    k8s::text_at(pod, {"metadata", "resourceVersion"})));
  follow_pod_log_if_wanted(view);
}

void run_session::on_pod_gone(const json& pod) {
  print_pod_events_unless_terminal(progress_.record_pod_deleted(pod));
  auto uid = k8s::text_at(pod, {"metadata", "uid"});
  timeline_.record_pod_deleted(uid, std::chrono::system_clock::now());
  remember_seen_version(uid, std::numeric_limits<std::uint64_t>::max());
}

void run_session::remember_seen_version(const std::string& uid,
                                        std::uint64_t version) {
  seen_versions_[uid] = version;
  if (auto wanted = unseen_pods_.find(uid);
      wanted != unseen_pods_.end() && version >= wanted->second)
    unseen_pods_.erase(wanted);
}

void run_session::print_pod_events_unless_terminal(const run_events& events) {
  if (!out_.is_terminal())
    print_events(events);
}

void run_session::follow_pod_log_if_wanted(const replica_view& pod) {
  if (logs_wanted_ == "all" || k8s::equal_ignoring_case(logs_wanted_, pod.type))
    logs_.follow_container_logs(pod);
}

} // namespace troupe::cli
