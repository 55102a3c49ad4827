#include "k8s/codec/protobuf_codec.hpp"

#include "k8s/codec/codec_parts.hpp"
#include "k8s/codec/protobuf_objects.hpp"

namespace troupe::k8s {

namespace {

using namespace protobuf;

// -- objects ------------------------------------------------------------------

/// What makes any message useless, beside what protozero throws.
struct unreadable {
  const char* what;
};

/// Every object has its metadata in field 1; pods go on with spec and status.
object_ptr read_object(pbf_reader m, object_detail keep) {
  if (!is_pod_detail(keep) && keep != object_detail::metadata)
    throw unreadable{"no more than metadata and pods is read"};
  auto o = std::make_shared<object>();
  bool has_meta = false;
  pod_state p;
  std::vector<std::string> sidecars; // The status may come before the spec.
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes_tag(1)) {
      has_meta = true;
      o->meta = read_object_meta(f.get_message());
      if (keep == object_detail::metadata)
        o->meta.annotations.clear();
      return true;
    }
    if (!is_pod_detail(keep))
      return false;
    if (tag == bytes_tag(2))
      read_pod_spec(f.get_message(), keep, p, sidecars);
    else if (tag == bytes_tag(3))
      read_pod_status(f.get_message(), p);
    else
      return false;
    return true;
  });
  if (!has_meta)
    throw unreadable{"an object without metadata"};
  if (is_pod_detail(keep)) {
    mark_sidecars(p, sidecars);
    o->state = std::move(p);
  }
  return o;
}

/// One of several objects: if only its metadata can be read, that.
object_ptr read_or_identify_object(pbf_reader m, object_detail keep) {
  auto identify = [&](const char* why) -> object_ptr {
    if (!is_pod_detail(keep))
      throw unreadable{why};
    auto known =
        std::make_shared<object>(*read_object(m, object_detail::metadata));
    if (known->meta.name.empty() || known->meta.uid.empty())
      throw unreadable{why};
    known->state = unreadable_state{why};
    return known;
  };
  try {
    return read_object(m, keep);
  } catch (const protozero::exception& e) {
    return identify(e.what());
  }
}

/// What is around an object, wherever there is one.
struct envelope {
  std::string_view kind;
  pbf_reader body;
};

constexpr std::string_view magic{"k8s\0", 4};

envelope decode_envelope(std::string_view text) {
  if (!is_protobuf(text))
    throw unreadable{"no \"k8s\" at its beginning"};
  text.remove_prefix(magic.size());
  envelope e;
  bool has_body = false;
  for_each_field({text.data(), text.size()},
                 [&](pbf_reader& f, std::uint32_t tag) {
                   switch (tag) {
                   case bytes_tag(1):
                     for_each_field(f.get_message(),
                                    [&](pbf_reader& type, std::uint32_t inner) {
                                      if (inner != bytes_tag(2))
                                        return false;
                                      e.kind = take_view(type);
                                      return true;
                                    });
                     return true;
                   case bytes_tag(2):
                     has_body = true;
                     e.body = f.get_message();
                     return true;
                   case bytes_tag(3):
                     if (!take_view(f).empty())
                       throw unreadable{"it is encoded once more"};
                     return true;
                   default:
                     return false;
                   }
                 });
  if (!has_body)
    throw unreadable{"nothing is in it"};
  return e;
}

struct list_meta {
  std::uint64_t resource_version = 0;
  std::string continue_token;
};

list_meta read_list_meta(pbf_reader m) {
  list_meta r;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes_tag(2))
      r.resource_version = parse_resource_version_or_zero(take_view(f));
    else if (tag == bytes_tag(3))
      r.continue_token = take_text(f);
    else
      return false;
    return true;
  });
  return r;
}

/// A v1.Status.
struct status_message : status_text {
  std::int32_t code = 0;
};

