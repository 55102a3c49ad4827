#include "k8s/node/usage/node_usage_reader.hpp"

#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/pods/gpus.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace troupe::k8s::node {

namespace {

using steady = std::chrono::steady_clock;

/// A container that nobody has asked about for so long begins anew.
constexpr std::chrono::minutes longest_window{5};

steady::time_point to_steady_time(time_point t, steady::time_point now) {
  return now
         - std::chrono::duration_cast<steady::duration>(
             std::chrono::system_clock::now() - t);
}

} // namespace

gpu_usage_by_index node_usage_reader::refresh_and_get_last_gpu_usage() {
  const auto runs = pods_.all_pod_runs();
  bool are_used = std::any_of(runs.begin(), runs.end(), [](const auto* run) {
    return !run->sandbox().gpus.empty();
  });
  return are_used ? gpus_.refresh_and_get_last() : gpu_usage_by_index{};
}

pod_usage node_usage_reader::measure_pod(const pod_run& run,
                                         const process_table& processes,
                                         const gpu_usage_by_index& gpus,
                                         steady::time_point now) {
  auto ref = pod_ref(run.pod());
  pod_usage out{ref.ns, ref.name, {}};
  auto of_gpus = sum_gpu_usage(gpus, run.sandbox().gpus);
  for (const auto& c : run.running_containers()) {
    resource_usage used;
    for (const auto& program : c.programs) {
      auto one = meter_.add_sample_and_compute_usage(
          uid_of(run.pod()) + "/" + c.name + "/" + std::to_string(program.root),
          processes.sum_usage_of_tree(program.root),
          to_steady_time(program.started, now), now);
      used.cpu += one.cpu;
      used.memory += one.memory;
    }
    if (of_gpus && requests_gpus(run.pod(), c.name))
      used.gpus = std::exchange(of_gpus, std::nullopt);
    out.containers.push_back({c.name, used});
  }
  return out;
}

node_usage node_usage_reader::measure_node() {
  auto now = steady::now();
  meter_.drop_samples_before(now - longest_window);
  auto processes = read_process_table();
  node_usage out;
  out.name = node_;
  out.measured = std::chrono::system_clock::now();
  out.window = std::chrono::duration_cast<std::chrono::milliseconds>(
      now - std::exchange(last_measured_, now));
  out.used =
      meter_.add_sample_and_compute_usage("", read_host_usage(), {}, now);
  auto gpus = refresh_and_get_last_gpu_usage();
  for (const auto* run : pods_.all_pod_runs())
    out.pods.push_back(measure_pod(*run, processes, gpus, now));
  return out;
}

void node_usage_reader::answer_later_requests_without_pods() {
  std::lock_guard guard{mutex_};
  is_closed_ = true;
}

void node_usage_reader::measure_usage(std::function<void(node_usage)> done) {
  std::unique_lock guard{mutex_};
  if (is_closed_) {
    guard.unlock();
    return done({});
  }
  boost::asio::post(io_,
                    [this, done = std::move(done)] { done(measure_node()); });
}

} // namespace troupe::k8s::node
