#pragma once

#include <string_view>
#include <vector>

namespace troupe::k8s::apiserver {

/// One field of a message, and how it reads in JSON.
struct protobuf_field {
  unsigned number = 0;
  std::string_view name; ///< "-": its members are those of the message itself.
  /// text, number, flag, bytes (base64), quantity, int-or-string, time,
  /// micro-time, raw (JSON inside), ignored (the server writes it), or the name
  /// of a message.
  std::string_view type;
  bool is_list = false;
  bool is_map = false; ///< By texts.
  /// Writers cannot leave it out: 0 or false is the same as nothing.
  bool is_zero_nothing = false;
};

/// The fields of a message as Kubernetes 1.34 numbers them, by their numbers;
/// nullptr if it is none of a built-in resource.
const std::vector<protobuf_field>*
find_protobuf_fields(std::string_view message);

} // namespace troupe::k8s::apiserver
