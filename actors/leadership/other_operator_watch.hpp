#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/leadership/lease_observation.hpp"
#include "k8s/calls.hpp"
#include "k8s/watch/watch_course.hpp"

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

/// Lists and watches the Lease by its name in each namespace where it may be,
/// writes the result into the context's `other`, and tells the directories when
/// it has changed. A Lease that a holder no longer renews is listed once more
/// before that one counts as gone, as a watch may lag. Where it may not be
/// listed (403), or the namespace is not there, nobody holds it; the former is
/// logged once, and tried again at most every minute.
using other_operator_watch_actor = reporting_actor::extend<
    // Begin.
    caf::reacts_to<atom::start>,
    // The response to a list.
    caf::reacts_to<api_response>,
    // From the gateway, about a watch.
    caf::reacts_to<stream_opened>, caf::reacts_to<stream_accepted>,
    caf::reacts_to<events_arrived>, caf::reacts_to<stream_ended>,
    // Internal. The delay before the next try, or the time of a Lease, is over.
    caf::reacts_to<timer_fired>>;

class other_operator_watch_state {
public:
  static inline const char* name = "other-operator-watch";

  explicit other_operator_watch_state(other_operator_watch_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context, other_operator_config config,
            std::vector<directory_actor> directories);
  void on_start();
  void on_page(const api_response& a);
  void on_stream_opened(const stream_opened& s);
  void on_stream_accepted(const stream_accepted& s);
  void on_events_arrived(const events_arrived& e);
  void on_stream_ended(const stream_ended& e);
  void on_timer(const timer_fired& fired);
  report_ptr report() const;

private:
  /// A namespace where the Lease may be.
  struct place {
    std::string ns;
    lease_observation lease;
    k8s::watch_course course;
    std::uint64_t request = 0; ///< The list, watch or delay under way.
    std::uint64_t expiry = 0;  ///< The timer of the Lease's holder.
    stream_ptr session;
    int refusals = 0;            ///< In a row.
    bool refusal_logged = false; ///< Since it was listed last.
  };

  k8s::watch_course::time_point now() const { return self_->clock().now(); }
  k8s::selection selection_of(const place& where) const;
  /// The one that asked; nullptr if it has asked something else since.
  place* find_asker(std::uint64_t request);
  void begin_anew(place& where);
  void execute_step(place& where, const k8s::watch_course::step& next);
  void request_page(place& where);
  void open_watch_stream(place& where);
  void set_retry_timer(place& where, const k8s::watch_course::step& next);
  void record_lease(place& where, const k8s::object& lease);
  void record_absence(place& where);
  void set_expiry_timer(place& where);
  void note_failed_list(place& where, const k8s::failure& why);
  std::string reason() const;
  void publish_reason();

  other_operator_watch_actor::pointer self_;
  context_ptr context_;
  other_operator_config config_;
  std::vector<directory_actor> directories_;
  std::vector<place> places_;
  std::uint64_t last_number_ = 0; ///< Of a request or a timer.
};

other_operator_watch_actor::behavior_type other_operator_watch(
    self_pointer<other_operator_watch_actor, other_operator_watch_state> self,
    context_ptr context, other_operator_config config,
    std::vector<directory_actor> directories);

} // namespace troupe::actors
