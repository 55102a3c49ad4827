#include "frameworks/di/requests/request_execution.hpp"

#include "frameworks/di/requests/gpu_allocation.hpp"
#include "frameworks/di/requests/replica_lists.hpp"
#include "frameworks/di/requests/replica_response.hpp"
#include "frameworks/di/requests/request_changes.hpp"
#include "frameworks/di/requests/request_errors.hpp"

#include <algorithm>

namespace troupe::frameworks::di {

namespace {

using core::decision;
using core::job_response;
using core::request_inputs;
using core::request_step;

/// Replicas that are changed at the same time.
constexpr std::size_t most_at_once = 16;

const k8s::resource aggregator_configs{"diengine.opendilab.org", "v1alpha1",
                                       "aggregatorconfigs", "AggregatorConfig"};
const k8s::resource node_type{"", "v1", "nodes", "Node"};
const k8s::resource pod_type{"", "v1", "pods", "Pod"};

/// The replicas of one side, changed in order.
class change_queue {
public:
  void set_changes_and_begin(std::vector<change_stages> all) {
    begun_ = true;
    for (auto& stages : all)
      changes_.emplace_back(std::move(stages));
  }

  /// Begins no other change once one has failed.
  std::vector<decision> next_decisions(const request_inputs& in,
                                       suffix_source& suffixes) {
    std::vector<decision> result;
    std::size_t active = 0;
    for (std::size_t i = 0; i < changes_.size() && active < most_at_once; ++i) {
      if (i == started_ && !failure()) {
        ++started_;
      } else if (i >= started_) {
        break;
      }
      auto more = changes_[i].next_decisions(in, suffixes);
      std::move(more.begin(), more.end(), std::back_inserter(result));
      active += changes_[i].is_finished() ? 0 : 1;
    }
    return result;
  }

  replica_change* find_change_awaiting_result(const decision& d) {
    auto i = std::find_if(changes_.begin(), changes_.end(),
                          [&](const auto& c) { return c.awaits_result_of(d); });
    return i == changes_.end() ? nullptr : &*i;
  }

  bool is_finished() const {
    auto end = failure() ? started_ : changes_.size();
    return started_ >= end
           && std::all_of(changes_.begin(),
                          changes_.begin() + static_cast<std::ptrdiff_t>(end),
                          [](const auto& c) { return c.is_finished(); });
  }

  /// Of the first change that has one.
  const k8s::failure* failure() const {
    for (const auto& c : changes_)
      if (c.failure())
        return &*c.failure();
    return nullptr;
  }

  std::vector<std::string> changed_pod_urls() const {
    std::vector<std::string> result;
    for (const auto& c : changes_)
      result.insert(result.end(), c.changed_pod_urls().begin(),
                    c.changed_pod_urls().end());
    return result;
  }

  bool has_begun() const { return begun_; }

private:
  bool begun_ = false;
  std::vector<replica_change> changes_;
  std::size_t started_ = 0;
};

class execution : public core::request_execution {
public:
  explicit execution(replica_request_ptr request)
      : request_(std::move(request)) {}

  request_step begin(const request_inputs& in) override {
    if (auto wrong = request_error_response_before_reads(*request_, in))
      return respond_step(std::move(*wrong));
    if (request_->verb == request_verb::list)
      return respond_step(list_replicas_response(*request_, in));
    request_step step;
    auto wanted = required_reads_for(*request_, in);
    if (wanted.aggregator_config)
      add_read(step, read_kind::config,
               {aggregator_configs, in.cluster.agconfig_ns,
                in.cluster.agconfig_name});
    if (wanted.nodes)
      add_read(step, read_kind::nodes, {node_type, "", ""});
    for (auto& name : wanted.pods)
      add_read(step, read_kind::pod, {pod_type, in.of.ns, std::move(name)});
    return reads_.empty() ? begin_changes_or_respond(in) : std::move(step);
  }

  request_step on_read_response(std::size_t number,
                                const k8s::result<std::string>& answer,
                                const request_inputs& in) override {
    ++answered_;
    auto wrong = record_read_response(reads_[number], answer);
    if (wrong && !read_error_)
      read_error_ = std::move(*wrong);
    if (answered_ < reads_.size())
      return {};
    return read_error_ ? respond_step(*read_error_)
                       : begin_changes_or_respond(in);
  }

  request_step on_order_done(const core::order_done& report,
                             const request_inputs& in) override {
    for (auto* side : {&collectors_, &learners_})
      if (auto* change =
              side->find_change_awaiting_result(*report.order.decision))
        change->on_order_done(report);
    return next_step(in);
  }

