#pragma once

#include "k8s/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::frameworks::di {

/// A JSON value of a request. Numbers are kept as they were written, since
/// "0.1" is an exact quantity; members in their order, since the last of those
/// with one name counts.
struct request_value {
  enum class type : std::uint8_t {
    null,
    boolean,
    number,
    string,
    array,
    object
  };

  type is = type::null;
  /// A number as written, a string without quotes, "true" or "false".
  std::string text;
  std::vector<request_value> items;                           ///< Of an array.
  std::vector<std::pair<std::string, request_value>> members; ///< Of an object.
};

/// As messages name it: "number", "object".
const char* to_string(request_value::type t);

/// Of a number that is written without fraction and exponent, and fits.
std::optional<std::int64_t> to_int64(const request_value& value);

/// The names in a request to delete replicas, for one. A value takes a hundred
/// bytes, and requests wait for each other.
inline constexpr std::size_t most_request_values = 10'000;

/// Reads the first JSON value; what comes after it is ignored. ec::invalid with
/// the message that a client of DI-orchestrator knows: that of Go's
/// encoding/json
/// ("EOF", "unexpected EOF", "invalid character ..."), or that there are more
/// than most_request_values.
k8s::result<request_value> read_request_json(std::string_view text);

} // namespace troupe::frameworks::di
