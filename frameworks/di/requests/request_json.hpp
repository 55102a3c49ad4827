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

/// A JSON value of a request. Numbers are kept as they were written, because
/// "0.1" is an exact quantity. Members are kept in their order, because the
/// last one with a name counts.
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

/// The name in messages: "number", "object".
const char* to_string(request_value::type t);

/// The value of a number that is written without fraction and exponent, if it
/// fits.
std::optional<std::int64_t> to_int64(const request_value& value);

/// At most so many values are read of a request. A value takes a hundred bytes,
/// and requests wait for each other.
inline constexpr std::size_t most_request_values = 10'000;

/// Reads the first JSON value; what comes after it is ignored. ec::invalid with
/// the message that a client of DI-orchestrator knows: that of Go's
/// encoding/json ("EOF", "unexpected EOF", "invalid character ..."), or that
/// there are more than most_request_values.
k8s::result<request_value> read_request_json(std::string_view text);

} // namespace troupe::frameworks::di
