#pragma once

#include "k8s/json.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s {

// A value takes 50 to 100 bytes, and two bytes of JSON can be one. So JSON from
// outside is counted before values are made of it, and JSON that is only handed
// on stays text.

/// An estimate of how many values a JSON text has: no more than the result, and
/// no fewer than half of it. Takes no memory. For text that is not JSON, some
/// number.
std::size_t estimate_json_value_count(std::string_view text);

/// Why a text is not JSON; "" if it is. Reads text of any depth, and makes no
/// values.
std::string find_json_error(std::string_view text);

/// A value that is JSON text, which to_text() writes as it is. In all other
/// respects it is opaque: it is neither an object nor an array, and equals only
/// text values of the same text.
json make_text_value(std::string_view text);

/// The text of a text value, valid as long as the value exists; "" for any
/// other value.
std::string_view text_of_value(const json& value);

/// The outline of a JSON text. The objects at the paths `opened` are read
/// member by member ({} is the value itself; a path comes after those of the
/// objects around it), and so are numbers, strings and empty lists. Other lists
/// and objects become text values. So does an object with which there would be
/// more than `most_values`. Text that is not JSON gives some outline: see
/// find_json_error().
json parse_json_outline(std::string_view text,
                        const std::vector<json_path>& opened,
                        std::size_t most_values);

} // namespace troupe::k8s
