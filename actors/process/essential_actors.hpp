#pragma once

#include "actors/api/watcher.hpp"
#include "actors/process/root_config.hpp"

#include <memory>
#include <vector>

namespace troupe::actors {

/// The actors that hold references to each other, so that all of them are
/// started again if one fails: gateways, server probe, event recorder, job
/// timers, reader of logs, certificate rotator, forwarding key, directories,
/// the watch of another operator and the intake of reports. Used by the root
/// alone.
class essential_actors {
public:
  /// What the actors are started for.
  struct purpose {
    /// While it is closed nothing is written; nullptr: it is always open.
    std::shared_ptr<const write_gate> gate;
    std::vector<watcher_config> watches; ///< What directories get facts about.
    bool leading = true;                 ///< They start supervisors at once.
  };

  essential_actors() = default; ///< None.
  /// Starts them all, linked to the root.
  essential_actors(root_actor::pointer root, const root_config& config,
                   const purpose& what);

  /// Asks them all to end.
  void end(root_actor::pointer root) const;

  /// nullptr if there are no actors.
  const context_ptr& context() const { return context_; }
  const directory_shards& directories() const { return directories_; }
  /// Of the actor at this address; nullptr if it is not one of these.
  const char* name_of(const caf::actor_addr& source) const;
  void add_all_except_directories(std::vector<reporting_actor>& all) const;

private:
  struct named_actor {
    const char* name;
    reporting_actor actor;
  };

  void start_actors_of_context(root_actor::pointer root,
                               const root_config& config, const purpose& what);
  void start_directories(root_actor::pointer root, const root_config& config,
                         const purpose& what);
  void start_certificate_rotator(root_actor::pointer root,
                                 const certificate_rotator_config& config);
  /// After the directories, which it tells of changes.
  void start_other_operator_watch(root_actor::pointer root,
                                  const other_operator_config& config);
  /// Likewise.
  void start_queueing(root_actor::pointer root, const root_config& config);
  void start_report_intake(root_actor::pointer root, const root_config& config);
  void start_forwarding_key(root_actor::pointer root,
                            const forwarding_key_config& config);

  context_ptr context_;
  directory_shards directories_;
  std::vector<named_actor> others_; ///< All except the directories.
};

} // namespace troupe::actors
