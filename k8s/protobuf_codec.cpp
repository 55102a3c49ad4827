#include "k8s/protobuf_codec.hpp"

#include "k8s/codec_parts.hpp"

#include <simdjson.h>

#include <algorithm>
#include <protozero/pbf_reader.hpp>

namespace troupe::k8s {

namespace {

using protozero::pbf_reader;

// A field of another type than these say is skipped like one that is unknown,
// and so reads as empty.

constexpr std::uint32_t bytes(std::uint32_t number) {
  return protozero::tag_and_type(number,
                                 protozero::pbf_wire_type::length_delimited);
}

constexpr std::uint32_t integer(std::uint32_t number) {
  return protozero::tag_and_type(number, protozero::pbf_wire_type::varint);
}

std::string_view view_of(pbf_reader& m) {
  auto v = m.get_view();
  return {v.data(), v.size()};
}

/// JSON that is no UTF-8 is no JSON, but nobody checks this.
std::string text_of(pbf_reader& m) {
  auto text = view_of(m);
  std::string out{text};
  if (!simdjson::validate_utf8(text))
    std::replace_if(
        out.begin(), out.end(), [](char c) { return (c & 0x80) != 0; }, '?');
  return out;
}

/// Calls `f` for each field of a message; true: it took the value.
template <class F>
void each_field(pbf_reader m, F f) {
  while (m.next())
    if (!f(m, m.tag_and_type()))
      m.skip();
}

// -- metadata -----------------------------------------------------------------

/// Nothing if the message is empty, as Go's zero time is.
std::optional<time_point> read_time(pbf_reader m) {
  std::optional<std::int64_t> seconds;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag != integer(1))
      return false;
    seconds = f.get_int64();
    return true;
  });
  if (!seconds)
    return std::nullopt;
  // What from_rfc3339 takes, so that sums stay in range.
  constexpr std::int64_t year_1700 = -8520336000;
  constexpr std::int64_t end_of_2250 = 8867491199;
  return time_point{
      std::chrono::seconds{std::clamp(*seconds, year_1700, end_of_2250)}};
}

void read_entry(pbf_reader m, std::map<std::string, std::string>& into) {
  std::string key;
  std::string value;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes(1))
      key = text_of(f);
    else if (tag == bytes(2))
      value = text_of(f);
    else
      return false;
    return true;
  });
  into.emplace(std::move(key), std::move(value));
}

owner_reference read_owner(pbf_reader m) {
  owner_reference r;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(1):
      r.kind = text_of(f);
      return true;
    case bytes(3):
      r.name = text_of(f);
      return true;
    case bytes(4):
      r.uid = text_of(f);
      return true;
    case bytes(5):
      r.api_version = text_of(f);
      return true;
    case integer(6):
      r.controller = f.get_uint64() != 0;
      return true;
    default:
      return false;
    }
  });
  return r;
}

object_meta read_meta(pbf_reader m) {
  object_meta r;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(1):
      r.name = text_of(f);
      return true;
    case bytes(3):
      r.ns = text_of(f);
      return true;
    case bytes(5):
      r.uid = text_of(f);
      return true;
    case bytes(6):
      r.version = version_of(view_of(f));
      return true;
    case integer(7):
      r.generation = f.get_int64();
      return true;
    case bytes(8):
      r.created = read_time(f.get_message()).value_or(time_point{});
      return true;
    case bytes(9):
      r.deleted = read_time(f.get_message());
      return true;
    case bytes(11):
      read_entry(f.get_message(), r.labels);
      return true;
    case bytes(12):
      read_entry(f.get_message(), r.annotations);
      return true;
    case bytes(13):
      r.owners.push_back(read_owner(f.get_message()));
      return true;
    default:
      return false;
    }
  });
  return r;
}

// -- pods ---------------------------------------------------------------------

using state_kind = container_status::state_kind;

