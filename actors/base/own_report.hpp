#pragma once

#include <caf/all.hpp>
#include <nlohmann/json_fwd.hpp>

#include <typeinfo>

namespace troupe::actors {

/// When an actor began, and the last message that it took from its mailbox.
class activity {
public:
  /// Ignores requests for reports, and responses. Only the type of the message
  /// is kept, which costs a pointer per actor.
  void
  record_last_message_type_except_reports(const caf::mailbox_element& message);

  /// The name of its type in the source, without namespaces: "child_seen"; of
  /// an atom its text; "" before the first message.
  std::string last_message_type() const;

  caf::actor_clock::time_point began{};

private:
  const std::type_info* last_ = nullptr;
  caf::atom_value last_atom_{}; ///< If the message is an atom.
};

/// An actor that keeps its activity for own_report().
template <class Handle>
class observed_actor : public Handle::base, public activity {
public:
  explicit observed_actor(caf::actor_config& config)
      : Handle::base(config) {
    began = this->clock().now();
  }

  caf::invoke_message_result consume(caf::mailbox_element& x) override {
    record_last_message_type_except_reports(x);
    return Handle::base::consume(x);
  }
};

/// The self pointer of the function that makes an actor's behavior.
template <class Handle, class State>
using self_pointer = caf::stateful_actor<State, observed_actor<Handle>>*;

/// What each actor reports of itself ("actor": its kind, "mailbox",
/// "ageSeconds", "lastMessage"), and `more`.
nlohmann::json own_report(caf::scheduled_actor& self, nlohmann::json more);

} // namespace troupe::actors
