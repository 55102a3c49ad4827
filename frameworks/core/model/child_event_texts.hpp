#pragma once

namespace troupe::core {

/// Texts of the events about calls for pods and services, for a kind whose
/// texts are not the training operator's (see events.hpp). Placeholders: {noun}
/// ("pod"), {name}, {error}.
struct child_event_texts {
  const char* created_reason = "";
  const char* created = "";
  const char* create_failed_reason = "";
  const char* create_failed = "";
  const char* deleted_reason = "";
  const char* deleted = "";
  const char* delete_failed_reason = "";
  const char* delete_failed = "";
};

} // namespace troupe::core
