#pragma once

#include "frameworks/core/pass/job_request.hpp"
#include "frameworks/di/base/dijob_pods.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::frameworks::di {

struct created_pod {
  std::string role;
  std::string name;
  std::string uid;
  std::int32_t port = 0;
};

/// A pod that a change creates. Its body may name those that the earlier stages
/// have created.
struct pod_to_create {
  const char* role = "";
  std::function<k8s::result<complete_pod>(
      const std::string& name, const std::vector<created_pod>& earlier)>
      make;
  bool is_reported = false; ///< Its address is in the response.
};

/// What is done for one replica, stage after stage: first all deletions, then
/// all creations. The parts of one stage are done at the same time.
struct change_stages {
  std::vector<std::vector<core::delete_child>> deletions;
  std::vector<std::vector<pod_to_create>> creations;
  std::vector<std::string> deleted_urls; ///< In the response, once deleted.
};

/// Draws the suffixes of new pods' names, none twice, and none that a pod of
/// the job has.
class suffix_source {
public:
  std::int32_t draw_unused_suffix(const std::string& role,
                                  const core::request_inputs& in);

private:
  std::set<core::slot> drawn_;
};

/// Carries out the stages for one replica. If a creation fails, what the change
/// has created is deleted again, so that no part of a replica is left. If
/// another pod has the name, another name is drawn.
class replica_change {
public:
  explicit replica_change(change_stages stages);

  /// The decisions of the next stage, if none is under way. Empty at the end,
  /// and while there is something to wait for.
  std::vector<core::decision> next_decisions(const core::request_inputs& in,
                                             suffix_source& suffixes);

  /// Whether it has made this decision, and waits for its result.
  bool awaits_result_of(const core::decision& d) const;

  // Results of its own decisions.

  void on_order_done(const core::order_done& report);
  /// A creation whose name exists is decided again with another name.
  std::vector<core::decision> on_order_failed(const core::decision& d,
                                              const k8s::failure& why,
                                              const core::request_inputs& in,
                                              suffix_source& suffixes);

  bool is_finished() const { return state_ == state::finished; }
  const std::optional<k8s::failure>& failure() const { return failure_; }
  /// The addresses of the pods that it has created or deleted for good.
  const std::vector<std::string>& changed_pod_urls() const { return urls_; }

private:
  enum class state : std::uint8_t {
    deleting,
    creating,
    rolling_back,
    finished
  };

  struct creation {
    pod_to_create what;
    core::slot at;
    std::int32_t port = 0;
    int tries = 0;
  };

  std::vector<core::decision>
  make_deletions_or_change_state(const core::request_inputs& in);
  std::vector<core::decision>
  make_creations_or_change_state(const core::request_inputs& in,
                                 suffix_source& suffixes);
  std::vector<core::decision>
  make_rollback_deletion_or_finish(const core::request_inputs& in);
  std::optional<core::decision>
  begin_creation_or_record_failure(creation c, const core::request_inputs& in,
                                   suffix_source& suffixes);
  std::vector<creation>::iterator find_creation(const core::slot& at);
  /// It is done, or given up.
  void end_deletion_and_advance_rollback(const std::string& uid);
  void record_first_failure(k8s::failure why);
  void finish_and_set_urls(const core::request_inputs& in);

  change_stages stages_;
  state state_ = state::deleting;
  std::size_t stage_ = 0;
  std::vector<creation> creations_;   ///< Under way.
  std::set<std::string> deletions_;   ///< Under way, by UID.
  std::vector<created_pod> created_;  ///< In order.
  int rollback_tries_ = 0;            ///< To delete the last of these.
  std::vector<created_pod> reported_; ///< Of these, those in the response.
  std::optional<k8s::failure> failure_;
  std::vector<std::string> urls_;
};

} // namespace troupe::frameworks::di
