#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s {

/// How server-side apply merges two values of a list.
enum class list_merge {
  atomic, ///< One replaces the other.
  set,    ///< Plain values, each once.
  by_keys ///< Objects that are the same if their keys are.
};

/// One field of a message: its number in protobuf, and how it reads in JSON.
struct message_field {
  unsigned number = 0;
  std::string_view name; ///< "-": its members are those of the message itself.
  /// text, number, flag, bytes (base64), quantity, int-or-string, time,
  /// micro-time, raw (JSON inside), ignored (anything), or the name of a
  /// message.
  std::string_view type;
  bool is_list = false;
  bool is_map = false; ///< Its keys are texts.
  /// Writers of protobuf cannot leave the field out, so 0 or false means unset.
  bool zero_means_unset = false;
  bool is_atomic = false;   ///< A map or message: not merged, but replaced.
  bool is_granular = false; ///< Merged, though its message is atomic elsewhere.
  list_merge merge = list_merge::atomic; ///< Of a list.
  std::vector<std::string_view> list_keys;
  std::string_view default_value; ///< Of a field that is a key; "": none.
};

/// A type of the built-in resources.
struct protobuf_message {
  std::vector<message_field> fields; ///< By their numbers.
  /// All fields of this type are, except granular ones.
  bool is_atomic = false;
};

/// The message, as in kubernetes_version; nullptr if no built-in resource has
/// it.
const protobuf_message* find_message(std::string_view name);

/// Whether objects of this message have apiVersion and kind, wherever they
/// occur. No message has these two as fields.
bool is_object_message(std::string_view message_name);

/// The name of the message for objects of a kind. If two groups have messages
/// of the same name, the one outside of the core group is named "events.Event"
/// and the like.
std::string message_name(const std::string& api_version,
                         const std::string& kind);

} // namespace troupe::k8s
