#pragma once

#include "frameworks/core/model/names.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/requests/replica_request.hpp"
#include "frameworks/di/requests/request_execution.hpp"
#include "k8s/codec/codec.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <deque>
#include <functional>
#include <map>
#include <set>

namespace troupe::fixtures {

namespace di = frameworks::di;

/// The data of a response that tells of no replicas.
inline const std::string no_replica_data =
    R"({"namespace":"","coordinator":"","collectors":null,"learners":null})";

/// The data of a response, from the addresses of replicas.
inline std::string replica_data(const json& collectors, const json& learners) {
  return R"({"namespace":"default","coordinator":"cp-coordinator","collectors":)"
         + collectors.dump() + R"(,"learners":)" + learners.dump() + "}";
}

/// A job and its pods, and an API server for one request at a time. Orders are
/// carried out in the order in which they were decided.
class request_fixture {
public:
  explicit request_fixture(const json& spec = di_spec())
      : job_(make_dijob(spec)) {
    pods["cp-coordinator"] = {{"metadata",
                               {{"name", "cp-coordinator"},
                                {"labels", labels("coordinator")},
                                {"ownerReferences", json::array({owner()})}}},
                              {"spec", di_template()["spec"]},
                              {"status", {{"podIP", "10.0.0.1"}}}};
    record("cp-coordinator");
  }

  core::job_response ask(const di::replica_request& what) {
    current_ = di::make_replica_request_execution(
        std::make_shared<const di::replica_request>(what));
    auto step = current_->begin(inputs());
    std::deque<core::decision> orders;
    std::size_t reads = 0;
    for (;;) {
      std::vector<core::object_to_read> wanted;
      take(step, orders, wanted);
      if (step.response) {
        pending = orders.size();
        return *step.response;
      }
      if (!wanted.empty()) {
        for (const auto& r : wanted) {
          step = current_->on_read_response(reads++, read(r), inputs());
          take(step, orders, wanted);
        }
        wanted.clear();
        if (step.response)
          return *step.response;
        continue;
      }
      if (orders.empty())
        throw std::logic_error("the request waits for nothing");
      most_at_once = std::max(most_at_once, orders.size());
      auto next = orders.front();
      orders.pop_front();
      step = carry_out(next);
    }
  }

  static di::replica_request request(di::request_verb verb) {
    di::replica_request r;
    r.verb = verb;
    r.ns = "default";
    r.coordinator = "cp-coordinator";
    return r;
  }

  static di::replica_request add(int collectors, int learners, int gpus = 0) {
    auto r = request(di::request_verb::add);
    r.collectors.replicas = collectors;
    r.learners.replicas = learners;
    r.learners.gpu_count = gpus;
    r.learners.gpus = gpus > 0 ? std::to_string(gpus) : "";
    return r;
  }

  static di::replica_request remove(int collectors, int learners) {
    auto r = add(collectors, learners);
    r.verb = di::request_verb::remove;
    return r;
  }

  static di::replica_request failed(std::vector<std::string> collectors,
                                    std::vector<std::string> learners) {
    auto r = request(di::request_verb::replace);
    r.failed_collectors = std::move(collectors);
    r.failed_learners = std::move(learners);
    return r;
  }

  std::string list() { return ask(request(di::request_verb::list)).data; }

  /// "coordinator collector collector", sorted.
  std::string roles() const {
    std::vector<std::string> all;
    for (const auto& [name, pod] : pods)
      all.push_back(pod["metadata"]["labels"]["replica-type"]);
    std::sort(all.begin(), all.end());
    std::string text;
    for (const auto& role : all)
      text += (text.empty() ? "" : " ") + role;
    return text;
  }

  std::vector<std::string> names_of(const std::string& role) const {
    std::vector<std::string> result;
    for (const auto& [name, pod] : pods)
      if (pod["metadata"]["labels"]["replica-type"] == role)
        result.push_back(name);
    return result;
  }

  /// Of the main container.
  std::string variable(const std::string& pod, const std::string& name) const {
    for (const auto& v : pods.at(pod)["spec"]["containers"][0]["env"])
      if (v["name"] == name)
        return v["value"];
    return "";
  }

  void set_phase(const std::string& pod, const char* phase) {
    pods[pod]["status"]["phase"] = phase;
    record(pod);
  }

  /// Merges this into the pod.
  void change(const std::string& pod, const json& patch) {
    if (!patch.is_null())
      pods[pod].merge_patch(patch);
    record(pod);
  }

