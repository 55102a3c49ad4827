#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/webhook/webhook_plan.hpp"

#include <atomic>
#include <map>

namespace troupe::actors {

/// Where the certificates of the webhooks are kept and used.
struct certificate_rotator_config {
  std::string ns;     ///< Of the Secret.
  std::string secret; ///< Its name.
  certificate_policy certificates;
  webhook_configuration_policy configuration;
  /// Makes the webhook server present this certificate from now on.
  std::function<k8s::result<k8s::nothing>(const k8s::http::certificate_pair&)>
      use_certificate;
  /// Told the authorities in the Secret, PEM, whenever it was read: those that
  /// sign now or soon. May be empty.
  std::function<void(const std::string&)> use_authorities = {};
  /// Set when webhooks can be called, or nobody calls them. It stays set,
  /// because a replica that is not ready would no longer be called.
  std::shared_ptr<std::atomic<bool>> ready;
};

/// Reads the objects that configure webhooks and the Secret at intervals, and
/// does what its planner decides: makes certificates, writes them, and makes
/// the server use them. Every replica has such an actor. The first write wins,
/// by the resourceVersion, and the other replicas use what it wrote.
class certificate_rotator_state {
public:
  static inline const char* name = "certificate-rotator";

  explicit certificate_rotator_state(certificate_rotator_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context, certificate_rotator_config config);
  void start_round();
  void on_api_response(const api_response& a);
  report_ptr report() const;

private:
  /// Tags of calls.
  enum call_kind : std::uint64_t {
    read_secret_call,
    read_configuration_call,
    write_secret_call,
    write_configuration_call,
  };

  void send_call(call_kind kind, k8s::request r);
  /// Reads the next configuration, or, when all are read, the Secret.
  void read_next_or_finish_round();
  /// Returns what was read; null if there is no such object, or if a
  /// configuration that is not created here may not be read; nullopt if the
  /// object cannot be known, or has to be created by others.
  std::optional<k8s::json>
  parse_read_response_or_log(call_kind kind, bool creates_if_absent,
                             const k8s::result<std::string>& outcome);
  void plan_and_execute_next_step();
  void use_serving_certificate_if_changed();
  void renew_and_write_certificates();
  void write_configuration();
  const std::string& configuration_name_being_written() const;
  const std::string& configuration_name_being_read() const;
  /// The index of the object that a call of this kind is about now; 0 for the
  /// Secret.
  std::size_t object_index_of(call_kind kind) const;
  void on_write_response(call_kind kind,
                         const k8s::result<std::string>& outcome);
  /// Reads again: at once after a write, else later.
  void start_or_schedule_next_round();
  /// Logs once that no object calls the webhooks.
  void log_no_configuration_once();
  /// Logs a failure of this call unless it was the same last time.
  void log_failure_if_new(call_kind kind, const k8s::failure& why);

  certificate_rotator_actor::pointer self_;
  context_ptr context_;
  certificate_rotator_config config_;
  std::optional<webhook_planner> planner_;
  k8s::json secret_;                     ///< As read; null if there is none.
  stored_configurations configurations_; ///< Those that were read so far.
  bool wrote_ = false;   ///< The objects may differ from what was read.
  bool refused_ = false; ///< A write was refused; will be until rights change.
  webhook_plan plan_;
  std::string served_; ///< The certificate in use, PEM.
  /// The last failure of each kind of call about each object.
  std::map<std::pair<call_kind, std::size_t>, std::string> failures_;
};

certificate_rotator_actor::behavior_type certificate_rotator(
    self_pointer<certificate_rotator_actor, certificate_rotator_state> self,
    context_ptr context, certificate_rotator_config config);

} // namespace troupe::actors
