#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/leadership/lease_observation.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// The other operator, by its Lease.
struct other_operator_config {
  std::string lease;                   ///< Its name.
  std::vector<std::string> namespaces; ///< Where it may be.
  std::function<boot_clock::time_point()> since_boot = boot_clock::now;
};

/// Reads the Lease at intervals, writes the result into the context's
/// `other`, and tells the directories when it has changed.
using other_operator_watch_actor = reporting_actor::extend<
    // Begin.
    caf::reacts_to<atom::start>,
    // The response to a read; its tag is the number of the namespace.
    caf::reacts_to<api_response>,
    // Internal. Time to read it.
    caf::reacts_to<timer_fired>>;

class other_operator_watch_state {
public:
  static inline const char* name = "other-operator-watch";

  explicit other_operator_watch_state(other_operator_watch_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context, other_operator_config config,
            std::vector<directory_actor> directories);
  void read_leases();
  void on_api_response(const api_response& a);
  report_ptr report() const;

private:
  struct place {
    std::string ns;
    lease_observation lease;
    std::string last_failure;
  };

  void log_new_failure(place& where, const k8s::failure& why);
  std::string reason() const;
  void publish_reason();

  other_operator_watch_actor::pointer self_;
  context_ptr context_;
  other_operator_config config_;
  std::vector<directory_actor> directories_;
  std::vector<place> places_;
  std::size_t unanswered_ = 0;
};

other_operator_watch_actor::behavior_type other_operator_watch(
    self_pointer<other_operator_watch_actor, other_operator_watch_state> self,
    context_ptr context, other_operator_config config,
    std::vector<directory_actor> directories);

} // namespace troupe::actors
