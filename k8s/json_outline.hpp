#pragma once

#include "k8s/json.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s {

// A value takes 50 to 100 bytes, and two bytes of JSON can be one. So what
// comes from outside is counted before values are made of it, and what is only
// handed on stays text.

/// How many values a JSON text has: no more than this, and no fewer than half.
/// Takes no memory. Of what is no JSON, some number.
std::size_t count_json_values(std::string_view text);

/// Why a text is no JSON, "" if it is some; of any depth, without values.
std::string find_json_error(std::string_view text);

/// A value that is JSON text, which to_text() writes as it is. In no other way
/// it is what the text says: neither an object nor an array, but equal to one
/// of the same text.
json make_text_value(std::string_view text);

/// The text of a text value, as long as that is there; of another value "".
std::string_view text_of_value(const json& value);

/// The outline of a JSON text: only the objects at the paths `opened` are read,
/// member by member ({} is the value itself; one comes after those around it),
/// and numbers, strings and empty lists. Other lists and objects in them are
/// text values. So is an object with which there would be more than
/// `most_values`. What is no JSON gives some outline: see find_json_error().
json parse_json_outline(std::string_view text,
                        const std::vector<json_path>& opened,
                        std::size_t most_values);

} // namespace troupe::k8s
