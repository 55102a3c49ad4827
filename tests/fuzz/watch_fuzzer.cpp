#include "k8s/codec/codec.hpp"
#include "k8s/watch/watch_reader.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/object_encoding.hpp"
#include "tests/k8s/codec/protobuf_writer.hpp"

// What a reflector decodes: a watch in pieces, a list, an object, an error; as
// JSON or protobuf. The first byte says which ('0' to '3': a watch, '4' to '7':
// an answer) and how much of an object is kept; the second one how it is cut.

namespace {

using namespace troupe::k8s;
using troupe::fuzz::all_of;
using troupe::fuzz::require;
using troupe::fuzz::to_json_text;

/// Nesting that our reader of JSON refuses, for one.
bool is_readable_json(const std::string& text) {
  auto value = parse_json(text);
  return value || value.error().message.find("too deep") != std::string::npos;
}

void check_texts(const object& o) {
  if (const auto* raw = std::get_if<spec_and_status_state>(&o.state))
    require(is_readable_json(raw->spec) && is_readable_json(raw->status),
            "spec and status are JSON");
  else if (const auto* whole = std::get_if<full_state>(&o.state))
    require(is_readable_json(whole->text) && is_readable_json(whole->metadata),
            "a whole object is JSON");
}

void check_protobuf(const object& o, object_detail keep) {
  auto message = is_pod_detail(keep) ? "Pod" : "PartialObjectMetadata";
  auto decoded =
      decode_object(protobuf_of(troupe::fuzz::to_json(o), message), keep);
  require(decoded && all_of(**decoded) == all_of(o),
          "protobuf is read into what JSON is read into");
}

void check_unreadable(const object& o) {
  require(!o.meta.name.empty() && !o.meta.uid.empty()
              && !o.unreadable()->why.empty(),
          "an object that cannot be read has an identity and a reason");
}

void check_object(const object& o, object_detail keep) {
  if (o.unreadable())
    return check_unreadable(o);
  check_texts(o);
  auto again = decode_object(to_json_text(o), keep);
  require(again && all_of(**again) == all_of(o),
          "an object that is encoded and decoded is the same");
  if (is_pod_detail(keep) || keep == object_detail::metadata)
    check_protobuf(o, keep);
}

std::vector<json> read_watch(const std::vector<std::string_view>& pieces,
                             object_detail keep) {
  watch_reader reader{keep};
  std::vector<json> events;
  for (auto piece : pieces)
    for (const auto& e : reader.feed(piece)) {
      require(e.item
                  || (e.type != watch_event::kind::added
                      && e.type != watch_event::kind::modified
                      && e.type != watch_event::kind::deleted),
              "an event about an object has the object");
      if (e.item)
        check_object(*e.item, keep);
      events.push_back(troupe::fuzz::to_json(e));
      if (e.message == "an event of the watch is too long")
        return events; // Nothing that follows can be read.
    }
  return events;
}

/// How often the outermost object has the key.
int count_of_key(std::string_view text, const char* key) {
  int count = 0;
  auto note = [&](int depth, json::parse_event_t event, json& value) {
    count += depth == 1 && event == json::parse_event_t::key && value == key;
    return true;
  };
  (void)json::parse(text, note, false);
  return count;
}

bool is_json_object_with_metadata(std::string_view text) {
  auto value = parse_json(text);
  return value && value_at(*value, {"metadata"}).is_object()
         && text_at(*value, {"kind"}) != "Status"
         && count_of_key(text, "metadata") == 1
         && count_of_key(text, "kind") <= 1;
}

void check_answer(std::string_view text, object_detail keep) {
  auto one = decode_object(text, keep);
  if (one)
    check_object(**one, keep);
  else
    require(!is_json_object_with_metadata(text),
            "what is JSON and has metadata can be decoded");
  if (auto list = decode_list(text, keep)) {
    for (const auto& item : list->items) {
      require(!item->unreadable(), "the items of a list can be read");
      check_object(*item, keep);
    }
    for (const auto& item : list->unreadable)
      check_unreadable(*item);
  }
  require(!decode_status(text, 500).message.empty(), "a failure has a message");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  troupe::fuzz::fuzz_input input{data, size};
  auto mode = input.take_byte();
  auto seed = input.take_byte();
  auto keep = static_cast<object_detail>(mode % 4);
  if (mode / 4 % 2 == 1)
    check_answer(input.rest(), keep);
  else
    require(read_watch({input.rest()}, keep)
                == read_watch(troupe::fuzz::cut(input.rest(), seed), keep),
            "events do not depend on the pieces in which they come");
  return 0;
}
