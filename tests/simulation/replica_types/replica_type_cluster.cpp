#include "tests/simulation/replica_types/replica_type_cluster.hpp"

#include <iterator>

namespace troupe::simulation {

namespace {

core::gang random_gang(std::mt19937_64& random) {
  auto dice = random() % 100;
  return dice < 20   ? core::gang::volcano
         : dice < 35 ? core::gang::coscheduling
                     : core::gang::none;
}

} // namespace

replica_type_cluster::replica_type_cluster(
    std::uint64_t seed, const core::framework& row,
    std::shared_ptr<simulated_api_server> api)
    : simulated_cluster(seed, row, api)
    , rules_(row, random_gang(random()))
    , invariants_(rules_, std::move(api), job_key())
    , has_policies_(chance(50))
    , by_annotation_(chance(30))
    , takes_reports_(seed % 10 < 3) {
  // As the training operator's definitions.
  this->api().drops_restarts = this->api().drops_recovery =
      by_annotation_ && chance(60);
}

void replica_type_cluster::stop_faults() {
  simulated_cluster::stop_faults();
  queue_closed_ = gang() == core::gang::volcano && chance(15);
}

json replica_type_cluster::random_spec() {
  return rules_.random_manifest(random());
}

void replica_type_cluster::controller_step(int dice) {
  if (dice < 94)
    schedule_gang();
  else if (!faults_stopped() && dice < 97)
    autoscale();
}

void replica_type_cluster::change_running_pod(const std::string& key) {
  if (takes_reports_ && chance(40))
    return report(key);
  auto dice = random()() % 100;
  const int codes[] = {1, 2, 127, 128, 137, 143, 255, -1};
  if (dice < 25)
    set_phase(key, "Succeeded", 0);
  else if (dice < 45)
    set_phase(key, "Failed", codes[random()() % std::size(codes)]);
  else if (dice < 60 && restarts_in_place(key))
    restart_in_place(key);
  else if (dice < 66)
    disrupt(key);
}

void replica_type_cluster::report(const std::string& key) {
  send_report(uid_of(*api().find("pods", key)), [this](k8s::time_point when) {
    invariants_.report_taken(seconds_of(k8s::to_rfc3339(when)));
  });
}

/// As the kubelet, where failures must be seen; of other jobs no exit code is
/// told of those that restart, so that any may have done so.
bool replica_type_cluster::restarts_in_place(const std::string& key) const {
  const auto* pod = api().find("pods", key);
  return label(*pod, "restart-attempt").empty()
         || text(at(*pod, "spec", "restartPolicy")) != "Never";
}

void replica_type_cluster::remove_obstacles() {
  delete_foreign_objects();
  admit_gang();
}

} // namespace troupe::simulation
