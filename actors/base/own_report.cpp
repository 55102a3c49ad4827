#include "actors/base/own_report.hpp"

#include "actors/base/messages.hpp"

#include <boost/core/demangle.hpp>
#include <nlohmann/json.hpp>

#include <chrono>

namespace troupe::actors {

void activity::record_last_message_type_except_reports(
    const caf::mailbox_element& message) {
  const auto& content = message.content();
  if (message.mid.is_response() || content.empty())
    return;
  auto [number, type] = content.type(0);
  if (type == &typeid(get_report) || type == &typeid(get_tree))
    return;
  last_ = type;
  if (number == caf::type_nr<caf::atom_value>::value)
    last_atom_ = content.get_as<caf::atom_value>(0);
}

std::string activity::last_message_type() const {
  if (!last_)
    return last_atom_ == caf::atom_value{} ? "" : caf::to_string(last_atom_);
  auto name = boost::core::demangle(last_->name());
  return name.substr(name.rfind(':') + 1);
}

nlohmann::json own_report(caf::scheduled_actor& self, nlohmann::json more) {
  more["actor"] = self.name();
  more["mailbox"] = self.mailbox().size();
  if (const auto* known = dynamic_cast<const activity*>(&self)) {
    more["ageSeconds"] = std::chrono::duration_cast<std::chrono::seconds>(
                             self.clock().now() - known->began)
                             .count();
    more["lastMessage"] = known->last_message_type();
  }
  return more;
}

} // namespace troupe::actors
