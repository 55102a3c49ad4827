#pragma once

#include "k8s/text.hpp"

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>

namespace troupe::k8s::protobuf {

// Reading the fields of a message. Included by protobuf_*.cpp only.

using protozero::pbf_reader;

// A field whose wire type is not one of these is skipped like an unknown one,
// and so reads as empty.

constexpr std::uint32_t bytes_tag(std::uint32_t number) {
  return protozero::tag_and_type(number,
                                 protozero::pbf_wire_type::length_delimited);
}

constexpr std::uint32_t integer_tag(std::uint32_t number) {
  return protozero::tag_and_type(number, protozero::pbf_wire_type::varint);
}

inline std::string_view take_view(pbf_reader& m) {
  auto v = m.get_view();
  return {v.data(), v.size()};
}

/// Nobody checks that texts in protobuf are UTF-8, which JSON has to be. In a
/// text that is not, every byte above 127 becomes '?'.
inline std::string take_text(pbf_reader& m) {
  auto text = take_view(m);
  std::string out{text};
  if (!is_utf8(text))
    std::replace_if(
        out.begin(), out.end(), [](char c) { return (c & 0x80) != 0; }, '?');
  return out;
}

/// Calls `f` for each field of a message; `f` returns whether it took the
/// value.
template <class F>
void for_each_field(pbf_reader m, F f) {
  while (m.next())
    if (!f(m, m.tag_and_type()))
      m.skip();
}

} // namespace troupe::k8s::protobuf
