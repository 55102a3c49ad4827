#pragma once

#include "k8s/result.hpp"
#include "tests/simulation/json_access.hpp"
#include "tests/simulation/simulated_api_server.hpp"

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>

namespace troupe::simulation {

inline constexpr const char* workloads_plural = "workloads";

/// A condition of a Workload; null if it has none of this type.
const json& workload_condition(const json& workload, const char* type);
/// Whether Kueue counts it until its owner takes a finalizer off.
bool is_guarded(const json& workload);

/// Whether a Workload's condition is there and True.
inline bool holds(const json& workload, const char* condition) {
  return is_true(at(workload, "status"), condition);
}

/// What Kueue does to Workloads, whoever has made them: it reserves quota,
/// perhaps for fewer pods, admits, evicts for each of its reasons, queues again
/// what has been released, and may be away: then nobody can write a Workload.
class simulated_kueue {
public:
  simulated_kueue(simulated_api_server& api, std::mt19937_64& random)
      : api_(api)
      , random_(random) {}

  /// Makes the objects that the operator reads: flavors and classes.
  void install();
  /// Does one thing that could happen now, or nothing.
  void step();
  /// All that a willing Kueue still does; whether that was anything.
  bool finish();

  void go_away() { away_ = true; }
  void come_back() { away_ = false; }
  /// Its webhooks have to agree to each write of a Workload.
  std::optional<k8s::failure> refusal_of(const k8s::request& call) const;

  // A person.
  void deactivate();
  void reactivate();
  void delete_workload();

private:
  /// "": there is none.
  std::string pick();
  bool act(const std::string& key, bool willing);
  bool act_on_waiting(const std::string& key, bool willing);
  bool act_on_reserved(const std::string& key, bool willing);
  bool replace_old_slice(const json& slice);
  void wait(const std::string& key, const std::string& message);
  void reserve(const std::string& key, bool willing);
  void evict(const std::string& key, const std::string& reason);
  void change(const std::string& key, const std::function<void(json&)>& how);
  void overwrite_with_older(json& workload);
  void set(json& workload, const char* type, bool is_true,
           const std::string& reason, const std::string& message);
  bool chance(int percent);

  simulated_api_server& api_;
  std::mt19937_64& random_;
  bool away_ = false;
  std::map<std::string, json> older_pods_ready_; ///< By UID.
};

} // namespace troupe::simulation
