#pragma once

#include "frameworks/core/base/shared_value.hpp"
#include "frameworks/core/workload/workload_state.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace troupe::core {

struct auxiliary_object;
struct job;

/// An auxiliary object as the API server has it.
struct auxiliary_texts {
  std::string body;     ///< JSON text: all of it except metadata.
  std::string metadata; ///< JSON text, of the same version as the body.
  /// The body that we applied last to get this one; "" if that is not known.
  std::string last_applied;
};

/// Hashes of texts of an object that the API server stored as it was sent. They
/// are kept in place of the texts, which can be made again and would take
/// kilobytes for each job.
struct sent_hashes {
  std::size_t wanted_body = 0;     ///< Of auxiliary_object::body.
  std::size_t wanted_metadata = 0; ///< Of auxiliary_object::metadata.
  std::size_t stored_body = 0;     ///< Of auxiliary_texts::body.

  bool operator==(const sent_hashes& other) const {
    return wanted_body == other.wanted_body
           && wanted_metadata == other.wanted_metadata
           && stored_body == other.stored_body;
  }
};

/// The hash of a text, as `sent_hashes` keeps it.
inline std::size_t hash_of_text(const std::string& text) {
  return std::hash<std::string>{}(text);
}

/// What is known of the content of an auxiliary object.
struct auxiliary_content {
  /// The version of the object when it had this content; 0: not known.
  std::uint64_t version = 0;
  shared_value<auxiliary_texts> texts;       ///< Unless it was stored as sent.
  std::optional<sent_hashes> stored_as_sent; ///< Then there are no texts.
  /// Of a Workload, in place of texts.
  shared_value<workload_state> workload = {};

  /// Whether the body of `wanted` was applied last, and is there as the API
  /// server stored it.
  bool is_result_of_applying(const auxiliary_object& wanted) const;

  /// Whether the whole object could be made from `wanted` and replaced without
  /// a loss: nothing in it comes from others, and `wanted` has the labels and
  /// annotations that were sent.
  bool can_be_replaced_without_loss_by(const auxiliary_object& wanted) const;
};

/// Whether the contents lead to the same decisions.
bool same_content(const auxiliary_content& a, const auxiliary_content& b);

/// Completes what an event or a list has shown by what is known from before:
/// what was applied last, and all of the content if only metadata was shown.
shared_value<auxiliary_content>
content_with_history(const shared_value<auxiliary_content>& shown,
                     const shared_value<auxiliary_content>& before);

} // namespace troupe::core
