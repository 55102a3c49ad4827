#include "k8s/codec/codec.hpp"

#include "k8s/codec/codec_parts.hpp"
#include "k8s/codec/json_objects.hpp"
#include "k8s/codec/protobuf_codec.hpp"
#include "k8s/json_parts.hpp"
#include "k8s/large_text_turn.hpp"

namespace troupe::k8s {

namespace {

using json_text::borrowed_reader;
using json_text::int32_or_zero_at;
using json_text::string_at;
using json_text::text_at;
namespace dom = simdjson::dom;

/// Metadata without what repeats the fields of the object, as deep as they are.
std::string metadata_without_managed_fields(std::string_view meta) {
  std::string out = "{";
  for_each_json_member(meta, [&](std::string_view key, std::string_view value) {
    if (key == "managedFields")
      return;
    out += out.size() > 1 ? ",\"" : "\"";
    out.append(key).append("\":").append(value);
  });
  return out + "}";
}

/// An object whose text cannot be read: its metadata, if that can be.
result<object_ptr> read_metadata_of_unreadable(std::string_view text,
                                               failure why) {
  borrowed_reader reader;
  bool too_deep = reader->too_deep;
  std::string meta_text;
  for_each_json_member(text, [&](std::string_view key, std::string_view value) {
    if (key == "metadata")
      meta_text = metadata_without_managed_fields(value);
  });
  auto meta = reader->parse(meta_text);
  if (!meta || !meta->is_object())
    return why;
  auto o = std::make_shared<object>();
  o->meta = json_text::read_object_meta(*meta);
  if (o->meta.name.empty() || o->meta.uid.empty())
    return why;
  o->state = unreadable_state{
      too_deep ? "it is nested too deeply" : std::move(why.message), too_deep};
  return object_ptr{std::move(o)};
}

/// One of several objects.
result<object_ptr> read_or_identify_object(std::string_view text,
                                           object_detail keep) {
  borrowed_reader reader;
  auto root = reader->parse(text);
  return root ? json_text::read_object(*root, keep)
              : read_metadata_of_unreadable(text, root.error());
}

/// An event that cannot be read as one text.
result<watch_event> read_event_in_parts(std::string_view line,
                                        object_detail keep, failure why) {
  std::string_view type;
  std::string_view body;
  if (!for_each_json_member(line,
                            [&](std::string_view key, std::string_view value) {
                              if (key == "type" && value.size() > 2)
                                type = value.substr(1, value.size() - 2);
                              else if (key == "object")
                                body = value;
                            }))
    return why;
  auto what = parse_event_type(type);
  if (!what || *what == watch_event::kind::error
      || *what == watch_event::kind::bookmark)
    return why;
  auto o = read_or_identify_object(body, keep);
  if (!o)
    return why;
  watch_event event;
  event.type = *what;
  event.item = std::move(*o);
  return event;
}

} // namespace

result<object_ptr> decode_object(std::string_view text, object_detail keep) {
  if (is_protobuf(text))
    return decode_protobuf_object(text, keep);
  large_text_turn turn{text.size()};
  borrowed_reader reader;
  auto root = reader->parse(text);
  if (!root)
    return root.error();
  if (text_at(*root, "kind") == "Status")
    return failure{ec::not_found, "the answer is a Status: the object is gone"};
  return json_text::read_object(*root, keep);
}

result<list_page> decode_list(std::string_view text, object_detail keep) {
  if (is_protobuf(text))
    return decode_protobuf_list(text, keep);
  std::string_view meta_text;
  std::string_view items;
  if (!for_each_json_member(text,
                            [&](std::string_view key, std::string_view value) {
                              if (key == "metadata")
                                meta_text = value;
                              else if (key == "items")
                                items = value;
                            }))
    return failure{ec::garbage,
                   "no JSON object: \"" + printable_excerpt(text) + "\""};
  list_page page;
  borrowed_reader reader;
  auto meta = reader->parse(meta_text);
  if (!meta || !meta->is_object())
    return failure{ec::garbage, "a list without metadata"};
  page.resource_version =
      parse_resource_version_or_zero(text_at(*meta, "resourceVersion"));
  page.continue_token = string_at(*meta, "continue");
  if (items.empty() || items == "null")
    return page; // Go writes an empty list as null at times.
  std::optional<failure> broken;
  bool is_list = for_each_json_element(items, [&](std::string_view item) {
    if (broken)
      return;
    auto o = read_or_identify_object(item, keep);
    if (!o)
      broken = o.error();
    else
      ((*o)->unreadable() ? page.unreadable : page.items)
          .push_back(std::move(*o));
  });
  if (!is_list)
    return failure{ec::garbage, "a list whose items are no list"};
  if (broken)
    return *broken;
  return page;
}

result<object_ptr> decode_list_of_one(std::string_view text,
                                      object_detail keep) {
  auto page = decode_list(text, keep);
  if (!page)
    return page.error();
  if (!page->items.empty())
    return page->items.front();
  if (!page->unreadable.empty())
    return failure{ec::garbage,
                   "an object that cannot be read: "
                       + page->unreadable.front()->unreadable()->why};
  return object_ptr{};
}

result<watch_event> decode_watch_line(std::string_view line,
                                      object_detail keep) {
  borrowed_reader reader;
  auto root = reader->parse(line);
  if (!root)
    return read_event_in_parts(line, keep, root.error());
  auto type = text_at(*root, "type");
  dom::element body;
  if ((*root)["object"].get(body) || !body.is_object())
    return failure{ec::garbage, "a watch event without an object"};
  auto what = parse_event_type(type);
  if (!what)
    return what.error();
  watch_event event;
  event.type = *what;
  if (event.type == watch_event::kind::error) {
    event.code = int32_or_zero_at(body, "code");
    event.message = string_at(body, "message");
    return event;
  }
  if (event.type == watch_event::kind::bookmark) {
    dom::element meta;
    if (!body["metadata"].get(meta))
      event.resource_version =
          parse_resource_version_or_zero(text_at(meta, "resourceVersion"));
    return event;
  }
  auto o = json_text::read_object(body, keep);
  if (!o)
    return o.error();
  event.item = std::move(*o);
  return event;
}

result<watch_event> decode_protobuf_watch_frame(std::string_view frame,
                                                object_detail keep) {
  return decode_protobuf_event(frame, keep);
}

failure decode_status(std::string_view text, int http_status) {
  if (is_protobuf(text))
    return decode_protobuf_status(text, http_status);
  borrowed_reader reader;
  auto root = reader->parse(text);
  if (!root || text_at(*root, "kind") != "Status") {
    auto f = failure_of_status({}, http_status);
    if (!text.empty())
      f.message += ": " + printable_excerpt(text);
    return f;
  }
  status_text status{text_at(*root, "reason"), text_at(*root, "message")};
  dom::element details;
  if (!(*root)["details"].get(details))
    status.retry_after_seconds = int32_or_zero_at(details, "retryAfterSeconds");
  return failure_of_status(status, http_status);
}

} // namespace troupe::k8s