  request_step on_order_failed(const decision& what, const k8s::failure& why,
                               const request_inputs& in) override {
    request_step step;
    for (auto* side : {&collectors_, &learners_})
      if (auto* change = side->find_change_awaiting_result(what))
        step.decisions = change->on_order_failed(what, why, in, suffixes_);
    auto more = next_step(in);
    std::move(more.decisions.begin(), more.decisions.end(),
              std::back_inserter(step.decisions));
    step.response = std::move(more.response);
    return step;
  }

private:
  enum class read_kind : std::uint8_t { config, nodes, pod };
  struct pending_read {
    read_kind kind;
    core::object_to_read what;
  };

  static request_step respond_step(job_response r) {
    request_step step;
    step.response = std::move(r);
    return step;
  }

  void add_read(request_step& step, read_kind kind, core::object_to_read what) {
    reads_.push_back({kind, what});
    step.reads.push_back(std::move(what));
  }

  std::optional<job_response>
  record_read_response(const pending_read& r,
                       const k8s::result<std::string>& answer) {
    if (!answer)
      return read_failure_response_unless_bearable(r, answer.error());
    if (r.kind == read_kind::config) {
      material_.aggregator_config = *answer;
    } else if (r.kind == read_kind::pod) {
      material_.pods[r.what.name] = k8s::parse_json_or_null(*answer);
    } else {
      auto usual = typical_gpus_in_node_list(*answer);
      if (!usual)
        return job_response{500, usual.error().message, unchanged_entry_json()};
      material_.gpus_per_node = *usual;
    }
    return std::nullopt;
  }

  std::optional<job_response>
  read_failure_response_unless_bearable(const pending_read& r,
                                        const k8s::failure& why) const {
    bool gone = why.code == k8s::ec::not_found;
    if (gone && r.kind == read_kind::config)
      return job_response{404,
                          "AGConfig: " + r.what.ns + "/" + r.what.name
                              + " not exists in cache",
                          unchanged_entry_json()};
    if (gone && r.kind == read_kind::pod)
      return std::nullopt; // If it is needed, its turn has the error.
    // Who may not see nodes gets one pod for all GPUs of a learner.
    if (why.code == k8s::ec::forbidden && r.kind == read_kind::nodes)
      return std::nullopt;
    return job_response{500, why.message, unchanged_entry_json()};
  }

  request_step begin_changes_or_respond(const request_inputs& in) {
    auto changes = requested_changes_for(*request_, material_, in);
    if (auto* wrong = std::get_if<job_response>(&changes))
      return respond_step(std::move(*wrong));
    auto& all = std::get<requested_changes>(changes);
    collectors_.set_changes_and_begin(std::move(all.collectors));
    waiting_ = std::move(all.learners);
    learners_error_ = std::move(all.learners_error);
    return next_step(in);
  }

  request_step next_step(const request_inputs& in) {
    request_step step;
    step.decisions = collectors_.next_decisions(in, suffixes_);
    if (!collectors_.is_finished())
      return step;
    if (!collectors_.failure() && !learners_error_) {
      if (!learners_.has_begun())
        learners_.set_changes_and_begin(std::move(waiting_));
      step.decisions = learners_.next_decisions(in, suffixes_);
      if (!learners_.is_finished())
        return step;
    }
    step.response = final_response(in);
    return step;
  }

  /// A side that was not reached is null, and of a report one without pods.
  urls changed_urls_or_null(const change_queue& side,
                            const std::vector<std::string>& reported) const {
    bool absent =
        !side.has_begun()
        || (request_->verb == request_verb::replace && reported.empty());
    return absent ? urls{} : urls{side.changed_pod_urls()};
  }

  job_response final_response(const request_inputs& in) const {
    auto data = to_json_text(
        {in.of.ns, request_->coordinator,
         changed_urls_or_null(collectors_, request_->failed_collectors),
         changed_urls_or_null(learners_, request_->failed_learners)});
    for (const auto* side : {&collectors_, &learners_})
      if (const auto* why = side->failure())
        return {500, why->message, std::move(data)};
    if (learners_error_)
      return {learners_error_->status, learners_error_->message,
              std::move(data)};
    return {200, success_message(request_->verb), std::move(data)};
  }

  replica_request_ptr request_;
  std::vector<pending_read> reads_;
  std::size_t answered_ = 0;
  std::optional<job_response> read_error_;
  request_material material_;
  std::vector<change_stages> waiting_;         ///< The learners' changes.
  std::optional<job_response> learners_error_; ///< Instead of these.
  change_queue collectors_;
  change_queue learners_;
  suffix_source suffixes_;
};

} // namespace

std::unique_ptr<core::request_execution>
make_replica_request_execution(const core::job_request_ptr& request) {
  return std::make_unique<execution>(
      std::static_pointer_cast<const replica_request>(request));
}

} // namespace troupe::frameworks::di
