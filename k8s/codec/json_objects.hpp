#pragma once

#include "k8s/codec/codec_parts.hpp"
#include "k8s/json.hpp"
#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <simdjson.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s::json_text {

// Reading JSON of servers by simdjson. Included by codec.cpp and
// json_objects.cpp only.

namespace dom = simdjson::dom;

/// One parser and one padded buffer per thread, both reused.
struct json_reader {
  /// In bytes of text; a parser takes a dozen times its text.
  static constexpr std::size_t worth_giving_back = 256u << 10;

  std::unique_ptr<dom::parser> parser = std::make_unique<dom::parser>();
  std::string buffer;
  /// The last text could not be read because of its depth.
  bool too_deep = false;

  result<dom::element> parse(std::string_view text) {
    buffer.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    buffer.assign(text);
    dom::element root;
    auto error = parser->parse(buffer.data(), buffer.size(), false).get(root);
    // Integers beyond 64 bits: a server writes large floating-point numbers so.
    if (error == simdjson::NUMBER_ERROR)
      if (auto rounded = parse_json(text))
        return parse(to_text(*rounded));
    too_deep = error == simdjson::DEPTH_ERROR;
    if (error)
      return failure{ec::garbage,
                     std::string{"not JSON: "} + simdjson::error_message(error)
                         + " in \"" + printable_excerpt(text) + "\""};
    return root;
  }
};

/// The reader of this thread, for one call of a function below.
class borrowed_reader {
public:
  borrowed_reader() = default;
  borrowed_reader(const borrowed_reader&) = delete;
  borrowed_reader& operator=(const borrowed_reader&) = delete;

  /// Frees the memory that a large text took. Nothing that was read may be used
  /// any more.
  ~borrowed_reader() {
    if (reader_.buffer.capacity() > json_reader::worth_giving_back)
      reader_ = {};
  }

  json_reader* operator->() { return &reader_; }

private:
  static json_reader& of_this_thread() {
    thread_local json_reader r;
    return r;
  }

  json_reader& reader_ = of_this_thread();
};

// A value that is absent or of another type reads as empty.

inline std::string_view text_at(dom::element e, const char* key) {
  std::string_view value;
  if (e[key].get(value))
    return {};
  return value;
}

inline std::string string_at(dom::element e, const char* key) {
  return std::string{text_at(e, key)};
}

inline std::int64_t integer_at(dom::element e, const char* key) {
  std::int64_t value = 0;
  if (e[key].get(value))
    return 0;
  return value;
}

inline std::int32_t int32_or_zero_at(dom::element e, const char* key) {
  return int32_or_zero(integer_at(e, key));
}

inline std::optional<time_point> time_at(dom::element e, const char* key) {
  auto text = text_at(e, key);
  return text.empty() ? std::nullopt : from_rfc3339(text);
}

template <class F>
void for_each_item(dom::element e, const char* key, F f) {
  dom::array items;
  if (!e[key].get(items))
    for (auto item : items)
      f(item);
}

/// Reads those parts of an object that `keep` names.
result<object_ptr> read_object(dom::element e, object_detail keep);

object_meta read_object_meta(dom::element e);

} // namespace troupe::k8s::json_text
