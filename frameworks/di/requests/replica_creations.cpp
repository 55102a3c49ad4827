#include "frameworks/di/requests/replica_creations.hpp"

#include "frameworks/di/requests/gpu_allocation.hpp"
#include "frameworks/di/requests/replica_pods.hpp"

namespace troupe::frameworks::di {

namespace {

/// More processes at once are a mistake.
constexpr std::size_t most_ddp_learners = 1000;

pod_to_create ddp_learner_to_create(const pod_origin_ptr& from,
                                    const replica_amount& wanted,
                                    const gpu_slice& slice, bool is_alone) {
  return {
      role::ddp_learner,
      [from, wanted, slice, is_alone](const std::string& name,
                                      const std::vector<created_pod>& earlier) {
        ddp_learner what{
            slice, is_alone, "", {earlier[0].name, earlier[0].uid}};
        if (earlier.size() > 1)
          what.master = earlier[1].name;
        return make_ddp_learner_pod(from->of, name, what, wanted,
                                    from->cluster);
      },
      false};
}

} // namespace

pod_origin_ptr make_pod_origin(const core::request_inputs& in) {
  return std::make_shared<const pod_origin>(pod_origin{in.of, in.cluster});
}

change_stages
stages_to_create_collector_or_learner(const pod_origin_ptr& from,
                                      const char* role,
                                      const replica_amount& wanted) {
  change_stages stages;
  stages.creations.push_back(
      {{role,
        [from, role, wanted](const std::string& name, const auto&) {
          return make_collector_or_learner_pod(from->of, role, name, wanted,
                                               from->cluster);
        },
        true}});
  return stages;
}

k8s::result<change_stages>
stages_to_create_logic_learner(const pod_origin_ptr& from,
                               const replica_amount& wanted,
                               const request_material& material) {
  change_stages stages;
  stages.creations.push_back(
      {{role::aggregator,
        [from, config = material.aggregator_config](const std::string& name,
                                                    const auto&) {
          return make_aggregator_pod(from->of, name, config, from->cluster);
        },
        true}});
  if (auto done =
          append_ddp_learners(stages, from, wanted, material.gpus_per_node);
      !done)
    return done.error();
  return stages;
}

// After the aggregator the master, whose name the others contain.
k8s::result<k8s::nothing> append_ddp_learners(change_stages& stages,
                                              const pod_origin_ptr& from,
                                              const replica_amount& wanted,
                                              std::int64_t gpus_per_node) {
  auto policy = find_gpu_policy(from->cluster.gpu_policy);
  if (!policy)
    return policy.error();
  auto slices = allocate_gpus(**policy, wanted.gpu_count, gpus_per_node);
  if (slices.size() > most_ddp_learners)
    return k8s::failure{k8s::ec::invalid,
                        "gpus: " + wanted.gpus + " would be divided into "
                            + std::to_string(slices.size()) + " pods"};
  for (const auto& slice : slices) {
    auto pod = ddp_learner_to_create(from, wanted, slice, slices.size() == 1);
    bool is_first_worker = stages.creations.size() == 2;
    if (slice.start_rank == 0 || is_first_worker)
      stages.creations.emplace_back();
    stages.creations.back().push_back(std::move(pod));
  }
  return k8s::nothing{};
}

} // namespace troupe::frameworks::di