/// Of waiting (1, 2) or terminated (3, 4, 1 for the exit code, 6 for its time).
void read_state_detail(pbf_reader m, container_status& c) {
  bool ended = c.state == state_kind::terminated;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (ended && tag == integer(1))
      c.exit_code = small_integer(f.get_int64());
    else if (tag == bytes(ended ? 3 : 1))
      c.reason = text_of(f);
    else if (tag == bytes(ended ? 4 : 2))
      c.message = text_of(f);
    else if (ended && tag == bytes(6))
      c.finished = read_time(f.get_message());
    else
      return false;
    return true;
  });
}

void read_state(pbf_reader m, container_status& c) {
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(1):
      c.state = state_kind::waiting;
      read_state_detail(f.get_message(), c);
      return true;
    case bytes(3):
      c.state = state_kind::terminated;
      read_state_detail(f.get_message(), c);
      return true;
    case bytes(2):
      c.state = state_kind::running;
      return false;
    default:
      return false;
    }
  });
}

container_status read_container(pbf_reader m) {
  container_status c;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(1):
      c.name = text_of(f);
      return true;
    case bytes(2):
      read_state(f.get_message(), c);
      return true;
    case integer(5):
      c.restarts = small_integer(f.get_int64());
      return true;
    default:
      return false;
    }
  });
  return c;
}

pod_condition read_condition(pbf_reader m) {
  pod_condition c;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(1):
      c.type = text_of(f);
      return true;
    case bytes(2):
      c.status = text_of(f);
      return true;
    case bytes(4):
      c.last_transition = read_time(f.get_message()).value_or(time_point{});
      return true;
    case bytes(5):
      c.reason = text_of(f);
      return true;
    case bytes(6):
      c.message = text_of(f);
      return true;
    default:
      return false;
    }
  });
  return c;
}

void read_status(pbf_reader m, pod_state& p) {
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(1):
      p.phase = phase_of(view_of(f));
      return true;
    case bytes(2):
      p.conditions.push_back(read_condition(f.get_message()));
      return true;
    case bytes(3):
      p.message = text_of(f);
      return true;
    case bytes(4):
      p.reason = text_of(f);
      return true;
    case bytes(7):
      p.started = read_time(f.get_message());
      return true;
    case bytes(8):
      p.containers.push_back(read_container(f.get_message()));
      return true;
    case bytes(10):
      p.init_containers.push_back(read_container(f.get_message()));
      return true;
    default:
      return false;
    }
  });
}

void read_spec(pbf_reader m, pod_state& p) {
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag != bytes(10))
      return false;
    p.node = text_of(f);
    return true;
  });
}

// -- objects ------------------------------------------------------------------

/// What makes any message useless, beside what protozero throws.
struct unreadable {
  const char* what;
};

/// Every object has its metadata in field 1; pods go on with spec and status.
object_ptr read_object(pbf_reader m, object_detail keep) {
  if (keep != object_detail::pod && keep != object_detail::metadata)
    throw unreadable{"no more than metadata and pods is read"};
  auto o = std::make_shared<object>();
  bool has_meta = false;
  pod_state p;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes(1)) {
      has_meta = true;
      o->meta = read_meta(f.get_message());
      if (keep == object_detail::metadata)
        o->meta.annotations.clear();
      return true;
    }
    if (keep != object_detail::pod)
      return false;
    if (tag == bytes(2))
      read_spec(f.get_message(), p);
    else if (tag == bytes(3))
      read_status(f.get_message(), p);
    else
      return false;
    return true;
  });
  if (!has_meta)
    throw unreadable{"an object without metadata"};
  if (keep == object_detail::pod)
    o->state = std::move(p);
  return o;
}

/// What is around an object, wherever there is one.
struct envelope {
  std::string_view kind;
  pbf_reader body;
};

constexpr std::string_view magic{"k8s\0", 4};

