#include "k8s/protobuf_objects.hpp"

#include "k8s/codec_parts.hpp"

namespace troupe::k8s::protobuf {

namespace {

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
  // As from_rfc3339 does.
  auto since_epoch = [](time_point t) {
    return std::chrono::floor<std::chrono::seconds>(t.time_since_epoch())
        .count();
  };
  return time_point{std::chrono::seconds{std::clamp<std::int64_t>(
      *seconds, since_epoch(earliest_time), since_epoch(latest_time))}};
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

} // namespace

object_meta read_object_meta(pbf_reader m) {
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
      r.resource_version = parse_resource_version(view_of(f));
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

namespace {

// -- pods ---------------------------------------------------------------------

using state_kind = container_status::state_kind;

/// Of waiting (1, 2) or terminated (3, 4, 1 for the exit code, 6 for its time).
void read_state_detail(pbf_reader m, container_status& c) {
  bool ended = c.state == state_kind::terminated;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (ended && tag == integer(1))
      c.exit_code = saturated_int32(f.get_int64());
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
      c.restarts = saturated_int32(f.get_int64());
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

std::string read_ip(pbf_reader m) {
  std::string ip;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag != bytes(1))
      return false;
    ip = text_of(f);
    return true;
  });
  return ip;
}

} // namespace

void read_pod_status(pbf_reader m, pod_state& p) {
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    switch (tag) {
    case bytes(1):
      p.phase = parse_pod_phase(view_of(f));
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
    case bytes(6):
      add_ip(p, text_of(f), true);
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
    case bytes(12):
      add_ip(p, read_ip(f.get_message()), false);
      return true;
    default:
      return false;
    }
  });
}

namespace {

declared_port read_port(pbf_reader m) {
  declared_port p;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes(1))
      p.name = text_of(f);
    else if (tag == integer(3))
      p.number = saturated_int32(f.get_int64());
    else
      return false;
    return true;
  });
  return p;
}

/// The ports of one container.
void read_ports(pbf_reader container, std::vector<declared_port>& into) {
  std::string name;
  auto first = into.size();
  each_field(container, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes(1))
      name = text_of(f);
    else if (tag == bytes(6))
      into.push_back(read_port(f.get_message()));
    else
      return false;
    return true;
  });
  for (auto i = first; i < into.size(); ++i)
    into[i].container = name;
}

} // namespace

void read_pod_spec(pbf_reader m, object_detail keep, pod_state& p) {
  bool wants_ports = keep == object_detail::pod_with_ports;
  std::vector<declared_port> ports;
  each_field(m, [&](pbf_reader& f, std::uint32_t tag) {
    if (tag == bytes(10))
      p.node = text_of(f);
    else if (tag == bytes(2) && wants_ports)
      read_ports(f.get_message(), ports);
    else
      return false;
    return true;
  });
  if (wants_ports)
    p.ports =
        std::make_shared<const std::vector<declared_port>>(std::move(ports));
}

} // namespace troupe::k8s::protobuf