  void terminate(const std::string& pod) {
    pods[pod]["metadata"]["deletionTimestamp"] = k8s::to_rfc3339(base_time);
    record(pod);
  }

  std::map<std::string, json> pods; ///< By name.
  std::vector<std::string> log;     ///< "create ...", "delete ...".
  std::vector<std::string> nodes{"8", "8", "0", "4"};
  json config{
      {"spec",
       {{"aggregator", {{"template", di_template("reg.example/agg")}}}}}};
  /// A failure of the order that the log shows as this.
  std::function<std::optional<k8s::failure>(const std::string&)> refuse;
  std::optional<k8s::failure> read_failure;
  core::cluster_options cluster;
  std::size_t most_at_once = 0;
  std::size_t pending = 0;   ///< Orders at the time of the response.
  bool has_finished = false; ///< The job, by its saved status.
  std::function<double()> random = [this] {
    next_random_ += 0.0123;
    return next_random_ < 1 ? next_random_ : next_random_ = 0.001;
  };

private:
  core::request_inputs inputs() const {
    return {job_, seen_, cluster, random, has_finished};
  }

  json owner() const {
    return {{"apiVersion", "diengine.opendilab.org/v1alpha1"},
            {"kind", "DIJob"},
            {"name", "cp"},
            {"uid", "job-uid"},
            {"controller", true}};
  }

  static json labels(const std::string& role) {
    return {{"group-name", "diengine.opendilab.org"},
            {"controller-name", "di-operator"},
            {"dijob-name", "cp"},
            {"replica-type", role}};
  }

  static void take(core::request_step& step, std::deque<core::decision>& orders,
                   std::vector<core::object_to_read>& reads) {
    orders.insert(orders.end(), step.decisions.begin(), step.decisions.end());
    reads.insert(reads.end(), step.reads.begin(), step.reads.end());
    step.decisions.clear();
    step.reads.clear();
  }

  k8s::object_ptr record(const std::string& name) {
    auto& pod = pods.at(name);
    auto& meta = pod["metadata"];
    meta["namespace"] = "default";
    meta["resourceVersion"] = std::to_string(++version_);
    if (!meta.contains("uid"))
      meta["uid"] = "uid-" + std::to_string(version_);
    if (!meta.contains("creationTimestamp"))
      meta["creationTimestamp"] =
          k8s::to_rfc3339(base_time + std::chrono::seconds{version_});
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    auto object =
        k8s::decode_object(pod.dump(), k8s::object_detail::pod_with_ports);
    record_seen(seen_, core::child_kind::pod, **object, job_);
    return *object;
  }

  k8s::result<std::string> read(const core::object_to_read& r) {
    if (read_failure)
      return *read_failure;
    k8s::failure gone{k8s::ec::not_found, "not found"};
    if (r.type.kind == "AggregatorConfig") {
      if (config.is_null())
        return gone;
      return config.dump();
    }
    if (r.type.kind == "Node") {
      json list{{"items", json::array()}};
      for (const auto& gpus : nodes)
        list["items"].push_back(
            {{"status", {{"allocatable", {{"nvidia.com/gpu", gpus}}}}}});
      return list.dump();
    }
    auto i = pods.find(r.name);
    if (i == pods.end())
      return gone;
    return i->second.dump();
  }

  core::request_step carry_out(const core::decision& d) {
    bool deletion = std::holds_alternative<core::delete_child>(d);
    auto name =
        deletion ? std::get<core::delete_child>(d).name
                 : core::child_name(job_, std::get<core::create_child>(d).at);
    auto entry = (deletion ? "delete " : "create ") + name;
    if (auto why = refuse ? refuse(entry) : std::nullopt)
      return current_->on_order_failed(d, *why, inputs());
    log.push_back(entry);
    core::order_done report;
    report.order.decision = d;
    if (deletion) {
      seen_.record_deleted(core::child_kind::pod,
                           std::get<core::delete_child>(d).uid);
      pods.erase(name);
    } else {
      pods[name] = json::parse(std::get<core::create_child>(d).body);
      report.item = record(name);
    }
    return current_->on_order_done(report, inputs());
  }

  core::job job_;
  core::observed_children seen_;
  std::unique_ptr<core::request_execution> current_;
  int version_ = 0;
  double next_random_ = 0;
};

} // namespace troupe::fixtures
