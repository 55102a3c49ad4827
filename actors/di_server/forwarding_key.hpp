#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "k8s/json.hpp"

#include <functional>
#include <string>

namespace troupe::actors {

/// Where the key is kept with which replicas sign forwarded requests: in the
/// Secret of the webhooks' certificates, which all replicas may read and write.
struct forwarding_key_config {
  std::string ns;     ///< Of the Secret.
  std::string secret; ///< Its name.
  /// Called with the key, again if it has changed.
  std::function<void(std::string)> use_key;
};

/// Reads the key, and makes one if there is none. The first write wins, by the
/// resourceVersion. Reads the key again at intervals, because somebody may
/// replace the Secret.
using forwarding_key_actor = reporting_actor::extend<
    // Begin.
    caf::reacts_to<atom::start>,
    // The response to a read or a write.
    caf::reacts_to<api_response>,
    // Internal. Time to read it.
    caf::reacts_to<timer_fired>>;

class forwarding_key_state {
public:
  static inline const char* name = "forwarding-key";

  explicit forwarding_key_state(forwarding_key_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context, forwarding_key_config config);
  void read_secret();
  void on_api_response(const api_response& a);
  report_ptr report() const;

private:
  /// Tags of calls.
  enum call_kind : std::uint64_t { read_call, write_call };

  void send_call(call_kind kind, k8s::request r);
  void on_read(const k8s::result<std::string>& outcome);
  void on_write(const k8s::result<std::string>& outcome);
  void write_new_key(k8s::json secret);
  void log_and_read_again_later(const char* what, const k8s::failure& why);
  void read_again_after(std::chrono::milliseconds delay);

  forwarding_key_actor::pointer self_;
  context_ptr context_;
  forwarding_key_config config_;
  std::string key_;
  std::string last_failure_;
};

forwarding_key_actor::behavior_type
forwarding_key(self_pointer<forwarding_key_actor, forwarding_key_state> self,
               context_ptr context, forwarding_key_config config);

} // namespace troupe::actors