envelope open(std::string_view text) {
  if (!is_protobuf(text))
    throw unreadable{"no \"k8s\" at its beginning"};
  text.remove_prefix(magic.size());
  envelope e;
  bool has_body = false;
  each_field({text.data(), text.size()}, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(1):
      each_field(f.get_message(), [&](pbf_reader& type, std::uint32_t inner) {
        if (inner != bytes(2))
          return false;
        e.kind = view_of(type);
        return true;
      });
      return true;
    case bytes(2):
      has_body = true;
      e.body = f.get_message();
      return true;
    case bytes(3):
      if (!view_of(f).empty())
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
  std::uint64_t version = 0;
  std::string continue_token;
};

list_meta read_list_meta(pbf_reader m) {
  list_meta r;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes(2))
      r.version = version_of(view_of(f));
    else if (tag == bytes(3))
      r.continue_token = text_of(f);
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

status_message read_refusal(pbf_reader m) {
  status_message r;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(3):
      r.message = view_of(f);
      return true;
    case bytes(4):
      r.reason = view_of(f);
      return true;
    case bytes(5):
      each_field(f.get_message(), [&](pbf_reader& d, std::uint32_t inner) {
        if (inner != integer(5))
          return false;
        r.retry_after_seconds = small_integer(d.get_int64());
        return true;
      });
      return true;
    case integer(6):
      r.code = small_integer(f.get_int64());
      return true;
    default:
      return false;
    }
  });
  return r;
}

/// What `f` gives, or why it could not.
template <class F>
auto guarded(std::string_view text, F f) -> result<decltype(f())> {
  auto garbage = [&](const char* why) {
    return failure{ec::garbage, std::string{"not the protobuf expected: "} + why
                                    + " in \"" + excerpt(text) + "\""};
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

result<object_ptr> protobuf_object(std::string_view text, object_detail keep) {
  bool gone = false;
  auto o = guarded(text, [&]() -> object_ptr {
    auto e = open(text);
    gone = e.kind == "Status";
    return gone ? nullptr : read_object(e.body, keep);
  });
  if (gone)
    return failure{ec::not_found, "the answer is a Status: the object is gone"};
  return o;
}

result<list_page> protobuf_list(std::string_view text, object_detail keep) {
  return guarded(text, [&] {
    auto e = open(text);
    if (e.kind == "Status")
      throw unreadable{"a Status"};
    list_page page;
    bool has_meta = false;
    each_field(e.body, [&](pbf_reader& f, std::uint32_t tag) {
      if (tag == bytes(1)) {
        auto meta = read_list_meta(f.get_message());
        page.version = meta.version;
        page.continue_token = std::move(meta.continue_token);
        has_meta = true;
      } else if (tag == bytes(2)) {
        page.items.push_back(read_object(f.get_message(), keep));
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

result<watch_event> protobuf_event(std::string_view frame, object_detail keep) {
  return guarded(frame, [&] {
    std::string_view type;
    std::string_view object;
    each_field({frame.data(), frame.size()}, [&](pbf_reader& f,
                                                 std::uint32_t tag) {
      if (tag == bytes(1))
        type = view_of(f);
      else if (tag == bytes(2))
        each_field(f.get_message(), [&](pbf_reader& raw, std::uint32_t inner) {
          if (inner != bytes(1))
            return false;
          object = view_of(raw);
          return true;
        });
      else
        return false;
      return true;
    });
    watch_event out;
    auto what = event_kind_of(type);
    if (!what)
      throw unreadable{"an unknown event"};
    out.type = *what;
    auto e = open(object);
    if (out.type == watch_event::kind::error) {
      auto status = read_refusal(e.body);
      out.code = status.code;
      out.message = status.message;
    } else if (out.type == watch_event::kind::bookmark) {
      out.version = read_object(e.body, object_detail::metadata)->meta.version;
    } else {
      out.item = read_object(e.body, keep);
    }
    return out;
  });
}

failure protobuf_status(std::string_view text, int http_status) {
  auto status = guarded(text, [&]() -> status_text {
    auto e = open(text);
    if (e.kind != "Status")
      throw unreadable{"no Status"};
    return read_refusal(e.body);
  });
  return failure_of(status ? *status : status_text{}, http_status);
}

} // namespace troupe::k8s