status_message read_status_message(pbf_reader m) {
  status_message r;
  for_each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes_tag(3):
      r.message = take_view(f);
      return true;
    case bytes_tag(4):
      r.reason = take_view(f);
      return true;
    case bytes_tag(5):
      for_each_field(f.get_message(), [&](pbf_reader& d, std::uint32_t inner) {
        if (inner != integer_tag(5))
          return false;
        r.retry_after_seconds = int32_or_zero(d.get_int64());
        return true;
      });
      return true;
    case integer_tag(6):
      r.code = int32_or_zero(f.get_int64());
      return true;
    default:
      return false;
    }
  });
  return r;
}

/// What `f` gives, or why it could not.
template <class F>
auto catch_protobuf_errors(std::string_view text, F f)
    -> result<decltype(f())> {
  auto garbage = [&](const char* why) {
    return failure{ec::garbage, std::string{"not the protobuf expected: "} + why
                                    + " in \"" + printable_excerpt(text)
                                    + "\""};
  };
  try {
    return f();
  } catch (const unreadable& e) {
    return garbage(e.what);
  } catch (const protozero::exception& e) {
    return garbage(e.what());
  }
}

} // namespace

bool is_protobuf(std::string_view text) {
  return text.substr(0, magic.size()) == magic;
}

result<object_ptr> decode_protobuf_object(std::string_view text,
                                          object_detail keep) {
  bool gone = false;
  auto o = catch_protobuf_errors(text, [&]() -> object_ptr {
    auto e = decode_envelope(text);
    gone = e.kind == "Status";
    return gone ? nullptr : read_object(e.body, keep);
  });
  if (gone)
    return failure{ec::not_found, "the answer is a Status: the object is gone"};
  return o;
}

result<list_page> decode_protobuf_list(std::string_view text,
                                       object_detail keep) {
  return catch_protobuf_errors(text, [&] {
    auto e = decode_envelope(text);
    if (e.kind == "Status")
      throw unreadable{"a Status"};
    list_page page;
    bool has_meta = false;
    for_each_field(e.body, [&](pbf_reader& f, std::uint32_t tag) {
      if (tag == bytes_tag(1)) {
        auto meta = read_list_meta(f.get_message());
        page.resource_version = meta.resource_version;
        page.continue_token = std::move(meta.continue_token);
        has_meta = true;
      } else if (tag == bytes_tag(2)) {
        auto item = read_or_identify_object(f.get_message(), keep);
        (item->unreadable() ? page.unreadable : page.items)
            .push_back(std::move(item));
      } else {
        return false;
      }
      return true;
    });
    if (!has_meta)
      throw unreadable{"a list without metadata"};
    return page;
  });
}

result<watch_event> decode_protobuf_event(std::string_view frame,
                                          object_detail keep) {
  return catch_protobuf_errors(frame, [&] {
    std::string_view type;
    std::string_view object;
    for_each_field(
        {frame.data(), frame.size()}, [&](pbf_reader& f, std::uint32_t tag) {
          if (tag == bytes_tag(1))
            type = take_view(f);
          else if (tag == bytes_tag(2))
            for_each_field(f.get_message(),
                           [&](pbf_reader& raw, std::uint32_t inner) {
                             if (inner != bytes_tag(1))
                               return false;
                             object = take_view(raw);
                             return true;
                           });
          else
            return false;
          return true;
        });
    watch_event out;
    auto what = parse_event_type(type);
    if (!what)
      throw unreadable{"an unknown event"};
    out.type = *what;
    auto e = decode_envelope(object);
    if (out.type == watch_event::kind::error) {
      auto status = read_status_message(e.body);
      out.code = status.code;
      out.message = status.message;
    } else if (out.type == watch_event::kind::bookmark) {
      out.resource_version =
          read_object(e.body, object_detail::metadata)->meta.resource_version;
    } else {
      out.item = read_or_identify_object(e.body, keep);
    }
    return out;
  });
}

failure decode_protobuf_status(std::string_view text, int http_status) {
  auto status = catch_protobuf_errors(text, [&]() -> status_text {
    auto e = decode_envelope(text);
    if (e.kind != "Status")
      throw unreadable{"no Status"};
    return read_status_message(e.body);
  });
  return failure_of_status(status ? *status : status_text{}, http_status);
}

} // namespace troupe::k8s
